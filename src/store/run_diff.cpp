#include "upsweep/store/run_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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
  std::stable_sort(diff.rows.begin(), diff.rows.end(),
                   [](const DiffRow& a, const DiffRow& b) { return a.kind < b.kind; });
  return diff;
}

}  // namespace upsweep
