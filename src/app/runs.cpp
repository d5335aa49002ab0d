#include "upsweep/app/runs.hpp"

#include <fmt/format.h>

#include <utility>

#include "upsweep/base/error.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

InputError no_such(const char* what, const std::string& db, std::int64_t id) {
  return InputError(fmt::format("{}: there is no {} {}, accepted is an id that 'upsweep runs' lists", db, what, id));
}

template <class Request>
void require_one(const Request& request) {
  if (request.run.has_value() == request.study.has_value())
    throw RequestError("", "accepted is either ID of a run or `study` N");
}

/// A run of any kind.
ShowRunOutcome show_run(const std::string& db, std::int64_t id) {
  RunStore store(db, RunStore::Open::existing);
  if (auto run = store.show(id)) return {ShownRun{std::move(*run), store.levels(id), store.measurements(id)}};
  if (auto run = store.show_training(id))
    return {ShownTraining{std::move(*run), store.training_figures(id), store.training_summary(id)}};
  if (auto run = store.show_passes(id))
    return {ShownPasses{std::move(*run), store.passes(id), store.pass_summary(id), store.losses(id)}};
  throw no_such("run", db, id);
}

}  // namespace

ListRunsOutcome run(const ListRunsRequest& request, const Caller&, const Watch&) {
  RunStore store(request.db, RunStore::Open::existing);
  return {store.list(), store.studies()};
}

ShowRunOutcome run(const ShowRunRequest& request, const Caller&, const Watch&) {
  require_one(request);
  if (request.run) return show_run(request.db, *request.run);
  std::optional<StoredStudy> study = StoreReader(request.db).study(*request.study);
  if (!study) throw no_such("study", request.db, *request.study);
  return {std::move(*study)};
}

DeleteRunOutcome run(const DeleteRunRequest& request, const Caller&, const Watch& watch) {
  require_one(request);
  const char* what = request.run ? "run" : "study";
  const std::int64_t id = request.run ? *request.run : *request.study;
  const bool is_gone =
      request.run ? RunStore(request.db, RunStore::Open::existing).remove(id) : remove_study(request.db, id);
  if (!is_gone) throw no_such(what, request.db, id);
  watch.say(fmt::format("deleted {} {} from {}", what, id, request.db));
  return {};
}

DiffRunsOutcome run(const DiffRunsRequest& request, const Caller&, const Watch&) {
  return {diff_runs(request.db, request.before, request.after)};
}

}  // namespace upsweep
