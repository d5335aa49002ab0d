#include "upsweep/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "trace_events.hpp"
#include "traced_run.hpp"

namespace upsweep {
namespace {

constexpr unsigned kDecimals = 3;  // readers count in nanoseconds
constexpr std::uint64_t kTicks = 1000;
constexpr std::uint64_t kLevelTrack = 1;
constexpr std::uint64_t kFirstWorkerTrack = 2;
/// The most microseconds of a trace: nanoseconds are 64-bit integers to readers.
constexpr std::uint64_t kMostMicroseconds = 9'200'000'000'000'000;

/// What a microsecond of the trace is.
class TraceScale {
 public:
  TraceScale(std::uint64_t inputs, std::uint64_t makespan) : divisor_(inputs) {
    while (makespan / divisor_ > kMostMicroseconds) {
      flops_ *= 1000;
      divisor_ *= 1000;
    }
  }

  [[nodiscard]] std::uint64_t flops() const { return flops_; }
  /// Ticks of a time in FLOPs, summed over the inputs; rounded down, so that order and nesting stay.
  [[nodiscard]] std::uint64_t ticks(std::uint64_t time) const {
    return time / divisor_ * kTicks + time % divisor_ * kTicks / divisor_;
  }

 private:
  std::uint64_t flops_ = 1;
  std::uint64_t divisor_;
};

/// Writes the parts of the trace of a run.
class RunTrace {
 public:
  explicit RunTrace(const RunDetails& details)
      : details_(details),
        run_(traced_run(details)),
        scale_(run_.inputs, run_.timeline.makespan),
        writer_(kDecimals, other_data()),
        track_of_(run_.start.size()) {
    for (const TimelineEntry& entry : run_.timeline.entries)
      track_of_[entry.id] = kFirstWorkerTrack + static_cast<std::uint64_t>(entry.worker);
  }

  [[nodiscard]] std::string text() && {
    writer_.reserve(360 * details_.ops.size() + 1000);
    write_names();
    if (run_.execution == Execution::level) write_levels();
    write_ops();
    if (has_arrows()) write_arrows();
    write_counters();
    return std::move(writer_).finish();
  }

 private:
  [[nodiscard]] std::uint64_t begin_of(std::size_t op) const { return scale_.ticks(run_.start[op]); }
  [[nodiscard]] std::uint64_t end_of(std::size_t op) const { return scale_.ticks(run_.end[op]); }
  [[nodiscard]] bool has_arrows() const { return details_.ops.size() <= kMostFlowOps; }
  [[nodiscard]] bool takes_time(std::size_t op) const { return end_of(op) > begin_of(op); }

  void write_names();
  void write_levels();
  void write_ops();
  void write_arrows();
  void write_counters();
  void write_live_bytes();
  [[nodiscard]] std::vector<Lifetime> level_spans() const;
  [[nodiscard]] std::string args_of(const StoredOp& op) const;
  [[nodiscard]] Json other_data() const;

