#include "upsweep/recurrent/predict_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "phase_time.hpp"
#include "rate_operands.hpp"
#include "two_kinds.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep {
namespace {

/// Equal pieces of work, each of which takes one worker.
struct Items {
  double count = 0;
  double units = 0;  ///< of each
  UnitCost cost;

  [[nodiscard]] double all() const { return count * units; }
};

/// One unit of `first` and `count` of `second`.
UnitCost sum(const UnitCost& first, double count, const UnitCost& second) {
  const auto of = [count](const UnitSeconds& a, const UnitSeconds& b) {
    return UnitSeconds{a.near_s + count * b.near_s, a.far_s + count * b.far_s};
  };
  return {of(first.alone, second.alone), of(first.together, second.together)};
}

class PassModel {
 public:
  PassModel(const PassRates& rates, const PassShape& shape, std::size_t workers)
      : rates_(rates),
        steps_(static_cast<double>(shape.steps)),
        batch_(static_cast<double>(shape.batch)),
        workers_(static_cast<double>(workers)),
        on_device_((rates.blocks && rates.blocks->on_device) || (rates.stored && rates.stored->on_device)),
        sequence_bytes_(steps_ *
                        static_cast<double>(sequence_bytes_per_step(rates.cell, rates.batch, rates.value_bytes))),
        jacobian_bytes_(static_cast<double>(jacobian_bytes_per_step(rates.cell, rates.batch, rates.value_bytes))) {}

  /// A step after the other; `cost` is that of all samples, which no more workers than rates_.workers share.
  [[nodiscard]] PhaseTime steps(double count, const UnitCost& cost, double bytes, double start) const {
    const double far = far_share(bytes);
    const double seconds = count * wall(cost, far);
    PhaseTime time;
    time.latency = start;
    (is_slowed(seconds, count * wall(cost, 0)) ? time.memory : time.arithmetic) = seconds;
    return time;
  }
  [[nodiscard]] PhaseTime sequence(const UnitCost& cost, double start) const {
    return steps(steps_, cost, sequence_bytes_, start);
  }

  /// Write the times of the phases.
  void add_levels(std::uint32_t depth, PassPrediction& result) const;
  void add_blocks(const BlockOptions& options, PassPrediction& result) const;

 private:
  /// 0: all of it is in the cache when it is used again after `bytes`; 1: none.
  [[nodiscard]] double far_share(double bytes) const {
    if (rates_.cache_bytes == 0) return 1;
    return std::clamp(std::log2(2 * bytes / static_cast<double>(rates_.cache_bytes)), 0.0, 1.0);
  }

  /// Memory that is slower than arithmetic by less is in the noise of clocks.
  [[nodiscard]] static bool is_slowed(double seconds, double in_cache) { return seconds > 1.1 * in_cache; }

  /// Seconds per unit while all workers are at work.
  [[nodiscard]] double together(double alone, double all, bool scales) const {
    all = std::min(all, alone);
    const auto measured = static_cast<double>(rates_.workers);
    if (workers_ > measured) return scales ? all * measured / workers_ : all;
    if (workers_ == measured) return all;
    const double share = (workers_ - 1) / (measured - 1);
    return 1 / ((1 - share) / alone + share / all);
  }

  /// In the cache; what was slower there than far out of it was disturbed.
  [[nodiscard]] static double near(const UnitSeconds& seconds) { return std::min(seconds.near_s, seconds.far_s); }
  [[nodiscard]] static double mixed(const UnitSeconds& seconds, double far) {
    return near(seconds) + far * (seconds.far_s - near(seconds));
  }
  [[nodiscard]] double together(const UnitCost& cost, double far, bool scales_near) const {
    return mixed({together(near(cost.alone), near(cost.together), scales_near),
                  together(cost.alone.far_s, cost.together.far_s, false)},
                 far);
  }

  /// Seconds per step of all samples.
  [[nodiscard]] double wall(const UnitCost& cost, double far) const {
    return std::min(mixed(cost.alone, far), together(cost, far, false));
  }

