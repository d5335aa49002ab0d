#include "upsweep/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trace_events.hpp"
#include "traced_run.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/document/value.hpp"

namespace upsweep {
namespace {

constexpr unsigned kDecimals = 3;  // readers count in nanoseconds
constexpr std::uint64_t kTicks = 1000;
constexpr std::uint64_t kLevelTrack = 1;
constexpr std::uint64_t kFirstWorkerTrack = 2;
constexpr std::size_t kMostOfAName = 80;
constexpr const char* kLiveBytes = "live bytes";
constexpr const char* kBytes = "bytes";
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
  /// Whether every time has whole ticks.
  [[nodiscard]] bool is_exact() const { return kTicks % divisor_ == 0; }
  /// Ticks of a time in FLOPs, summed over the inputs; to the nearest, which keeps order and nesting.
  [[nodiscard]] std::uint64_t ticks(std::uint64_t time) const {
    return time / divisor_ * kTicks + (time % divisor_ * kTicks + divisor_ / 2) / divisor_;
  }

 private:
  std::uint64_t flops_ = 1;
  std::uint64_t divisor_;
};

/// When a level runs, from barrier to barrier; in ticks.
struct LevelSpan {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

/// Writes the parts of the trace of a run.
class RunTrace {
 public:
  explicit RunTrace(const RunDetails& details)
      : details_(details),
        run_(traced_run(details)),
        scale_(run_.replayed.inputs, makespan()),
        writer_(kDecimals, other_data()),
        track_of_(run_.start.size()) {
    for (const TimelineEntry& entry : entries())
      track_of_[entry.id] = kFirstWorkerTrack + static_cast<std::uint64_t>(entry.worker);
  }

  [[nodiscard]] std::string text() && {
    writer_.reserve(360 * details_.ops.size() + 1000);
    write_names();
    if (run_.is_by_level()) write_levels();
    write_ops();
    if (has_arrows()) write_arrows();
    write_counters();
    return std::move(writer_).finish();
  }

 private:
  [[nodiscard]] const std::vector<TimelineEntry>& entries() const { return run_.replayed.timeline.entries; }
  [[nodiscard]] std::uint64_t makespan() const { return run_.replayed.timeline.makespan; }
  [[nodiscard]] std::uint64_t begin_of(std::size_t op) const { return scale_.ticks(run_.start[op]); }
  [[nodiscard]] std::uint64_t end_of(std::size_t op) const { return scale_.ticks(run_.end[op]); }
  [[nodiscard]] bool has_arrows() const { return details_.ops.size() <= kMostFlowOps; }
  [[nodiscard]] bool takes_time(std::size_t op) const { return end_of(op) > begin_of(op); }

  void write_names();
  void write_levels();
  void write_ops();
  void write_arrows();
  void write_counters();
  void write_live_bytes_by_level();
  void write_live_bytes_by_time();
  [[nodiscard]] std::vector<LevelSpan> level_spans() const;
  [[nodiscard]] std::string args_of(const StoredOp& op) const;
  [[nodiscard]] Json notes() const;
  [[nodiscard]] Json other_data() const;

