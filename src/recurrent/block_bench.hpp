#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rate_bench.hpp"
#include "sample_groups.hpp"
#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep {

/// Measures blocked passes, in blocks that give all workers the same to do.
template <class T>
class BlockBench {
 public:
  /// Calls of RateTimer::time() in measure().
  static constexpr std::size_t kTimings = 3;

  /// Refers to `bench`.
  explicit BlockBench(RateBench<T>& bench) : bench_(bench), batch_(bench.shape().batch), workers_(bench.workers()) {}

  [[nodiscard]] std::size_t samples_per_item() const { return bench_.on_processor() ? kSamplesPerGroup : 1; }

  /// Steps that measure() needs at least.
  [[nodiscard]] std::uint64_t fewest_steps() const {
    // So that a block is mostly products, and blocks that differ by a step take about as long.
    constexpr std::uint64_t kStepsPerBlock = 16;
    return kStepsPerBlock * std::max(vector_blocks(), matrix_blocks());
  }

  /// Sets the costs near or far by passes over `of`. Throws like make_backward_pass().
  void measure(BlockRates& rates, RateOperands<T>& of, bool stored, bool far) {
    const bool swept = far && bench_.on_processor() && !stored;
    measure_vectors(rates, of, stored, far, swept);
    measure_starts(rates, stored, far, swept);
    const BackwardMethod method = blocked(matrix_blocks(), stored);
    const std::vector<std::size_t> times = block_times(of.states.steps, method.blocks);
    const std::size_t reduced = reduced_blocks(times);
    const Both<double> all = products_of(bench_.time_pass(method, of, swept), times, cost_at(rates.vector_step, far));
    const Both<double> start = cost_at(rates.product_start, far);
    const auto starts = static_cast<double>(reduced * batch_);
    set_cost(rates.matrix_step, far, {all.alone - starts * start.alone, all.together - starts * start.together}, 0,
             (times[1] - times[1 + reduced] - reduced) * batch_);
  }

 private:
  /// The fewest blocks of `items` each that a processor's workers can share evenly.
  [[nodiscard]] std::size_t even_blocks(std::size_t items) const {
    return bench_.on_processor() ? workers_ / std::gcd(workers_, items) : workers_;
  }

  /// Items of vectors in each block.
  [[nodiscard]] std::size_t vector_items() const { return (batch_ + samples_per_item() - 1) / samples_per_item(); }
  /// All but the first count.
  [[nodiscard]] std::size_t vector_blocks() const { return even_blocks(vector_items()) + 1; }
  /// All but the first and the last count.
  [[nodiscard]] std::size_t matrix_blocks() const { return even_blocks(batch_) + 2; }

  void measure_vectors(BlockRates& rates, RateOperands<T>& of, bool stored, bool far, bool swept) {
    const BackwardMethod method = blocked(vector_blocks(), stored);
    const std::vector<std::size_t> times = block_times(of.states.steps, method.blocks);
    const Both<ScanTimes> pass = bench_.time_pass(method, of, swept);
    // The middle takes a step of every block but the first and the last.
    set_cost(rates.vector_step, far, {pass.alone.down, pass.together.down}, 0,
             (times[1] - reduced_blocks(times)) * vector_items());
  }

  /// Blocks of one step each, whose products are its Jacobian.
  void measure_starts(BlockRates& rates, bool stored, bool far, bool swept) {
    constexpr std::uint64_t kMostTimedBlocks = 4096;
    const std::uint64_t even = matrix_blocks() - 2;
    const std::uint64_t wanted = bench_.steps_for(far && !swept ? kFarShare : kNearShare, bench_.jacobian_bytes(), 0);
    const std::uint64_t steps = std::max<std::uint64_t>(1, std::min(wanted, kMostTimedBlocks) / even) * even + 2;
    RateOperands<T> of = bench_.operands(steps);
    const BackwardMethod method = blocked(steps, stored);
    const std::vector<std::size_t> times = block_times(steps, method.blocks);
    const Both<ScanTimes> pass = bench_.time_pass(method, of, swept);
    set_cost(rates.product_start, far, products_of(pass, times, cost_at(rates.vector_step, far)), 0,
             reduced_blocks(times) * batch_);
  }

  /// Seconds of an up phase without those of the first block's vectors, which come first.
  [[nodiscard]] Both<double> products_of(const Both<ScanTimes>& pass, const std::vector<std::size_t>& times,
                                         const Both<double>& vector_step) const {
    const auto first = static_cast<double>(times[0] - times[1]);
    const auto items = static_cast<double>(vector_items());
    const auto workers = static_cast<double>(workers_);
    const double item = first * workers * vector_step.together;
    const double products = static_cast<double>(reduced_blocks(times) * batch_) / workers;  // of each worker
    // Vectors that are done before any product hold up the worker that takes them; while longer ones last, the others
    // take its products.
    const double late = (pass.together.up - std::ceil(items / workers) * item) / products;
    const double even = (pass.together.up - items * item / workers) / products;
    return {pass.alone.up - first * items * vector_step.alone, products * std::max(late, std::min(even, item))};
  }

  RateBench<T>& bench_;
  std::size_t batch_;
  std::size_t workers_;
};

}  // namespace upsweep
