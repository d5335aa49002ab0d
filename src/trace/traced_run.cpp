#include "traced_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kNoLevel = ~std::size_t{0};

/// Bytes of a number: 4 or 8, from what the result of a matrix-vector product takes.
std::uint64_t value_bytes_of(const std::vector<StoredOp>& ops) {
  for (const StoredOp& op : ops) {
    if (!op.is_mv || op.m == 0) continue;
    const double bytes = op.bytes / static_cast<double>(op.m);
    if (bytes == 4 || bytes == 8) return static_cast<std::uint64_t>(bytes);
    throw std::invalid_argument(fmt::format("op {} makes {} numbers in {} bytes", op.id, op.m, op.bytes));
  }
  throw std::invalid_argument("no op makes a vector");
}

/// Bytes of every value: those of results are stored, those of operands follow from their entries.
std::vector<std::uint64_t> bytes_of_values(const ReplayedRun& run, const std::vector<StoredOp>& ops) {
  std::vector<std::uint64_t> bytes(run.schedule.values(), 0);
  if (ops.empty()) return bytes;
  const std::uint64_t value_bytes = value_bytes_of(ops);
  const auto matrix = [&](std::uint64_t rows, double nnz, std::size_t op) {
    const std::uint64_t pointer = nnz > 0x1p31 - 1 ? 8 : 4;
    return checked_add(checked_mul(value_bytes + 4, stored_sum(nnz, run.inputs, "entries", op)),
                       checked_mul(checked_mul(pointer, checked_add(rows, 1)), run.inputs));
  };
  for (std::size_t id = 0; id < ops.size(); ++id) {
    const StoredOp& op = ops[id];
    const Combine& combine = run.schedule.combines[id];
    bytes[run.schedule.value_of(id)] = stored_sum(op.bytes, run.inputs, "bytes", id);
    if (combine.earlier == 0) {
      bytes[0] = checked_mul(checked_mul(value_bytes, op.k), run.inputs);
    } else if (combine.earlier < run.schedule.length) {
      bytes[combine.earlier] = matrix(op.k, op.left_nnz, id);
    }
    if (combine.later < run.schedule.length) bytes[combine.later] = matrix(op.m, op.right_nnz, id);
  }
  std::uint64_t all = 0;  // no sum of some of them is larger
  for (const std::uint64_t of_value : bytes) add_to(all, of_value);
  return bytes;
}

}  // namespace

TracedRun traced_run(const RunDetails& details) {
  TracedRun run;
  run.replayed = replayed_run(details);
  try {
    run.bytes = bytes_of_values(run.replayed, details.ops);
  } catch (const CountOverflow& error) {
    throw std::invalid_argument(error.what());
  }
  run.start.resize(details.ops.size());
  run.end.resize(details.ops.size());
  for (const TimelineEntry& entry : run.replayed.timeline.entries) {
    run.start[entry.id] = entry.start;
    run.end[entry.id] = entry.end;
  }
  run.is_on_chain.assign(details.ops.size(), false);
  for (const std::size_t id : longest_chain(run.replayed)) run.is_on_chain[id] = true;
  return run;
}

std::vector<std::uint64_t> live_bytes_by_level(const TracedRun& run) {
  const Schedule& schedule = run.schedule();
  if (schedule.levels == 0) return {};
  std::vector<std::size_t> first(schedule.values(), 0);
  std::vector<std::size_t> last(schedule.values(), kNoLevel);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (!run.runs(id)) continue;
    const Combine& combine = schedule.combines[id];
    const ValueId result = schedule.value_of(id);
    first[result] = combine.level;
    for (const ValueId value : {result, combine.earlier, combine.later}) last[value] = combine.level;
  }
  for (const ValueId result : schedule.results)
    if (result != kIdentity) last[result] = schedule.levels - 1;
  std::vector<std::uint64_t> comes(schedule.levels + 1, 0);
  std::vector<std::uint64_t> goes(schedule.levels + 1, 0);
  for (std::size_t value = 0; value < schedule.values(); ++value) {
    if (last[value] == kNoLevel) continue;
    comes[first[value]] += run.bytes[value];
    goes[last[value] + 1] += run.bytes[value];
  }
  std::vector<std::uint64_t> live(schedule.levels, 0);
  std::uint64_t now = 0;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    now += comes[level] - goes[level];
    live[level] = now;
  }
  return live;
}

std::uint64_t remaining_bytes(const TracedRun& run) {
  std::uint64_t bytes = 0;
  for (const ValueId result : run.schedule().results)
    if (result != kIdentity) bytes += run.bytes[result];
  return bytes;
}

std::vector<Lifetime> lifetimes(const TracedRun& run) {
  const Schedule& schedule = run.schedule();
  std::vector<Lifetime> lives(schedule.values());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (!run.runs(id)) continue;
    lives[schedule.value_of(id)] = {run.start[id], run.end[id], false};
    for (const ValueId value : {schedule.combines[id].earlier, schedule.combines[id].later})
      lives[value].to = std::max(lives[value].to, run.end[id]);
  }
  for (const ValueId result : schedule.results)
    if (result != kIdentity) lives[result].stays = true;
  return lives;
}

}  // namespace upsweep
