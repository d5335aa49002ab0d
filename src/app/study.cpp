#include "upsweep/app/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>

#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/temporary_folder.hpp"
#include "upsweep/base/unfinished_path.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/grid/grid.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostRows = 200'000;  // of the store that an outcome holds in memory

void check_jobs(const StudyRequest& request) {
  if (!request.jobs) return;
  if (*request.jobs < 1 || *request.jobs > StudyRequest::kMostJobs) {
    throw RequestError(
        "jobs", fmt::format("is '{}', accepted is an integer from 1 to {}", *request.jobs, StudyRequest::kMostJobs));
  }
  if (request.place.ranks > 1)
    throw RequestError("jobs", "with several ranks, which have one thread each, accepted is without");
}

/// A database in a temporary folder, for a request without `db`; both go with this object. InputError where no folder
/// can be made.
class TemporaryStore {
 public:
  /// Path of the database, which is not there yet.
  [[nodiscard]] std::string file() const { return (std::filesystem::path(folder_.path()) / "points.sqlite").string(); }

 private:
  TemporaryFolder folder_{"another TMPDIR or `db` FILE"};
  UnfinishedDatabase unfinished_{file()};
};

/// Where a study is kept while it runs: `db`, a temporary database, or nowhere.
struct Keeper {
  std::unique_ptr<TemporaryStore> temporary;
  std::unique_ptr<StudyLock> lock;
  std::unique_ptr<StudyStore> store;
};

Keeper open_keeper(const StudyRequest& request, const StudyFile& study) {
  Keeper keeper;
  if (request.db) {
    keeper.lock = std::make_unique<StudyLock>(*request.db, study.content_hash);
    keeper.store = std::make_unique<StudyStore>(*request.db);
  } else if (request.wants_points && grid_of(study.spec.axes).points() <= kMostRows) {
    keeper.temporary = std::make_unique<TemporaryStore>();
    keeper.store = std::make_unique<StudyStore>(keeper.temporary->file());
  }
  return keeper;
}

/// What the store has beyond the result; nothing where that is too much to hold, which it says.
std::optional<QueryResult> rows_of(const StudyRequest& request, const Keeper& keeper, const StudyResult& result,
                                   const Watch& watch) {
  if (!request.wants_points) return std::nullopt;
  if (result.points.size() <= kMostRows) return keeper.store->reader().study_points(result.id);
  watch.say(fmt::format("{} points are too many to give all that is known of each; the view study_points of {} has it",
                        result.points.size(), request.db.value_or("the database of `db` FILE")));
  return std::nullopt;
}

/// Throws InputError where what is kept of every point does not fit into memory.
void require_points_memory(const StudyFile& study) {
  const std::uint64_t points = grid_of(study.spec.axes).points();
  const double needed = static_cast<double>(points) * sizeof(PointBrief);
  const auto there = static_cast<double>(available_memory());
  if (needed <= there) return;
  throw InputError(
      fmt::format("{}: its grid has {} points, of which {} are kept while it runs, this machine has {} "
                  "left, accepted are fewer values on its axes",
                  study.file, points, short_bytes(needed), short_bytes(there)));
}

std::optional<std::string> nothing_valid(const StudyFile& study, const StudyResult& result) {
  const bool is_nothing_valid = std::all_of(result.points.begin(), result.points.end(), [](const PointBrief& brief) {
    return brief.status == PointStatus::invalid || brief.status == PointStatus::excluded;
  });
  if (!is_nothing_valid || result.reasons.empty()) return std::nullopt;
  return fmt::format("{}: no point is valid; the first that is not, {}, because: {}", study.file,
                     result.invalid.front(), result.reasons.front());
}

}  // namespace

Document document(const StudyOutcome& outcome) {
  Document document = upsweep::document(outcome.report());
  if (!outcome.verdict.sentences.empty()) document.say("\n");
  add_verdict(document, outcome.verdict);
  return document;
}

StudyOutcome run(const StudyRequest& request, const Caller& caller, const Watch& watch) {
  check_jobs(request);
  StudyOutcome outcome{load_study(request.file)};
  require_points_memory(outcome.study);
  StudyOptions options;
  options.jobs = request.jobs.value_or(1);
  options.tool_version = caller.tool_version;
  options.stop = watch.stop;
  if (request.place.rank != 0) {
    try {
      static_cast<void>(run_study_mpi(request.place, outcome.study, nullptr, options));
    } catch (const std::exception&) {
      // Rank 0 throws too, and says what this one failed of.
    }
    return outcome;
  }
  const Keeper keeper = open_keeper(request, outcome.study);
  options.parameters = arguments_json(caller);
  options.progress = [&](const StudyProgress& progress) {
    if (watch.progress) watch.progress(progress_text(progress));
  };
  outcome.result = run_study_mpi(request.place, outcome.study, keeper.store.get(), options);
  if (watch.progress) watch.progress("");
  std::optional<Machine> machine;
  if (outcome.study.machine) machine = load_machine(*outcome.study.machine);
  outcome.verdict = study_verdict(outcome.result.answers, outcome.study.spec, outcome.result.is_in_seconds,
                                  machine ? &*machine : nullptr);
  if (keeper.store && outcome.result.id != 0) keeper.store->save_verdict(outcome.result.id, kept(outcome.verdict));
  outcome.points = rows_of(request, keeper, outcome.result, watch);
  outcome.nothing_valid = nothing_valid(outcome.study, outcome.result);
  return outcome;
}

}  // namespace upsweep
