#include <algorithm>

#include "device_passes.hpp"
#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep {
namespace {

// A block of threads, and what it may keep in shared memory without asking for more.
constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostShared = std::uint64_t{48} * 1024;

// Of kernels that walk along steps: rows and columns of a product that a thread sums at a time (those of
// kernels/recurrent_tile_product.hpp for 20 hidden elements), and cycles that a thread takes for a multiply-add of
// these, for a gate of a number of a Jacobian, and for a multiply-add with a stored Jacobian. Source: steps of 0.70 us
// (rnn) and 1.02 us (gru), and 0.34 us of a fold, on an H100 at 1.98 GHz with 20 hidden elements (reports/gpu.md).
constexpr double kTile = 4;
constexpr double kTileCycles = 2.4;
constexpr double kFormedCycles = 20;
constexpr double kFoldedCycles = 18.6;

std::uint64_t whole_warps(std::uint64_t elements) { return checked_mul(ceil_div(elements, kWarp), kWarp); }

/// The blocks of a step, with nothing to do yet.
DeviceKernel idle(const DeviceKernel& step) {
  DeviceKernel kernel = step;
  kernel.loads = kernel.far_loads = kernel.cycles = 0;
  kernel.ops = kernel.block_flops = kernel.block_bytes = 0;
  kernel.shared_words = kernel.flops = kernel.bytes = 0;
  return kernel;
}

/// Adds `times` steps to blocks that walk along their samples.
void append_steps(DeviceKernel& walk, const DeviceKernel& step, std::uint64_t times) {
  walk.loads += static_cast<double>(times) * step.loads;
  walk.far_loads += static_cast<double>(times) * step.far_loads;
  walk.cycles += static_cast<double>(times) * step.cycles;
  add_to(walk.ops, checked_mul(times, step.ops));
  add_to(walk.block_flops, checked_mul(times, step.block_flops));
  add_to(walk.block_bytes, checked_mul(times, step.block_bytes));
  add_to(walk.shared_words, checked_mul(times, step.shared_words));
  add_to(walk.flops, checked_mul(times, step.flops));
  add_to(walk.bytes, checked_mul(times, step.bytes));
}

}  // namespace

std::uint64_t device_threads(std::uint64_t elements) { return std::min(kMostThreads, whole_warps(elements)); }

void DeviceModel::add_products(DeviceKernel& kernel, const DeviceProducts& products) const {
  const std::uint64_t elements = products.is_mv ? h_ : matrix_;
  const std::uint64_t left = products.inner == 1 ? h_ : matrix_;
  const std::uint64_t right = products.is_mv ? h_ : matrix_;
  const std::uint64_t flops = product_of(2, elements, products.inner);
  const std::uint64_t bytes = checked_mul(checked_add(left, checked_add(right, elements)), value_);
  add_to(kernel.blocks, products.count);
  add_to(kernel.flops, checked_mul(products.count, flops));
  add_to(kernel.bytes, checked_mul(products.count, bytes));
  kernel.block_flops = std::max(kernel.block_flops, flops);
  kernel.block_bytes = std::max(kernel.block_bytes, bytes);
  kernel.working_set = kernel.bytes;
  // Whole warps write both operands once and read two numbers for every multiply-add, or for those of a tile.
  const std::uint64_t stored = checked_add(whole_warps(left), whole_warps(right));
  const std::uint64_t read = product_of(2, whole_warps(elements), products.inner) / products.tile;
  const std::uint64_t words = checked_add(stored, read);
  add_to(kernel.shared_words, product_of(products.count, words, value_ / 4));
  // Every block of a launch has the shape of the largest product.
  const std::uint64_t operands = checked_mul(checked_add(left, right), value_);
  kernel.threads = std::max(kernel.threads, device_threads(elements / (products.tile * products.tile)));
  kernel.shared_bytes = std::max(kernel.shared_bytes, std::min(operands, kMostShared));
  // All threads of a product load at once; of a vector, each thread loads a row of the matrix.
  const bool by_rows = products.is_mv && !products.is_wide;
  const std::uint64_t loads = by_rows ? clock_.rounds(products.inner) : ceil_div(operands, kMostShared);
  kernel.loads = std::max(kernel.loads, static_cast<double>(loads));
  kernel.cycles = std::max(kernel.cycles, clock_.inner_cycles(products.inner));
}

DeviceKernel DeviceModel::level_kernel(const HomogeneousLevel& level) const {
  DeviceKernel kernel;
  kernel.blocks = 0;
  for (const OpRun& run : level.runs) {
    const std::uint64_t inner = run.flops / (2 * run.nnz);
    add_products(kernel, {checked_mul(run.count, shape_.batch), run.is_mv, inner, level.mm_ops() > 0});
  }
  return kernel;
}

