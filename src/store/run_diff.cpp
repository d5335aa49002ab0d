#include "upsweep/store/run_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "diff_rows.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

const char* kind_text(RunKind kind) {
  switch (kind) {
    case RunKind::schedule:
      return "a run of a schedule";
    case RunKind::training:
      return "a simulated training step";
    case RunKind::anchors:
      return "published times beside predictions";
    case RunKind::passes:
      break;
  }
  return "a run of backward passes";
}

/// Times of a training step, which are in seconds or in the unit of its file.
constexpr std::array<std::string_view, 18> kStepTimes = {"backward_end",
                                                         "best_makespan",
                                                         "busy",
                                                         "estimate",
                                                         "forward_end",
                                                         "forward_start",
                                                         "gradients_end",
                                                         "idle",
                                                         "main_end",
                                                         "makespan",
                                                         "memory_from",
                                                         "optimum_lower_bound",
                                                         "optimum_makespan",
                                                         "optimum_nonpreemptive",
                                                         "period_lower_bound",
                                                         "stage_time",
                                                         "sub_end",
                                                         "sync_end"};

/// What the unit of a run's figures is, where their names do not tell.
class FigureUnits {
 public:
  explicit FigureUnits(const ComparedRun& run) : kind_(run.kind) {
    const QueryResult& columns = run.columns.front().second;
    if (kind_ == RunKind::schedule) is_in_seconds_ = scored_prediction(columns, 0).has_value();
    if (kind_ != RunKind::training) return;
    const auto unit = std::ranges::find(columns.columns, "unit") - columns.columns.begin();
    is_in_seconds_ = columns.rows.front().at(static_cast<std::size_t>(unit)) == Cell("s");
    is_in_bytes_ = std::ranges::any_of(run.rows.front().rows, [](const std::vector<Cell>& row) {
      const auto* name = std::get_if<std::string>(row.data());
      return name != nullptr && figure_of(*name) == "memory_bytes";
    });
  }

  /// As DiffRow::before_as.
  [[nodiscard]] std::string column(const std::string& name) const {
    const std::string_view figure = figure_of(name);
    if (kind_ == RunKind::schedule && (name == "score" || name == "score_low" || name == "score_high"))
      return is_in_seconds_ ? "score_s" : "score_flops";
    if (kind_ != RunKind::training) return "";
    if (is_in_bytes_ && figure == "memory_most") return "memory_bytes";
    return is_in_seconds_ && std::ranges::find(kStepTimes, figure) != kStepTimes.end() ? "makespan_s" : "";
  }

 private:
  /// "busy" of "gpipe: busy[3]".
  static std::string_view figure_of(std::string_view name) {
    if (const std::size_t colon = name.rfind(": "); colon != std::string_view::npos) name.remove_prefix(colon + 2);
    return name.substr(0, name.find('['));
  }

  RunKind kind_;
  bool is_in_seconds_ = false;
  bool is_in_bytes_ = false;
};

/// Cells whose unit the two runs do not share have no ratio.
void add_units(const ComparedRun& before, const ComparedRun& after, std::vector<DiffRow>& rows) {
  const FigureUnits mine(before);
  const FigureUnits others(after);
  for (DiffRow& row : rows) {
    row.before_as = mine.column(row.name);
    row.after_as = others.column(row.name);
    if (row.before_as != row.after_as) row.ratio = 0;
  }
}

/// Throws InputError where there is no such run.
ComparedRun run_of(const StoreReader& store, std::int64_t id) {
  std::optional<ComparedRun> run = store.compared_run(id);
  if (run) return std::move(*run);
  throw InputError(fmt::format("{}: no run {}, accepted are the ids that `upsweep runs list` shows", store.file(), id));
}

}  // namespace

bool RunDiff::has(DiffRow::Kind kind) const {
  return std::any_of(rows.begin(), rows.end(), [kind](const DiffRow& row) { return row.kind == kind; });
}

RunDiff diff_runs(const StoreReader& store, std::int64_t before, std::int64_t after) {
  const ComparedRun mine = run_of(store, before);
  const ComparedRun others = run_of(store, after);
  if (mine.kind != others.kind) {
    throw InputError(fmt::format("{}: run {} is {} and run {} is {}, accepted are two runs of one kind", store.file(),
                                 before, kind_text(mine.kind), after, kind_text(others.kind)));
  }
  RunDiff diff{before, after, {}};
  for (std::size_t i = 0; i < mine.columns.size(); ++i)
    compare_columns(mine.columns[i].first, mine.columns[i].second, others.columns[i].second, diff.rows);
  for (std::size_t i = 0; i < mine.rows.size(); ++i) compare_named(mine.rows[i], others.rows[i], diff.rows);
  add_units(mine, others, diff.rows);
  std::stable_sort(diff.rows.begin(), diff.rows.end(),
                   [](const DiffRow& a, const DiffRow& b) { return a.kind < b.kind; });
  return diff;
}

}  // namespace upsweep
