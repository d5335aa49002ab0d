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

/// Measures blocked passes, in blocks that give all workers the same to do; on a device in few blocks, and in as many
/// as fill it.
template <class T>
class BlockBench {
 public:
  /// Refers to `bench`.
  explicit BlockBench(RateBench<T>& bench)
      : bench_(bench),
        batch_(bench.shape().batch),
        workers_(bench.workers()),
        device_items_(
            bench.on_processor() ? 0 : kItemsOfMultiprocessor * std::max<std::size_t>(1, bench.multiprocessors())) {}

  /// Calls of RateTimer::time() in measure().
  [[nodiscard]] std::size_t timings() const { return bench_.on_processor() ? 3 : 6; }
  [[nodiscard]] std::size_t samples_per_item() const { return bench_.on_processor() ? kSamplesPerGroup : 1; }

  /// Steps that measure() needs at least.
  [[nodiscard]] std::uint64_t fewest_steps() const {
    // So that a block is mostly products, and blocks that differ by a step take about as long.
    constexpr std::uint64_t kStepsPerBlock = 16;
    return kStepsPerBlock * std::max(vector_blocks(), matrix_blocks());
  }

  /// Sets the costs near or far by passes over `of`. Throws like make_backward_pass().
  void measure(BlockRates& rates, RateOperands<T>& of, bool stored, bool far, double dispatch_s) {
    rates.on_device = !bench_.on_processor();
    if (rates.on_device) return measure_device(rates, of, stored, far, dispatch_s);
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
  /// So many items of a multiprocessor hide each other's waits.
  static constexpr std::size_t kItemsOfMultiprocessor = 8;

  /// Steps of a pass in blocks, and its phases.
  struct Timed {
    std::vector<std::size_t> times;
    ScanTimes phases;

    [[nodiscard]] std::size_t reduced() const { return reduced_blocks(times); }
    /// Steps whose vectors the down phase takes.
    [[nodiscard]] std::size_t down_steps() const { return times[1] - reduced(); }
    /// Steps that are multiplied up.
    [[nodiscard]] std::size_t product_steps() const { return times[1] - times[1 + reduced()]; }
  };
  [[nodiscard]] Timed timed(std::size_t blocks, RateOperands<T>& of, bool stored) {
    const BackwardMethod method = blocked(blocks, stored);
    return {block_times(of.states.steps, method.blocks), bench_.time_pass(method, of, false).together};
  }

  /// All but the vectors of the first block, which are done sooner, run at once.
  void measure_device(BlockRates& rates, RateOperands<T>& of, bool stored, bool far, double dispatch_s) {
    const auto set = [far](UnitCost& cost, double few_s, double few_units, double many_s, double many_units) {
      set_cost(cost, far, {few_s / few_units, many_s / many_units}, 0, 1);
    };
    const auto batch = static_cast<double>(batch_);
    const Timed few_vectors = timed(2, of, stored);
    const Timed many_vectors = timed(vector_blocks(), of, stored);
    set(rates.vector_step, few_vectors.phases.down - dispatch_s, static_cast<double>(few_vectors.down_steps()),
        many_vectors.phases.down - dispatch_s, static_cast<double>(many_vectors.down_steps()) * batch);

    RateOperands<T> few_steps = bench_.operands(3);
    RateOperands<T> many_steps = bench_.operands(matrix_blocks());
    const Timed few_starts = timed(3, few_steps, stored);
    const Timed many_starts = timed(matrix_blocks(), many_steps, stored);
    set(rates.product_start, few_starts.phases.up - dispatch_s, 1, many_starts.phases.up - dispatch_s,
        static_cast<double>(many_starts.reduced()) * batch);

    const Both<double> start = cost_at(rates.product_start, far);
    const Timed few = timed(3, of, stored);
    const Timed many = timed(matrix_blocks(), of, stored);
    const auto many_blocks = static_cast<double>(many.reduced());
    set(rates.matrix_step, few.phases.up - dispatch_s - start.alone, static_cast<double>(few.product_steps() - 1),
        many.phases.up - dispatch_s - many_blocks * batch * start.together,
        (static_cast<double>(many.product_steps()) - many_blocks) * batch);
  }

  /// The fewest blocks of `items` each that a processor's workers can share evenly, or that fill a device.
  [[nodiscard]] std::size_t even_blocks(std::size_t items) const {
    return bench_.on_processor() ? workers_ / std::gcd(workers_, items) : (device_items_ + items - 1) / items;
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
  std::size_t device_items_;  // that fill a device
};

}  // namespace upsweep