  /// Two kinds of items, the first ones first, without the time to hand them out.
  [[nodiscard]] double seconds(const Items& first, const Items& second, double far) const {
    const double one_first = first.units * mixed(first.cost.alone, far);
    const double one_second = second.units * mixed(second.cost.alone, far);
    const double busiest = on_device_
                               ? std::max(first.count > 0 ? one_first : 0, second.count > 0 ? one_second : 0)
                               : makespan_of_two_kinds(first.count, one_first, second.count, one_second, workers_);
    return std::max(busiest,
                    first.all() * together(first.cost, far, true) + second.all() * together(second.cost, far, true));
  }

  /// The same with it: by all workers, or by one where that is faster and the scan may choose.
  [[nodiscard]] PhaseTime items(const Items& first, const Items& second, double bytes, bool may_choose) const {
    const double far = far_share(bytes);
    const double one = first.all() * mixed(first.cost.alone, far) + second.all() * mixed(second.cost.alone, far);
    const double all = seconds(first, second, far);
    PhaseTime time;
    if (first.count + second.count == 0) return time;
    const bool alone = workers_ == 1 || (may_choose && one <= all + rates_.dispatch_s);
    if (!alone) time.latency = rates_.dispatch_s;
    const double in_cache = alone ? first.all() * near(first.cost.alone) + second.all() * near(second.cost.alone)
                                  : seconds(first, second, 0);
    const double taken = alone ? one : all;
    (is_slowed(taken, in_cache) ? time.memory : time.arithmetic) = taken;
    return time;
  }

  [[nodiscard]] PhaseTime level(const HomogeneousLevel& level) const;
  [[nodiscard]] PhaseTime jacobians(double steps) const {
    return items({steps * batch_, 1, rates_.levels->jacobian}, {}, steps_ * jacobian_bytes_, true);
  }

