#include "upsweep/app/trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "outputs.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/stored_figures.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/report/replayed_run.hpp"
#include "upsweep/report/stored_title.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/trace/trace.hpp"

namespace upsweep {
namespace {

/// What else there is of a run without a trace: "upsweep plot passes, losses --run 3 draws them".
std::string other_ways(const StoreReader& store, std::int64_t id) {
  const std::vector<std::string> kinds = kinds_of_run(store, id);
  if (kinds.empty()) return fmt::format("'upsweep runs show {}' shows what is stored of it", id);
  return fmt::format("'upsweep plot {} --run {}' draws what it has", fmt::join(kinds, "|"), id);
}

InputError without_trace(const StoreReader& store, std::int64_t id, const std::string& title, const std::string& why) {
  return InputError(fmt::format("{}: {} {}, accepted is a run with ops or tasks; {}", store.file(), title, why,
                                other_ways(store, id)));
}

std::string trace_of(const StoreReader& store, const RunDetails& details) {
  const StoredRun& run = details.run;
  if (details.ops.empty()) {
    throw without_trace(store, run.id, stored_title(run),
                        fmt::format("has no ops: a scan over {} elements has nothing to combine", run.length));
  }
  try {
    return trace_json(details);
  } catch (const std::invalid_argument& error) {
    throw unfit_run(store.file(), run, error.what());
  }
}

std::string trace_of(const StoreReader& store, const StoredTraining& training) {
  if (training.record.tasks.empty()) {
    throw without_trace(store, training.id, stored_title(training),
                        fmt::format("is of kind {}, which has figures but no tasks", training.record.kind));
  }
  try {
    return trace_json(training);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {} has {}, accepted is a run as upsweep stored it", store.file(),
                                 stored_title(training), error.what()));
  }
}

/// Why there is no trace of a run of passes.
InputError without_trace(const StoreReader& store, const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  return without_trace(store, passes.id, stored_title(passes),
                       record.command == "train" ? "has losses and times of whole passes, not ops"
                                                 : "has counts and times by phase, not ops");
}

/// The trace of a run, of whichever kind it is.
std::string trace_of(const StoreReader& store, std::int64_t id) {
  if (const std::optional<RunDetails> details = store.details(id)) return trace_of(store, *details);
  if (const std::optional<StoredTraining> training = store.training(id)) return trace_of(store, *training);
  if (const std::optional<StoredPasses> passes = store.passes(id)) throw without_trace(store, *passes);
  if (const std::optional<StoredAnchors> anchors = store.anchors(id))
    throw without_trace(store, id, stored_title(*anchors), "has published times, not ops");
  throw InputError(
      fmt::format("{}: there is no run {}, accepted is an id that 'upsweep runs' lists", store.file(), id));
}

}  // namespace

TraceOutcome run(const TraceRequest& request, const Caller&, const Watch& watch) {
  check_ending(request.out, ".json");
  check_output({"out", request.out, kTraceMark}, {{"db", request.db}}, request.force);
  watch.show("simulating");
  const std::string json = trace_of(StoreReader(request.db), request.run);
  write_text_file(request.out, json);
  watch.show("");
  return {json.size()};
}

}  // namespace upsweep
