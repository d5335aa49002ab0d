#include "point_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace upsweep {
namespace {

constexpr std::array<std::string_view, 5> kStatusNames = {"open", "done", "infeasible", "invalid", "excluded"};

/// Columns of point_results after the key, in the order of visit_point().
constexpr const char* kColumns =
    "status, reason, unit, exact, workers, elements, margin, chain_build_values, largest_jacobian_bytes, "
    "largest_vector_bytes, bppsa_bytes, pipeline_bytes, memory_limit, model_hash, machine_hash, settings";
/// Columns of a schedule, in the order of visit_schedule().
constexpr std::array kScheduleColumns = {
    "feasible", "schedule",       "depth",          "reason", "score", "levels", "ops", "flops", "critical_path_flops",
    "steps",    "per_step_flops", "peak_live_bytes"};

std::string all_columns() {
  std::string columns = kColumns;
  for (const char* which : {"best", "plain", "scan"}) {
    if (which != std::string_view("best")) columns += fmt::format(", {}_is_best", which);
    for (const char* column : kScheduleColumns) columns += fmt::format(", {}_{}", which, column);
  }
  return columns;
}

/// Whether two schedules would make the same row; NaN equals NaN there.
bool is_same(const PointSchedule& a, const PointSchedule& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.schedule == b.schedule && a.depth == b.depth && a.is_feasible == b.is_feasible && a.reason == b.reason &&
         same(a.score, b.score) && same(a.levels, b.levels) && same(a.ops, b.ops) && same(a.flops, b.flops) &&
         same(a.critical_path_flops, b.critical_path_flops) && same(a.steps, b.steps) &&
         same(a.per_step_flops, b.per_step_flops) && same(a.peak_live_bytes, b.peak_live_bytes);
}

template <class Visitor, class Schedule>
void visit_schedule(Visitor& visit, Schedule& schedule) {
  visit(schedule.is_feasible);
  visit(schedule.schedule);
  visit(schedule.depth);
  visit(schedule.reason);
  visit(schedule.score);
  visit(schedule.levels);
  visit(schedule.ops);
  visit(schedule.flops);
  visit(schedule.critical_path_flops);
  visit(schedule.steps);
  visit(schedule.per_step_flops);
  visit(schedule.peak_live_bytes);
}

/// Visits what is in a row of a result, in the order of its columns, when it is written and when it is read.
template <class Visitor, class Record>
void visit_point(Visitor& visit, Record& record) {
  auto& figures = record.figures;
  visit(record.status);
  visit(record.reason);
  visit.unit(figures.is_in_seconds);
  visit(figures.is_exact);
  visit(figures.workers);
  visit(figures.elements);
  visit(figures.margin);
  visit(figures.chain_build_values);
  visit(figures.largest_jacobian_bytes);
  visit(figures.largest_vector_bytes);
  visit(record.bppsa_bytes);
  visit(record.pipeline_bytes);
  visit(record.memory_limit);
  visit.required(record.model_hash);
  visit(record.machine_hash);
  visit.required(record.settings);
  visit.best(figures.best);
  visit.other(figures.plain, figures.best);
  visit.scan(figures);
}

/// Binds what it visits; the first position is the key's.
class Binder {
 public:
  explicit Binder(Statement& insert) : insert_(insert) {}

  void operator()(const std::string& text) { insert_.bind_at(++position_, Statement::Borrowed{text}); }
  void operator()(PointStatus status) { insert_.bind_at(++position_, Statement::Borrowed{status_name(status)}); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number number) { insert_.bind_at(++position_, number); }
  template <class Number>
  void operator()(const std::optional<Number>& number) {
    insert_.bind_at(++position_, number);
  }
  void unit(bool is_in_seconds) { insert_.bind_at(++position_, Statement::Borrowed{is_in_seconds ? "s" : "FLOPs"}); }
  /// A text that is there even where it is empty.
  void required(const std::string& text) { insert_.bind_at(++position_, text); }
  void best(const std::optional<PointSchedule>& schedule) { columns(schedule ? &*schedule : nullptr); }
  void other(const PointSchedule& schedule, const std::optional<PointSchedule>& best) {
    const bool is_best = best && is_same(schedule, *best);
    (*this)(is_best);
    columns(is_best ? nullptr : &schedule);
  }
  void scan(const PointFigures& figures) {
    const std::optional<PointSchedule>& scan = figures.scan ? figures.scan : figures.refused_scan;
    if (scan) {
      other(*scan, figures.best);
    } else {
      (*this)(false);
      columns(nullptr);
    }
  }

 private:
  void columns(const PointSchedule* schedule) {
    if (schedule != nullptr) {
      visit_schedule(*this, *schedule);
    } else {
      for (std::size_t c = 0; c < kScheduleColumns.size(); ++c) insert_.bind_at(++position_, nullptr);
    }
  }