  const RunDetails& details_;
  TracedRun run_;
  TraceScale scale_;
  TraceWriter writer_;
  std::vector<std::uint64_t> track_of_;  // by op
};

void RunTrace::write_names() {
  const StoredRun& run = details_.run;
  writer_.name_process(fmt::format("{}: {}, {} execution on {} worker{}", short_text(run.model, kMostOfAName),
                                   short_text(run.schedule, kMostOfAName), to_string(run_.replayed.execution),
                                   run.workers, run.workers == 1 ? "" : "s"));
  if (run_.is_by_level()) writer_.name_track(kLevelTrack, "levels");
  std::size_t workers = 0;  // those that do anything: a worker starts only when all before it have
  for (const TimelineEntry& entry : entries()) workers = std::max(workers, entry.worker + 1);
  for (std::size_t worker = 0; worker < workers; ++worker)
    writer_.name_track(kFirstWorkerTrack + worker, fmt::format("worker {}", worker));
}

/// One without ops that run lies where the one before it ends.
std::vector<LevelSpan> RunTrace::level_spans() const {
  std::vector<LevelSpan> spans(run_.schedule().levels, LevelSpan{~std::uint64_t{0}, 0});
  for (std::size_t id = 0; id < run_.start.size(); ++id) {
    if (!run_.runs(id)) continue;
    LevelSpan& span = spans[run_.schedule().combines[id].level];
    span.from = std::min(span.from, begin_of(id));
    span.to = std::max(span.to, end_of(id));
  }
  for (std::size_t level = 0; level < spans.size(); ++level) {
    if (spans[level].from > spans[level].to) spans[level].from = spans[level].to = level == 0 ? 0 : spans[level - 1].to;
  }
  return spans;
}

void RunTrace::write_levels() {
  const std::vector<LevelSpan> spans = level_spans();
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
  std::string args = fmt::format(
      R"({{"op":{},"level":{},"left":{},"right":{},"target":{},"m":{},"k":{},"n":{},"nnz":{},"flops":{},"dead":{},"on_longest_chain":{})",
      op.id, op.level, op.left, op.right, op.target, op.m, op.k, op.n, trace_number(op.nnz), trace_number(op.flops),
      op.is_dead, static_cast<bool>(run_.is_on_chain[op.id]));
  if (!scale_.is_exact()) {
    const std::uint64_t inputs = run_.replayed.inputs;
    fmt::format_to(std::back_inserter(args), R"(,"start_flops":{},"end_flops":{})",
                   Value::mean(run_.start[op.id], inputs).exact(), Value::mean(run_.end[op.id], inputs).exact());
  }
  return args + '}';
}

void RunTrace::write_ops() {
  for (const TimelineEntry& entry : entries()) {
    const StoredOp& op = details_.ops[entry.id];
    writer_.event({track_of_[entry.id], begin_of(entry.id)}, end_of(entry.id) - begin_of(entry.id),
                  to_string(run_.schedule().combines[entry.id].phase),
                  fmt::format("op {} {}", entry.id, op.is_mv ? "mv" : "mm"), args_of(op));
  }
}

/// From the last tick of the producer to the first of the consumer: at its end another event may have begun, to which
/// readers would tie the arrow.
void RunTrace::write_arrows() {
  const Schedule& schedule = run_.schedule();
  for (std::size_t id = 0; id < run_.start.size(); ++id) {
    for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
      if (operand < schedule.length) continue;
      const std::size_t producer = operand - schedule.length;
      if (!takes_time(producer) || !takes_time(id)) continue;
      writer_.arrow({track_of_[producer], end_of(producer) - 1}, {track_of_[id], begin_of(id)});
    }
  }
}

void RunTrace::write_counters() {
  const Schedule& schedule = run_.schedule();
  std::vector<LevelSpan> spans;
  if (run_.is_by_level()) spans = level_spans();
  std::vector<CounterStep> busy;
  std::vector<CounterStep> ready;
  busy.reserve(2 * entries().size());
  ready.reserve(2 * entries().size());
  for (const TimelineEntry& entry : entries()) {
    const std::size_t id = entry.id;
    const Combine& combine = schedule.combines[id];
    busy.push_back({begin_of(id), 1});
    busy.push_back({end_of(id), -1});
    std::uint64_t ready_at = spans.empty() ? 0 : spans[combine.level].from;
    for (const ValueId operand : {combine.earlier, combine.later})
      if (operand >= schedule.length) ready_at = std::max(ready_at, end_of(operand - schedule.length));
    ready.push_back({ready_at, 1});
    ready.push_back({begin_of(id), -1});
  }
  writer_.counter("busy workers", "workers", std::move(busy));
  writer_.counter("ready ops", "ops", std::move(ready));
  if (run_.is_by_level()) {
    write_live_bytes_by_level();
  } else {
    write_live_bytes_by_time();
  }
}

/// Level by level, also where a level takes no time; at the end what remains.
void RunTrace::write_live_bytes_by_level() {
  const std::vector<std::uint64_t> live = live_bytes_by_level(run_);
  const std::vector<LevelSpan> spans = level_spans();
  const std::uint64_t inputs = run_.replayed.inputs;
  for (std::size_t level = 0; level < live.size(); ++level)
    writer_.counter(kLiveBytes, kBytes, spans[level].from, Value::mean(live[level], inputs).exact());
  writer_.counter(kLiveBytes, kBytes, scale_.ticks(makespan()), Value::mean(remaining_bytes(run_), inputs).exact());
}

void RunTrace::write_live_bytes_by_time() {
  std::vector<CounterStep> steps;
  const std::vector<Lifetime> lives = lifetimes(run_);
  for (std::size_t value = 0; value < lives.size(); ++value) {
    const auto bytes = static_cast<std::int64_t>(run_.bytes[value]);
    steps.push_back({scale_.ticks(lives[value].from), bytes});
    if (!lives[value].stays) steps.push_back({scale_.ticks(lives[value].to), -bytes});
  }
  writer_.counter(kLiveBytes, kBytes, std::move(steps), run_.replayed.inputs);
}

Json RunTrace::notes() const {
  const bool is_level = run_.is_by_level();
  Json notes = Json::array();
  notes.push_back(fmt::format("Simulated, not measured: the cost of an op is its FLOPs, dead ops are {}.",
                              run_.replayed.runs_all_ops() ? "executed" : "left out as in the search"));
  notes.push_back(
      fmt::format("on_longest_chain: without a gap from the end of the run to its start, each op starts when one ends "
                  "that it waits for: an operand, the op before it on its worker{}.",
                  is_level ? ", or the last of the level before" : ""));
  notes.push_back(is_level ? "live bytes: by level; the most are the peak of the ops that run."
                           : "live bytes: by time; the run's peak_live_bytes is by level and may differ.");
  notes.push_back(is_level ? "ready ops: of the level that runs, waiting for a worker."
                           : "ready ops: those whose operands are there, waiting for a worker.");
  if (!scale_.is_exact())
    notes.push_back("Times are rounded to thousandths of a microsecond; start_flops and end_flops of an op are not.");
  if (!has_arrows()) notes.push_back(fmt::format("No arrows: more than {} ops.", kMostFlowOps));
  if (has_arrows()) notes.push_back("Arrows: from an op to those that read its result; none at ops that take no time.");
  return notes;
}

Json RunTrace::other_data() const {
  const StoredRun& run = details_.run;
  return {{"tool", "upsweep"},
          {"tool_version", run.tool_version},
          {"run", run.id},
          {"created_utc", run.created_utc},
          {"model", run.model},
          {"pattern", run.pattern},
          {"inputs", run.inputs},
          {"schedule", run.schedule},
          {"execution", to_string(run_.replayed.execution)},
          {"workers", run.workers},
          {"ops", run.ops},
          {"ops_run", entries().size()},
          {"microsecond", fmt::format("{} FLOP{}", scale_.flops(), scale_.flops() == 1 ? "" : "s")},
          {"makespan_flops", Value::mean(makespan(), run_.replayed.inputs).json()},
          {"peak_live_bytes", run.peak_live_bytes},
          {"notes", notes()}};
}

}  // namespace

std::string trace_json(const RunDetails& run) {
  if (run.ops.empty()) throw std::invalid_argument("it has no ops");
  return RunTrace(run).text();
}

}  // namespace upsweep