  const PassRates& rates_;
  double steps_;
  double batch_;
  double workers_;
  bool on_device_;
  double sequence_bytes_;  // that a pass without stored Jacobians comes back to
  double jacobian_bytes_;  // of a step
};

PhaseTime PassModel::level(const HomogeneousLevel& level) const {
  double products = 0;
  double vectors = 0;
  for (const OpRun& run : level.runs) {
    if (!run.dead) (run.is_mv ? vectors : products) += static_cast<double>(run.count);
  }
  if (products + vectors == 0) return {};
  // The level before has gone over twice as many matrices as this one, which takes two for each of its combines.
  const double bytes = std::min(steps_, 4 * (products + vectors)) * jacobian_bytes_;
  PhaseTime time = items({products * batch_, 1, rates_.levels->product},
                         {vectors * batch_, 1, rates_.levels->vector_product}, bytes, true);
  time.latency += rates_.levels->level_latency_s;
  return time;
}

void PassModel::add_levels(std::uint32_t depth, PassPrediction& result) const {
  const LevelRates& levels = *rates_.levels;
  const HomogeneousProfile profile = profile_homogeneous(
      fused_chain(rates_.cell.hidden, static_cast<std::uint64_t>(steps_)), depth, rates_.value_bytes);
  ScanPhases phases;
  phases.jacobians = jacobians(steps_ - 1);
  for (const LevelRun& run : profile.runs) {
    const Phase phase = run.cycle.front().profile.phase;
    if (phase == Phase::middle) {
      assert(run.cycle.front().dead_ops == 0 && "the fold ends in a result");
      const auto count = static_cast<double>(run.levels);
      const double bytes = std::min(steps_, 2 * count) * jacobian_bytes_;
      add_to(phases.middle, steps(count, levels.fold_step, bytes, levels.level_latency_s));
      continue;
    }
    for (const HomogeneousLevel& each : run.cycle) add_to(phase == Phase::up ? phases.up : phases.down, level(each));
  }
  // The exclusive scan ends at g_1.
  phases.down.arithmetic += rates_.sequential_step.alone.near_s;
  phases.write(result);
}

void PassModel::add_blocks(const BlockOptions& options, PassPrediction& result) const {
  const BlockRates& rates = options.store_jacobians ? *rates_.stored : *rates_.blocks;
  const std::vector<std::size_t> times = block_times(static_cast<std::size_t>(steps_), options);
  const auto blocks = static_cast<double>(times.size() - 1);
  const double reduced = std::max(0.0, blocks - 2);
  const double groups = std::ceil(batch_ / static_cast<double>(rates.samples_per_item));
  const auto after_first = static_cast<double>(times[1]);
  const double inner = after_first - static_cast<double>(reduced > 0 ? times[times.size() - 2] : times[1]);
  const double bytes = options.store_jacobians ? steps_ * jacobian_bytes_ : sequence_bytes_;
  ScanPhases phases;
  if (options.store_jacobians) phases.jacobians = jacobians(steps_);
  Items matrices;
  if (reduced > 0) {
    matrices = {reduced * batch_, 1, sum(rates.product_start, inner / reduced - 1, rates.matrix_step)};
  }
  phases.up = items({groups, steps_ - after_first, rates.vector_step}, matrices, bytes, false);
  if (reduced > 0) {
    const UnitCost& fold = rates_.levels ? rates_.levels->fold_step : rates_.sequential_step;
    phases.middle = steps(reduced, fold, reduced * jacobian_bytes_, 0);
  }
  if (blocks > 1) {
    phases.down =
        items({groups * (blocks - 1), (after_first - reduced) / (blocks - 1), rates.vector_step}, {}, bytes, false);
  }
  phases.write(result);
}

/// Of the kind of pass, whatever the cell and the batch.
bool knows(const PassRates& rates, const BackwardMethod& method, bool is_fused) {
  if (method.kind == BackwardKind::sequential) return true;
  if (!is_fused) return false;
  if (method.kind == BackwardKind::levels) return rates.levels.has_value();
  return method.blocks.store_jacobians ? rates.stored && rates.levels : rates.blocks.has_value();
}

bool are_of(const PassRates& rates, const PassShape& shape) {
  return shape.cell == rates.cell && shape.batch == rates.batch;
}

void require_fitting(const PassRates& rates, const BackwardMethod& method, const PassShape& shape,
                     std::size_t workers) {
  if (workers == 0 || shape.steps == 0) {
    throw std::invalid_argument(
        fmt::format("a pass over {} steps with {} workers, accepted is 1 or more", shape.steps, workers));
  }
  if (!are_of(rates, shape)) {
    throw std::invalid_argument(
        fmt::format("a pass of {} samples of a {} with {} hidden elements, accepted are those of the rates: {} of a {} "
                    "with {}",
                    shape.batch, to_string(shape.cell.kind), shape.cell.hidden, rates.batch, to_string(rates.cell.kind),
                    rates.cell.hidden));
  }
  if (knows(rates, method, shape.is_fused)) return;
  throw std::invalid_argument(fmt::format("rates of {} know nothing of {}{}", rates.backend, to_string(method),
                                          shape.is_fused ? "" : " with unfused steps"));
}

}  // namespace

std::string to_string(TimeBound bound) {
  switch (bound) {
    case TimeBound::nothing:
      return "nothing";
    case TimeBound::arithmetic:
      return "arithmetic";
    case TimeBound::memory:
      return "memory";
    case TimeBound::latency:
      return "latency";
  }
  throw std::logic_error("unknown bound of a time");
}

bool has_rates(const PassRates& rates, const BackwardMethod& method, const PassShape& shape) {
  return are_of(rates, shape) && knows(rates, method, shape.is_fused);
}

PassPrediction predict_pass(const PassRates& rates, const BackwardMethod& method, const PassShape& shape,
                            std::size_t workers) {
  require_fitting(rates, method, shape, workers);
  const PassModel model(rates, shape, workers);
  PassPrediction result;
  switch (method.kind) {
    case BackwardKind::sequential: {
      const PhaseTime time = model.sequence(rates.sequential_step, rates.sequential_start_s);
      result.times.down = time.total();
      result.bounds.down = time.bound();
      break;
    }
    case BackwardKind::levels:
      model.add_levels(method.depth, result);
      break;
    case BackwardKind::blocked:
      model.add_blocks(method.blocks, result);
      break;
  }
  result.total_s = result.times.total();
  result.forward_s = model.sequence(rates.forward_step, 0).total();
  result.parameters_s = model.sequence(rates.parameter_step, rates.parameter_start_s).total();
  return result;
}

}  // namespace upsweep