  const RunDetails& details_;
  TracedRun run_;
  TraceScale scale_;
  TraceWriter writer_;
  std::vector<std::uint64_t> track_of_;  // by op
};

void RunTrace::write_names() {
  const StoredRun& run = details_.run;
  writer_.name_process(fmt::format("{}: {}, {} execution on {} worker{}", run.model, run.schedule,
                                   to_string(run_.execution), run.workers, run.workers == 1 ? "" : "s"));
  if (run_.execution == Execution::level) writer_.name_track(kLevelTrack, "levels");
  std::vector<std::uint64_t> tracks = track_of_;
  std::sort(tracks.begin(), tracks.end());
  tracks.erase(std::unique(tracks.begin(), tracks.end()), tracks.end());
  for (const std::uint64_t track : tracks)
    writer_.name_track(track, fmt::format("worker {}", track - kFirstWorkerTrack));
}

/// When each level runs, from barrier to barrier; in ticks.
std::vector<Lifetime> RunTrace::level_spans() const {
  std::vector<Lifetime> spans(run_.schedule.levels, Lifetime{~std::uint64_t{0}, 0});
  for (std::size_t id = 0; id < run_.start.size(); ++id) {
    Lifetime& span = spans[run_.schedule.combines[id].level];
    span.from = std::min(span.from, begin_of(id));
    span.to = std::max(span.to, end_of(id));
  }
  return spans;
}

void RunTrace::write_levels() {
  const std::vector<Lifetime> spans = level_spans();
  for (std::size_t level = 0; level < spans.size(); ++level) {
    std::string args = fmt::format(R"({{"level":{})", level);
    if (level < details_.levels.size()) {
      const StoredLevel& stored = details_.levels[level];
      fmt::format_to(std::back_inserter(args), R"(,"phase":{},"ops":{},"flops_sum":{},"flops_max":{})",
                     json_string(stored.phase), stored.ops, trace_number(stored.flops_sum),
                     trace_number(stored.flops_max));
    }
    args += '}';
    writer_.event({kLevelTrack, spans[level].from}, spans[level].to - spans[level].from, "level",
                  fmt::format("level {}", level), args);
  }
}

std::string RunTrace::args_of(const StoredOp& op) const {
  return fmt::format(
      R"({{"op":{},"level":{},"left":{},"right":{},"target":{},"m":{},"k":{},"n":{},"nnz":{},"flops":{},"dead":{},"critical":{}}})",
      op.id, op.level, op.left, op.right, op.target, op.m, op.k, op.n, trace_number(op.nnz), trace_number(op.flops),
      op.is_dead, static_cast<bool>(run_.is_critical[op.id]));
}

void RunTrace::write_ops() {
  for (const TimelineEntry& entry : run_.timeline.entries) {
    const StoredOp& op = details_.ops[entry.id];
    writer_.event({track_of_[entry.id], begin_of(entry.id)}, end_of(entry.id) - begin_of(entry.id),
                  to_string(run_.schedule.combines[entry.id].phase),
                  fmt::format("op {} {}", entry.id, op.is_mv ? "mv" : "mm"), args_of(op));
  }
}

/// From the last tick of the producer to the first of the consumer: at its end another event may have begun, to which
/// readers would tie the arrow.
void RunTrace::write_arrows() {
  for (std::size_t id = 0; id < run_.start.size(); ++id) {
    for (const ValueId operand : {run_.schedule.combines[id].earlier, run_.schedule.combines[id].later}) {
      if (operand < run_.schedule.length) continue;
      const std::size_t producer = operand - run_.schedule.length;
      if (!takes_time(producer) || !takes_time(id)) continue;
      writer_.arrow({track_of_[producer], end_of(producer) - 1}, {track_of_[id], begin_of(id)});
    }
  }
}

void RunTrace::write_counters() {
  const std::size_t ops = run_.start.size();
  std::vector<Lifetime> spans;
  if (run_.execution == Execution::level) spans = level_spans();
  std::vector<CounterStep> busy;
  std::vector<CounterStep> ready;
  busy.reserve(2 * ops);
  ready.reserve(2 * ops);
  for (std::size_t id = 0; id < ops; ++id) {
    const Combine& combine = run_.schedule.combines[id];
    busy.push_back({begin_of(id), 1});
    busy.push_back({end_of(id), -1});
    std::uint64_t ready_at = spans.empty() ? 0 : spans[combine.level].from;
    for (const ValueId operand : {combine.earlier, combine.later})
      if (operand >= run_.schedule.length) ready_at = std::max(ready_at, end_of(operand - run_.schedule.length));
    ready.push_back({ready_at, 1});
    ready.push_back({begin_of(id), -1});
  }
  writer_.counter("busy workers", "workers", std::move(busy));
  writer_.counter("ready ops", "ops", std::move(ready));
  write_live_bytes();
}

void RunTrace::write_live_bytes() {
  constexpr const char* kName = "live bytes";
  if (run_.start.empty()) {
    writer_.counter(kName, "bytes", 0, trace_number(details_.run.peak_live_bytes));
    return;
  }
  if (run_.execution == Execution::level) {
    // Level by level, also where a level takes no time.
    const std::vector<std::uint64_t> live = live_bytes_by_level(run_);
    const std::vector<Lifetime> spans = level_spans();
    for (std::size_t level = 0; level < live.size(); ++level)
      writer_.counter(kName, "bytes", spans[level].from, exact_mean(live[level], run_.inputs));
    return;
  }
  std::vector<CounterStep> steps;
  const std::vector<Lifetime> lives = lifetimes(run_);
  for (std::size_t value = 0; value < lives.size(); ++value) {
    const auto bytes = static_cast<std::int64_t>(run_.bytes[value]);
    steps.push_back({scale_.ticks(lives[value].from), bytes});
    if (lives[value].to < run_.timeline.makespan) steps.push_back({scale_.ticks(lives[value].to), -bytes});
  }
  writer_.counter(kName, "bytes", std::move(steps), run_.inputs);
}

Json RunTrace::other_data() const {
  const StoredRun& run = details_.run;
  const bool is_level = run_.execution == Execution::level;
  Json notes = Json::array();
  notes.push_back("Simulated, not measured: the cost of an op is its FLOPs, dead ops are executed.");
  notes.push_back(is_level ? "critical: the most expensive op of its level, the first of equal ones."
                           : "critical: on a longest path through the dependencies.");
  notes.push_back(is_level ? "live bytes: by level; the most are the run's peak_live_bytes."
                           : "live bytes: by time; the run's peak_live_bytes is by level and may differ.");
  notes.push_back(is_level ? "ready ops: of the level that runs, waiting for a worker."
                           : "ready ops: those whose operands are there, waiting for a worker.");
  if (!has_arrows()) notes.push_back(fmt::format("No arrows: more than {} ops.", kMostFlowOps));
  if (has_arrows()) notes.push_back("Arrows: from an op to those that read its result; none at ops that take no time.");
  return {{"tool", "upsweep"},
          {"tool_version", run.tool_version},
          {"run", run.id},
          {"created_utc", run.created_utc},
          {"model", run.model},
          {"pattern", run.pattern},
          {"inputs", run.inputs},
          {"schedule", run.schedule},
          {"execution", to_string(run_.execution)},
          {"workers", run.workers},
          {"ops", run.ops},
          {"microsecond", fmt::format("{} FLOP{}", scale_.flops(), scale_.flops() == 1 ? "" : "s")},
          {"makespan_flops", json_mean(run_.timeline.makespan, run_.inputs)},
          {"peak_live_bytes", run.peak_live_bytes},
          {"notes", std::move(notes)}};
}

}  // namespace

std::string trace_json(const RunDetails& run) { return RunTrace(run).text(); }

}  // namespace upsweep
