#include "point_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "rows.hpp"

namespace upsweep {
namespace {

constexpr std::array<std::string_view, 5> kStatusNames = {"open", "done", "infeasible", "invalid", "excluded"};

/// Whether two schedules would make the same row; NaN equals NaN there.
bool is_same(const PointSchedule& a, const PointSchedule& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.schedule == b.schedule && a.depth == b.depth && a.is_feasible == b.is_feasible && a.reason == b.reason &&
         same(a.score, b.score) && same(a.levels, b.levels) && same(a.ops, b.ops) && same(a.flops, b.flops) &&
         same(a.critical_path_flops, b.critical_path_flops) && same(a.steps, b.steps) &&
         same(a.per_step_flops, b.per_step_flops) && same(a.peak_live_bytes, b.peak_live_bytes);
}

/// Visits the columns of a schedule, which are NULL without one, whether it is feasible first. `which`: what their
/// names begin with.
void schedule_columns(auto& visit, const char* which, auto* schedule) {
  const auto column = [&](const char* name, const auto member) { visit.member({which, name}, schedule, member); };
  column("feasible", &PointSchedule::is_feasible);
  column("schedule", &PointSchedule::schedule);
  column("depth", &PointSchedule::depth);
  column("reason", &PointSchedule::reason);
  column("score", &PointSchedule::score);
  column("levels", &PointSchedule::levels);
  column("ops", &PointSchedule::ops);
  column("flops", &PointSchedule::flops);
  column("critical_path_flops", &PointSchedule::critical_path_flops);
  column("steps", &PointSchedule::steps);
  column("per_step_flops", &PointSchedule::per_step_flops);
  column("peak_live_bytes", &PointSchedule::peak_live_bytes);
}

/// Visits what is in a row of a result but for its key.
void point_columns(auto& visit, auto& record) {
  auto& figures = record.figures;
  visit.status("status", record.status);
  visit.or_null("reason", record.reason);
  visit.choice("unit", figures.is_in_seconds, "s", "FLOPs");
  visit("exact", figures.is_exact);
  visit("workers", figures.workers);
  visit("elements", figures.elements);
  visit("margin", figures.margin);
  visit.or_nan("chain_build_values", figures.chain_build_values);
  visit.or_nan("largest_jacobian_bytes", figures.largest_jacobian_bytes);
  visit.or_nan("largest_vector_bytes", figures.largest_vector_bytes);
  visit.or_nan("bppsa_bytes", record.bppsa_bytes);
  visit.or_nan("pipeline_bytes", record.pipeline_bytes);
  visit.or_nan("memory_limit", record.memory_limit);
  visit.or_nan("dense_score", figures.dense_score);
  visit.or_nan("graph_score", figures.graph_score);
  visit.or_nan("blocks_score", figures.blocks_score);
  visit("model_hash", record.model_hash);
  visit.or_null("machine_hash", record.machine_hash);
  visit("settings", record.settings);
  visit.best(figures);
  visit.plain(figures);
  visit.scan(figures);
}

/// Collects what it visits.
class PointNames : public ColumnNames {
 public:
  void status(ColumnName name, PointStatus) { add(name); }
  void member(ColumnName name, const PointSchedule*, auto) { add(name); }
  void best(const PointFigures&) { schedule_columns(*this, "best_", &none_); }
  void plain(const PointFigures&) { other("plain_is_best", "plain_"); }
  void scan(const PointFigures&) { other("scan_is_best", "scan_"); }

 private:
  void other(const char* is_best, const char* which) {
    add(is_best);
    schedule_columns(*this, which, &none_);
  }

  const PointSchedule none_{};
};

/// Binds what it visits.
class PointBinder : public ColumnBinder {
 public:
  using ColumnBinder::ColumnBinder;

  void status(ColumnName, PointStatus status) { borrow(status_name(status)); }
  /// The record stays where it is until the statement has run.
  void or_null(ColumnName, const std::string& text) { borrow(text); }
  void member(ColumnName name, const PointSchedule* schedule, std::string PointSchedule::*text) {
    borrow(schedule != nullptr ? std::string_view(schedule->*text) : std::string_view());
    static_cast<void>(name);
  }
  void member(ColumnName name, const PointSchedule* schedule, auto member) {
    if (schedule != nullptr) {
      (*this)(name, schedule->*member);
    } else {
      (*this)(name, nullptr);
    }
  }
  void best(const PointFigures& figures) { schedule_columns(*this, "", address(figures.best)); }
  void plain(const PointFigures& figures) { other(&figures.plain, figures.best); }
  void scan(const PointFigures& figures) {
    other(address(figures.scan ? figures.scan : figures.refused_scan), figures.best);
  }

 private:
  static const PointSchedule* address(const std::optional<PointSchedule>& schedule) {
    return schedule ? &*schedule : nullptr;
  }
  void borrow(std::string_view text) { statement_.bind_at(next_++, Statement::Borrowed{text}); }
  /// A schedule whose columns are NULL where it is the best one.
  void other(const PointSchedule* schedule, const std::optional<PointSchedule>& best) {
    const bool is_best = schedule != nullptr && best && is_same(*schedule, *best);
    (*this)("", is_best);
    schedule_columns(*this, "", is_best ? nullptr : schedule);
  }
};

/// Reads what it visits.
class PointReader : public ColumnReader {
 public:
  using ColumnReader::ColumnReader;