  Statement& insert_;
  int position_ = 1;
};

/// Reads what it visits.
class Reader {
 public:
  explicit Reader(const Statement& row) : row_(row) {}

  void operator()(std::string& text) { text = row_.text(column_++); }
  void operator()(PointStatus& status) { status = status_named(row_.text(column_++)); }
  void operator()(bool& flag) { flag = row_.integer(column_++) != 0; }
  void operator()(double& number) { number = row_.number_or_nan(column_++); }
  void operator()(std::uint64_t& count) { count = row_.count(column_++); }
  void operator()(std::optional<std::uint32_t>& count) {
    const int column = column_++;
    count = row_.is_null(column) ? std::nullopt : std::optional(static_cast<std::uint32_t>(row_.integer(column)));
  }
  void operator()(std::optional<double>& number) {
    const double value = row_.number_or_nan(column_++);
    number = std::isnan(value) ? std::nullopt : std::optional(value);
  }
  void unit(bool& is_in_seconds) { is_in_seconds = row_.text(column_++) == "s"; }
  void required(std::string& text) { (*this)(text); }
  void best(std::optional<PointSchedule>& schedule) { schedule = columns(); }
  void other(PointSchedule& schedule, const std::optional<PointSchedule>& best) {
    schedule = one_of(best).value_or(PointSchedule());
  }
  void scan(PointFigures& figures) {
    std::optional<PointSchedule> scan = one_of(figures.best);
    if (scan) (scan->is_feasible ? figures.scan : figures.refused_scan) = std::move(scan);
  }

 private:
  std::optional<PointSchedule> one_of(const std::optional<PointSchedule>& best) {
    const bool is_best = row_.integer(column_++) != 0;
    std::optional<PointSchedule> schedule = columns();
    return is_best ? best : schedule;
  }
  /// A schedule is there when the column that says whether it is feasible is.
  std::optional<PointSchedule> columns() {
    if (row_.is_null(column_)) {
      column_ += static_cast<int>(kScheduleColumns.size());
      return std::nullopt;
    }
    PointSchedule schedule;
    visit_schedule(*this, schedule);
    return schedule;
  }

  const Statement& row_;
  int column_ = 0;
};

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
  const std::string columns = all_columns();
  std::string values = "?, ?";  // of the key and of the column before the first comma
  for (const char c : columns) values += c == ',' ? ", ?" : "";
  return fmt::format("INSERT OR IGNORE INTO point_results (key, {}) VALUES ({})", columns, values);
}

std::string select_point_sql() { return fmt::format("SELECT {} FROM point_results WHERE key = ?", all_columns()); }

const char* select_briefs_sql() {
  return "SELECT m.position, m.status, r.best_schedule, r.best_score, "
         "IIF(r.plain_is_best, r.best_score, r.plain_score), "
         "CASE WHEN r.scan_is_best THEN r.best_score WHEN r.scan_feasible THEN r.scan_score END, "
         "r.best_peak_live_bytes, IIF(r.plain_is_best, r.best_peak_live_bytes, r.plain_peak_live_bytes), "
         "IIF(r.scan_is_best, r.best_peak_live_bytes, r.scan_peak_live_bytes), r.bppsa_bytes, r.pipeline_bytes, "
         "r.memory_limit, m.key, r.exact FROM study_members m LEFT JOIN point_results r ON r.key = m.key WHERE "
         "m.study_id = ? "
         "ORDER BY m.position";
}

void bind_point(Statement& insert, const PointRecord& record) {
  insert.reset();
  insert.bind_at(1, Statement::Blob{record.key});
  Binder binder(insert);
  visit_point(binder, record);
}

PointRecord read_point(const Statement& row, const ContentKey& key) {
  PointRecord record;
  record.key = key;
  Reader reader(row);
  visit_point(reader, record);
  return record;
}

PointBrief read_brief(const Statement& row) {
  int column = 3;
  PointBrief brief;
  brief.status = status_named(row.text(1));
  brief.score = row.number_or_nan(column++);
  brief.plain_score = row.number_or_nan(column++);
  brief.scan_score = row.number_or_nan(column++);
  brief.best_bytes = row.number_or_nan(column++);
  brief.plain_bytes = row.number_or_nan(column++);
  brief.scan_bytes = row.number_or_nan(column++);
  brief.bppsa_bytes = row.number_or_nan(column++);
  brief.pipeline_bytes = row.number_or_nan(column++);
  brief.memory_limit = row.number_or_nan(column++);
  return brief;
}

std::optional<ContentKey> read_key(const Statement& row, int column) {
  const std::span<const std::uint8_t> bytes = row.bytes(column);
  ContentKey key{};
  if (bytes.size() != key.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

std::optional<ContentKey> read_member_key(const Statement& row) { return read_key(row, 12); }

bool read_has_expectations(const Statement& row) { return !row.is_null(13) && row.integer(13) == 0; }

std::string read_schedule_name(const Statement& row) { return row.text(2); }

}  // namespace upsweep