void DeviceModel::add_levels(std::uint32_t depth, DevicePrediction& result) const {
  const HomogeneousProfile profile = profile_homogeneous(chain(), depth, value_);
  result.jacobians = jacobians();
  add_to(result.memory_bytes, jacobian_bytes());
  DeviceLevel middle{.phase = Phase::middle, .levels = 0, .products = 0, .waves = 0, .cost = {}};
  DeviceKernel walk;
  for (const LevelRun& run : profile.runs) {
    for (std::size_t i = 0; i < run.cycle.size(); ++i) {
      const HomogeneousLevel& level = run.cycle[i];
      const std::uint64_t times = run.levels / run.cycle.size() + (i < run.levels % run.cycle.size() ? 1 : 0);
      const DeviceKernel kernel = level_kernel(level);
      if (level.profile.phase == Phase::middle) {
        if (middle.levels == 0) walk = idle(kernel);
        append_steps(walk, kernel, times);
        add_to(middle.levels, times);
        add_to(middle.products, checked_mul(times, level.profile.ops));
        continue;
      }
      const DevicePhase cost = clock_.time(kernel, times);
      result.levels.push_back({level.profile.phase, times, level.profile.ops, clock_.waves(kernel), cost});
      add_to(level.profile.phase == Phase::up ? result.up : result.down, cost);
    }
  }
  if (middle.levels == 0) return;
  walk.working_set = walk.bytes;
  middle.waves = clock_.waves(walk);
  middle.cost = result.middle = clock_.time(walk);
  const auto is_down = [](const DeviceLevel& level) { return level.phase == Phase::down; };
  result.levels.insert(std::find_if(result.levels.begin(), result.levels.end(), is_down), middle);
}

DeviceKernel DeviceModel::walk(std::uint64_t blocks, std::uint64_t length, bool is_mv, bool forms) const {
  DeviceKernel step;
  step.blocks = 0;
  const std::uint64_t inner = is_mv && forms ? checked_mul(gates_, h_) : h_;
  add_products(
      step, {checked_mul(blocks, shape_.batch), is_mv, inner, false, is_mv ? 1U : static_cast<std::uint64_t>(kTile)});
  // Operands are fetched steps ahead, which hides the cache but not the memory.
  step.loads = 0;
  step.far_loads = 1;
  const auto sums = static_cast<double>(inner);
  const auto numbers = static_cast<double>(matrix_);  // of which a thread has a tile, or more where a block is full
  const double own = std::max(std::min(numbers, kTile * kTile), numbers / static_cast<double>(kMostThreads));
  step.cycles = clock_.hand_over_cycles() +
                (is_mv ? sums * (forms ? clock_.sum_cycles() : kFoldedCycles) : sums * own * kTileCycles);
  if (forms) {
    // Weights stay on the multiprocessor: what comes from outside are the states of a step.
    step.bytes = product_of(step.blocks, step_bytes());
    step.block_bytes = step_bytes();
    if (!is_mv) {
      const std::uint64_t formed = product_of(2, gates_, matrix_);
      step.cycles += static_cast<double>(gates_) * own * kFormedCycles;
      add_to(step.flops, checked_mul(step.blocks, formed));
      add_to(step.block_flops, formed);
    }
  }
  DeviceKernel whole = idle(step);
  append_steps(whole, step, length);
  whole.loads = 1;  // of the first step
  // Weights aside, a walk that forms its Jacobians goes through the states once.
  whole.working_set = forms ? states_bytes() : checked_add(whole.bytes, states_bytes());
  return whole;
}

void DeviceModel::add_blocks(const BlockOptions& options, DevicePrediction& result) const {
  // Products of both must not wrap around in there.
  static_cast<void>(checked_mul(shape_.steps, std::min(options.blocks, shape_.steps)));
  const std::vector<std::size_t> times = block_times(shape_.steps, options);
  const std::uint64_t blocks = times.size() - 1;
  const std::uint64_t rest = times[1];  // steps behind the first block
  const std::uint64_t first = shape_.steps - rest;
  const std::uint64_t reduced = reduced_blocks(times);
  std::uint64_t longest = 0;
  for (std::size_t i = 1; i < blocks; ++i) longest = std::max<std::uint64_t>(longest, times[i] - times[i + 1]);
  const bool forms = !options.store_jacobians;
  const std::uint64_t plain = product_of(2, matrix_, shape_.batch);
  const std::uint64_t form = checked_mul(plain, gates_);
  const std::uint64_t vector = forms ? form : plain;
  if (!forms) {
    result.jacobians = jacobians();
    add_to(result.memory_bytes, jacobian_bytes());
  }
  const DevicePhase vectors = clock_.time(walk(1, first, true, forms));
  result.up = vectors;
  result.up.flops = checked_mul(vector, first);
  if (reduced > 0) {
    // At the same time as the first block: only the longer of both takes time.
    const DevicePhase reduction = clock_.time(walk(reduced, longest, false, forms));
    if (reduction.seconds() > vectors.seconds()) result.up.parts_s = reduction.parts_s;
    result.up.kernels += reduction.kernels;
    add_to(result.up.bytes, reduction.bytes);
    const std::uint64_t inner = rest - times[blocks - 1];  // steps of the reduced blocks
    add_to(result.up.flops, product_of(plain, h_, inner - reduced));
    if (forms) add_to(result.up.flops, checked_mul(form, inner));
    result.middle = clock_.time(walk(1, reduced, true, false));
    add_to(result.memory_bytes, product_of(reduced, shape_.batch, matrix_, value_));
  }
  if (blocks < 2) return;
  result.down = clock_.time(walk(blocks - 1, longest, true, forms));
  result.down.flops = checked_mul(vector, rest - reduced);
}

}  // namespace upsweep
