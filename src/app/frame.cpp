#include "upsweep/app/frame.hpp"

#include <fmt/format.h>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"

namespace upsweep {

void check_frame(const FrameRequest& frame) {
  if (frame.workers == 0U) throw RequestError("workers", "is 0, accepted is an integer of at least 1");
  if (frame.batch && (*frame.batch < 1 || *frame.batch > FrameRequest::kMostBatch)) {
    throw RequestError(
        "batch", fmt::format("is '{}', accepted is an integer from 1 to {}", *frame.batch, FrameRequest::kMostBatch));
  }
  if (frame.execution == Execution::dag && frame.batch.value_or(1) > 1) {
    throw RequestError("batch",
                       fmt::format("is {} and `execution` is dag, which has one input: accepted is a batch of 1, or "
                                   "level",
                                   *frame.batch));
  }
  if (frame.setup_s && !(*frame.setup_s >= 0)) {
    throw RequestError("setup", fmt::format("is '{}', accepted is a number of seconds of at least 0", *frame.setup_s));
  }
  if (frame.setup_s && !frame.machine)
    throw RequestError("setup", "is paid back by seconds that a scan saves, accepted is with `machine`");
  check_launch(frame.launch, frame.machine.has_value());
  if (frame.library && !frame.machine)
    throw RequestError("library", "is whose published rates a gpu has, accepted is with `machine`");
  if (frame.launch == LaunchMode::fused && frame.execution == Execution::dag) {
    throw RequestError("launch",
                       "is fused, a kernel for each level, accepted with `execution` dag are graph and eager");
  }
}

void require_one_input(const FrameRequest& frame, const std::optional<std::string>& db) {
  if (!db || frame.batch.value_or(1) == 1) return;
  throw RequestError("db", fmt::format("with a `batch` of {}, accepted is without: a database keeps runs of one input, "
                                       "batches are kept by 'upsweep study'",
                                       *frame.batch));
}

std::string pricer_of(const Machine* machine) { return has_whole_ops(machine) ? "pram" : "roofline"; }

SearchOptions options_of(const FrameRequest& frame, const Machine* machine, unsigned value_bytes) {
  SearchOptions options;
  options.batch = frame.batch.value_or(1);
  options.execution = frame.execution.value_or(default_execution(machine, options.batch));
  options.workers = frame.workers;
  options.machine = machine;
  options.value_bytes = value_bytes;
  options.setup_s = frame.setup_s;
  if (machine != nullptr && machine->memory_bytes > 0) options.memory_limit = machine->memory_bytes;
  return options;
}

}  // namespace upsweep
