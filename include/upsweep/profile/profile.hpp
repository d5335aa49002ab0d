#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

// Every count below is a sum over `inputs` inputs (1 for the guaranteed pattern), so that means stay exact: divide by
// `inputs` to show one. Shapes are those of one input.

/// What one combine costs: the product of its later operand (m × k) and its earlier operand (k × n).
struct OpProfile {
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  bool is_mv = false;           ///< the earlier operand derives from a[0]: a matrix times a dense vector
  bool dead = false;            ///< no result depends on it
  std::uint64_t left_nnz = 0;   ///< entries of the earlier operand
  std::uint64_t right_nnz = 0;  ///< entries of the later operand
  std::uint64_t nnz = 0;        ///< entries of the result
  std::uint64_t products = 0;   ///< matched pairs of entries
  std::uint64_t flops = 0;
  std::uint64_t span = 0;         ///< product_span()
  std::uint64_t bytes = 0;        ///< of the result
  std::uint64_t left_bytes = 0;   ///< of the earlier operand
  std::uint64_t right_bytes = 0;  ///< of the later operand
  ProductSteps steps;             ///< the work as a plan executes it
  bool is_exact = true;           ///< whether all of them are counted, none estimated from samples of rows
};

/// The product of a transposed Jacobian with a dense gradient. Throws CountOverflow.
[[nodiscard]] OpProfile vector_product(const VectorCounts& jacobian, unsigned value_bytes);

/// Adds the counts of the same combine at another input, whose shapes are the same. Throws CountOverflow.
void add_to(OpProfile& sum, const OpProfile& op);

/// The combines of one level.
struct LevelProfile {
  Phase phase = Phase::up;
  std::uint64_t ops = 0;
  std::uint64_t flops_sum = 0;
  std::uint64_t flops_max = 0;
  std::uint64_t span_max = 0;
};

/// A schedule over a chain, counted.
struct ScheduleProfile {
  Schedule schedule;
  std::uint64_t inputs = 1;
  std::vector<OpProfile> ops;              ///< by combine id
  std::vector<LevelProfile> levels;        ///< by level
  std::vector<std::uint64_t> value_bytes;  ///< by value: array elements, then results of combines
  /// Where counts are estimates: the same without one of the kSampleGroups groups of sampled rows each, from which
  /// follow their intervals (estimate.hpp); else empty.
  std::vector<ScheduleProfile> without = {};

  /// FLOPs of every combine, by id.
  [[nodiscard]] std::vector<std::uint64_t> flops() const;
};

/// The levels of a profile whose schedule and ops are there; length schedule.levels. Throws CountOverflow.
[[nodiscard]] std::vector<LevelProfile> level_profiles(const ScheduleProfile& profile);

/// Hands out the chain at input `i`.
using ChainSource = std::function<JacobianChain(std::size_t i)>;

/// Called with each chain once, before its products are counted.
using ChainObserver = std::function<void(const JacobianChain& chain)>;

/// Groups of rows that estimates are made from: each is a sample of its own.
inline constexpr std::size_t kSampleGroups = 32;

/// Estimates of what takes too much to be counted.
struct EstimateSettings {
  double share = 0.02;                        ///< of its FLOPs that half the interval of a schedule may be wide
  std::uint64_t pairs = WorkMeter::kNoLimit;  ///< steps that the samples of one chain may take
  std::uint64_t seed = 1;                     ///< of the rows that are drawn
};

/// What counting may take, and who is told of it.
struct CountLimits {
  /// Steps of multiply() that the products of one schedule may take, those that it shares with others included.
  std::uint64_t pairs = WorkMeter::kNoLimit;
  /// At a concrete input products are formed where they fit into memory and a schedule's take no more steps than this,
  /// a few seconds' worth, for each input; else rows are counted one by one. 0: these at once.
  std::uint64_t formed_pairs = std::uint64_t{1} << 33;
  const std::atomic<bool>* stop = nullptr;  ///< true: throw Interrupted
  /// Before each of the products of a chain.
  std::function<void(std::size_t product, std::size_t products)> progress = {};
  /// Where given, schedules that take more than `pairs` or memory are estimated instead: ScheduleProfile::without.
  /// Those of which not even that can be done are still left out.
  std::optional<EstimateSettings> estimate = {};
};

/// A schedule whose counting took too much.
struct UncountedSchedule {
  /// FLOPs and spans of the combines whose operands are known, 0 of the others: lower bounds, as what adds them up is.
  /// Its shapes and other counts are 0 or as far as they came, and mean nothing.
  ScheduleProfile least;
  ValueRange refused;       ///< what the product covers that was not formed, of the scan array
  bool is_memory = false;   ///< whether it needs too much memory, else too many steps
  std::uint64_t pairs = 0;  ///< steps that counting would take up to there, about
  std::uint64_t bytes = 0;  ///< where it is memory: that patterns would take, about
};

/// Schedules, counted as far as limits let it be; both in the order in which they were given.
struct CountedSchedules {
  std::vector<ScheduleProfile> profiles;
  std::vector<UncountedSchedule> uncounted;
};

/// profile_schedules() within limits, also that of memory (MemoryCeiling): they end a schedule, not the others.
[[nodiscard]] CountedSchedules count_schedules(std::vector<Schedule> schedules, std::size_t inputs,
                                               const ChainSource& chain_at, unsigned value_bytes,
                                               const CountLimits& limits, const ChainObserver& observe = {});

/// Counts every combine of every schedule, and adds up over the inputs.
///
/// Each schedule has the length of the chains. A product that several combines or schedules share is computed once; the
/// structure of a product is kept only while a later product needs it. `value_bytes` is 4 or 8. Throws
/// std::invalid_argument when lengths or shapes do not fit, CountOverflow when a count exceeds 64 bits, OutOfRoom
/// without the memory for a product.
///
/// Where a product has at most one entry per row though some of its factors have more (random chains now and then,
/// networks do not), it depends on the order of its products which of its rows share their storage. It is formed in one
/// order for all schedules, so that `steps` may differ from those of a schedule's own order in how rows form teams: of
/// what follows from these, predicted seconds alone depend on it.
/// Cost: that of multiply() for every distinct product.
[[nodiscard]] std::vector<ScheduleProfile> profile_schedules(std::vector<Schedule> schedules, std::size_t inputs,
                                                             const ChainSource& chain_at, unsigned value_bytes,
                                                             const ChainObserver& observe = {});

/// The same for one chain.
[[nodiscard]] std::vector<ScheduleProfile> profile_schedules(std::vector<Schedule> schedules,
                                                             const JacobianChain& chain, unsigned value_bytes);

}  // namespace upsweep
