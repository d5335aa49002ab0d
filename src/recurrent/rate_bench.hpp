#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rate_operands.hpp"
#include "rate_timer.hpp"
#include "upsweep/recurrent/pass_rates.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

namespace upsweep {

// Working sets by the size of the cache: those that stay in it, those that other data displaces before every run, and
// those that displace themselves.
inline constexpr double kNearShare = 0.125;
inline constexpr double kSweptShare = 0.5;
inline constexpr double kFarShare = 2.5;

/// Seconds per unit of `units` that took `seconds`, of which `start` does not depend on how many there are.
template <class Units>
void set_cost(UnitCost& cost, bool far, const Both<double>& seconds, double start, Units units) {
  // Where the clock did not move, or a start was slower than a whole pass: no cost is 0.
  constexpr double kLeast = 1e-12;
  const auto each = [&](double all) { return std::max(kLeast, all - start) / static_cast<double>(units); };
  (far ? cost.alone.far_s : cost.alone.near_s) = each(seconds.alone);
  (far ? cost.together.far_s : cost.together.near_s) = each(seconds.together);
}

/// What was set.
[[nodiscard]] inline Both<double> cost_at(const UnitCost& cost, bool far) {
  return {far ? cost.alone.far_s : cost.alone.near_s, far ? cost.together.far_s : cost.together.near_s};
}

[[nodiscard]] inline BackwardMethod levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }
[[nodiscard]] inline BackwardMethod blocked(std::size_t blocks, bool stored) {
  return {BackwardKind::blocked, 0, {blocks, 1, stored}};
}

/// A cell, a batch and a backend, and times of their passes over sequences of any length.
template <class T>
class RateBench {
 public:
  RateBench(const RecurrentBackend& backend, const PassShape& shape, std::size_t workers, const RateOptions& options)
      : backend_(backend),
        shape_(shape),
        workers_(workers),
        on_processor_(backend.facts().is_processor),
        known_cache_(options.cache_bytes > 0 ? options.cache_bytes : backend.facts().cache_bytes),
        cache_(known_cache_ > 0 ? known_cache_ : kUsualCache),
        timer_(options, workers, on_processor_, cache_) {}

  [[nodiscard]] const PassShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t workers() const { return workers_; }
  [[nodiscard]] bool on_processor() const { return on_processor_; }
  [[nodiscard]] std::size_t multiprocessors() const { return backend_.facts().team_room.multiprocessors; }
  /// 0: not known.
  [[nodiscard]] std::uint64_t known_cache_bytes() const { return known_cache_; }
  [[nodiscard]] RateTimer& timer() { return timer_; }
  /// Of the sequences so far.
  [[nodiscard]] std::size_t longest_steps() const { return longest_steps_; }

  [[nodiscard]] bool has(const BackwardMethod& method) const {
    return unsupported_pass(backend_, method, shape_).empty();
  }

  /// Of the cell and batch.
  [[nodiscard]] RateOperands<T> operands(std::uint64_t steps) {
    longest_steps_ = std::max<std::size_t>(longest_steps_, steps);
    return rate_operands<T>(shape_.cell, steps, shape_.batch, kSeed);
  }

  /// Of one sample of one hidden element: next to nothing.
  [[nodiscard]] RateOperands<T> tiny_operands(std::uint64_t steps) const {
    return rate_operands<T>({shape_.cell.kind, shape_.cell.nonlinearity, 1, 1, 1}, steps, 1, kSeed);
  }

  /// Phases of a pass. Throws like make_backward_pass().
  [[nodiscard]] Both<ScanTimes> time_pass(const BackwardMethod& method, RateOperands<T>& of, bool swept) {
    const PassShape shape{of.states.shape, of.states.steps, of.states.batch, shape_.is_fused};
    const auto pass = make_backward_pass<T>(backend_, method, shape);
    pass->load(of.weights, of.states, of.last, of.gradients);
    return timer_.time(swept, [&] { return pass->run(); });
  }

  /// Steps that make a working set of `share` of the cache, at least `fewest`.
  [[nodiscard]] std::uint64_t steps_for(double share, std::uint64_t bytes_per_step, std::uint64_t fewest) const {
    constexpr double kMostSteps = 1 << 19;
    const double steps = share * static_cast<double>(cache_) / static_cast<double>(bytes_per_step);
    return std::max(fewest, static_cast<std::uint64_t>(std::min(steps, kMostSteps)));
  }

  /// Of a step.
  [[nodiscard]] std::uint64_t jacobian_bytes() const {
    return jacobian_bytes_per_step(shape_.cell, shape_.batch, sizeof(T));
  }

  /// Whether Jacobians of that many steps lie far out of the cache.
  [[nodiscard]] bool is_far(std::uint64_t steps) const {
    return static_cast<double>(steps) * static_cast<double>(jacobian_bytes()) > kFarShare * static_cast<double>(cache_);
  }

  static constexpr std::uint64_t kSeed = 20200301;

 private:
  // Where the size of the cache is not known.
  static constexpr std::uint64_t kUsualCache = std::uint64_t{32} << 20;

  const RecurrentBackend& backend_;
  PassShape shape_;
  std::size_t workers_;
  bool on_processor_;
  std::uint64_t known_cache_;
  std::uint64_t cache_;
  RateTimer timer_;
  std::size_t longest_steps_ = 0;
};

}  // namespace upsweep
