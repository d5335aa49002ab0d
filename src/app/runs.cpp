#include "upsweep/app/runs.hpp"

#include <fmt/format.h>

#include <utility>

#include "upsweep/base/error.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

InputError no_such(const char* what, const std::string& db, std::int64_t id) {
  return InputError(fmt::format("{}: there is no {} {}, accepted is an id that 'upsweep runs' lists", db, what, id));
}

template <class Request>
void require_one(const Request& request) {
  if (request.run.has_value() == request.study.has_value()) {
    throw RequestError("", fmt::format("{} given, accepted is either ID of a run or `study` N",
                                       request.run ? "both a run and a study are" : "no run and no study is"));
  }
}

}  // namespace

ListRunsOutcome run(const ListRunsRequest& request, const Caller&, const Watch&) {
  const StoreReader store(request.db);
  return {store.run_list(), store.study_list()};
}

ShowRunOutcome run(const ShowRunRequest& request, const Caller&, const Watch&) {
  require_one(request);
  const StoreReader store(request.db);
  if (request.run) {
    std::optional<RunTables> run = store.run_tables(*request.run);
    if (!run) throw no_such("run", request.db, *request.run);
    return {std::move(*run)};
  }
  std::optional<StoredStudy> study = store.study(*request.study);
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
  return {diff_runs(StoreReader(request.db), request.before, request.after)};
}

}  // namespace upsweep