  void status(ColumnName, PointStatus& status) { status = status_named(row_.text(next_++)); }
  void member(ColumnName name, PointSchedule* schedule, double PointSchedule::*number) {
    or_nan(name, schedule->*number);
  }
  void member(ColumnName name, PointSchedule* schedule, auto member) { (*this)(name, schedule->*member); }
  void best(PointFigures& figures) { figures.best = schedule(); }
  void plain(PointFigures& figures) { figures.plain = one_of(figures.best).value_or(PointSchedule()); }
  void scan(PointFigures& figures) {
    std::optional<PointSchedule> scan = one_of(figures.best);
    if (scan) (scan->is_feasible ? figures.scan : figures.refused_scan) = std::move(scan);
  }

 private:
  std::optional<PointSchedule> one_of(const std::optional<PointSchedule>& best) {
    const bool is_best = row_.integer(next_++) != 0;
    std::optional<PointSchedule> own = schedule();
    return is_best ? best : own;
  }
  /// A schedule is there when the column that says whether it is feasible is.
  std::optional<PointSchedule> schedule() {
    const bool is_there = !row_.is_null(next_);
    PointSchedule schedule;
    schedule_columns(*this, "", &schedule);
    return is_there ? std::optional(std::move(schedule)) : std::nullopt;
  }
};

std::string all_point_columns() {
  PointNames names;
  const PointRecord record;
  point_columns(names, record);
  return names.list();
}

}  // namespace

std::string_view status_name(PointStatus status) {
  if (status == PointStatus::open) throw std::logic_error("a point that is not evaluated was to be stored");
  return kStatusNames[static_cast<std::size_t>(status)];
}

PointStatus status_named(std::string_view name) {
  for (std::size_t status = 1; status < kStatusNames.size(); ++status) {
    if (kStatusNames[status] == name) return static_cast<PointStatus>(status);
  }
  return PointStatus::open;
}

std::string insert_point_sql() {
  const std::string columns = all_point_columns();
  std::string values = "?, ?";  // of the key and of the column before the first comma
  for (const char c : columns) values += c == ',' ? ", ?" : "";
  return fmt::format("INSERT OR IGNORE INTO point_results (key, {}) VALUES ({})", columns, values);
}

std::string select_point_sql() {
  return fmt::format("SELECT {} FROM point_results WHERE key = ?", all_point_columns());
}

const char* select_briefs_sql() {
  return "SELECT m.position, m.key, m.status, COALESCE(r.exact, 1), r.best_schedule, r.best_score, "
         "IIF(r.plain_is_best, r.best_score, r.plain_score), r.dense_score, r.graph_score, r.blocks_score, "
         "CASE WHEN r.scan_is_best THEN r.best_score WHEN r.scan_feasible THEN r.scan_score END, "
         "r.best_peak_live_bytes, IIF(r.plain_is_best, r.best_peak_live_bytes, r.plain_peak_live_bytes), "
         "IIF(r.scan_is_best, r.best_peak_live_bytes, r.scan_peak_live_bytes), r.bppsa_bytes, r.pipeline_bytes, "
         "r.memory_limit, COALESCE(r.unit, '') = 's' FROM study_members m LEFT JOIN point_results r ON r.key = m.key "
         "WHERE m.study_id = ? "
         "ORDER BY m.position";
}

void bind_point(Statement& insert, const PointRecord& record) {
  insert.reset();
  insert.bind_at(1, Statement::Blob{record.key});
  PointBinder binder(insert, 2);
  point_columns(binder, record);
}

PointRecord read_point(const Statement& row, const ContentKey& key) {
  PointRecord record;
  record.key = key;
  PointReader reader(row);
  point_columns(reader, record);
  return record;
}

StoredPoint read_brief(const Statement& row) {
  int column = 4;
  StoredPoint point;
  point.position = row.count(0);
  point.key = read_key(row, 1);
  point.brief.status = status_named(row.text(2));
  point.has_expectations = row.integer(3) == 0;
  point.schedule = row.text(column++);
  for (double PointBrief::*const figure :
       {&PointBrief::score, &PointBrief::plain_score, &PointBrief::dense_score, &PointBrief::graph_score,
        &PointBrief::blocks_score, &PointBrief::scan_score, &PointBrief::best_bytes, &PointBrief::plain_bytes,
        &PointBrief::scan_bytes, &PointBrief::bppsa_bytes, &PointBrief::pipeline_bytes, &PointBrief::memory_limit})
    point.brief.*figure = row.number_or_nan(column++);
  point.brief.is_in_seconds = row.integer(column) != 0;
  return point;
}

std::optional<ContentKey> read_key(const Statement& row, int column) {
  const std::span<const std::uint8_t> bytes = row.bytes(column);
  ContentKey key{};
  if (bytes.size() != key.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

}  // namespace upsweep
