#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "dense_kernels.hpp"
#include "sample_groups.hpp"
#include "step_jacobians.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/block_bounds.hpp"
#include "upsweep/recurrent/operands.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {
namespace {

/// Calls work(item, slot) for each item, the first ones first, whatever thread is free.
template <class Work>
void for_each_item(std::size_t items, const Work& work) {
  std::atomic<std::size_t> next{0};
  parallel_chunks(std::min(items, parallel_slots()), 1, [&](std::size_t, std::size_t, std::size_t slot) {
    for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) work(item, slot);
  });
}

std::size_t checked(const CellShape& shape, std::size_t steps, std::size_t batch) {
  require_valid(shape);
  if (steps > 0 && batch > 0) return shape.hidden;
  throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted is 1 or more", steps, batch));
}

}  // namespace

template <class T>
struct BlockedScan<T>::Impl {
  /// A worker's memory.
  struct Scratch {
    Scratch(const CellShape& shape, std::size_t matrix)
        : steps(shape, kSamplesPerGroup), jacobian(matrix), spare(matrix) {}
    StepScratch<T> steps;
    AlignedArray<T> jacobian;  // h × width
    AlignedArray<T> spare;     // h × width
  };

  Impl(const CellShape& cell, std::size_t all_steps, std::size_t samples, const BlockOptions& wanted)
      : shape(cell),
        steps(all_steps),
        batch(samples),
        stored(wanted.store_jacobians),
        h(checked(cell, all_steps, samples)),
        width(padded<T>(h)),
        times(block_times(all_steps, wanted)),
        blocks(times.size() - 1),
        reduced(reduced_blocks(times)),
        groups((batch + kSamplesPerGroup - 1) / kSamplesPerGroup),
        products(reduced * batch * h * width),
        jacobians(stored ? steps * batch * h * h : 0) {}

  CellShape shape;
  std::size_t steps;
  std::size_t batch;
  bool stored;
  std::size_t h;
  std::size_t width;  // numbers from row to row of a product
  std::vector<std::size_t> times;
  std::size_t blocks;
  std::size_t reduced;        // blocks 1..reduced have a product
  std::size_t groups;         // of samples
  AlignedArray<T> products;   // [block - 1][b][h][width]
  AlignedArray<T> jacobians;  // [t - 1][b][h][h]
  std::vector<Scratch> scratch;

  T* product(std::size_t block, std::size_t b) { return products.data() + ((block - 1) * batch + b) * h * width; }
  T* jacobian(std::size_t t, std::size_t b) { return jacobians.data() + ((t - 1) * batch + b) * h * h; }

  void prepare_scratch() {
    while (scratch.size() < parallel_slots()) scratch.emplace_back(shape, h * width);
  }

  /// Vectors of a group of samples from g_from to g_{to + 1}... to g_to.
  void take_vectors(const BackwardSteps<T>& cell, std::size_t from, std::size_t to, std::size_t group, T* gradients,
                    Scratch& mine) {
    const std::size_t begin = group * kSamplesPerGroup;
    const std::size_t end = std::min(batch, begin + kSamplesPerGroup);
    if (!stored) {
      cell.take_vectors(from, to, begin, end, gradients, mine.steps);
      return;
    }
    for (std::size_t t = from; t > to; --t) {
      for (std::size_t b = begin; b < end; ++b) {
        const T* after = gradients + (t * batch + b) * h;
        T* before = gradients + ((t - 1) * batch + b) * h;
        multiply(SmallProduct<T>{after, h, 1, jacobian(t, b), h, before, h, 1, h, h});
      }
    }
  }

  /// The Jacobians of a block, the latest first, multiplied into one; not transposed, as all matrices here.
  void reduce(const BackwardSteps<T>& cell, std::size_t block, std::size_t b, Scratch& mine) {
    const std::size_t from = times[block];
    const std::size_t products_left = from - times[block + 1] - 1;
    T* now = product(block, b);
    T* next = mine.spare.data();
    if (products_left % 2 == 1) std::swap(now, next);  // so that the last one lands in its place
    if (stored) {
      for (std::size_t row = 0; row < h; ++row) std::copy_n(jacobian(from, b) + row * h, h, now + row * width);
    } else {
      cell.form(from, b, now, width, mine.steps);
    }
    for (std::size_t t = from - 1; t > times[block + 1]; --t) {
      const T* factor = stored ? jacobian(t, b) : mine.jacobian.data();
      if (!stored) cell.form(t, b, mine.jacobian.data(), width, mine.steps);
      multiply(SmallProduct<T>{now, width, 1, factor, stored ? h : width, next, width, h, h, h});
      std::swap(now, next);
    }
  }

  void form_all(const BackwardSteps<T>& cell) {
    constexpr std::size_t kPerItem = 64;
    const std::size_t count = steps * batch;
    for_each_item((count + kPerItem - 1) / kPerItem, [&](std::size_t item, std::size_t slot) {
      for (std::size_t i = item * kPerItem; i < std::min(count, (item + 1) * kPerItem); ++i) {
        cell.form(i / batch + 1, i % batch, jacobian(i / batch + 1, i % batch), h, scratch[slot].steps);
      }
    });
  }

  void up(const BackwardSteps<T>& cell, T* gradients) {
    for_each_item(groups + reduced * batch, [&](std::size_t item, std::size_t slot) {
      if (item < groups) {
        take_vectors(cell, times[0], times[1], item, gradients, scratch[slot]);
      } else {
        const std::size_t i = item - groups;
        reduce(cell, i / batch + 1, i % batch, scratch[slot]);
      }
    });
  }

  /// Gradients where blocks meet.
  void middle(T* gradients) {
    if (reduced == 0) return;
    const std::size_t grain = std::max<std::size_t>(1, (std::size_t{1} << 17) / (reduced * h * h));
    parallel_chunks(batch, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t block = 1; block <= reduced; ++block) {
        for (std::size_t b = begin; b < end; ++b) {
          const T* after = gradients + (times[block] * batch + b) * h;
          T* before = gradients + (times[block + 1] * batch + b) * h;
          multiply(SmallProduct<T>{after, h, 1, product(block, b), width, before, h, 1, h, h});
        }
      }
    });
  }

  void down(const BackwardSteps<T>& cell, T* gradients) {
    for_each_item((blocks - 1) * groups, [&](std::size_t item, std::size_t slot) {
      const std::size_t block = item / groups + 1;
      // The last gradient of an inner block is there already, and the next block may be reading it.
      const std::size_t to = times[block + 1] + (block <= reduced ? 1 : 0);
      take_vectors(cell, times[block], to, item % groups, gradients, scratch[slot]);
    });
  }
};

template <class T>
BlockedScan<T>::BlockedScan(const CellShape& shape, std::size_t steps, std::size_t batch, const BlockOptions& options)
    : impl_(make_hidden<Impl>(shape, steps, batch, options)) {}

template <class T>
ScanTimes BlockedScan<T>::run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                              std::span<T> gradients) {
  require_backward(weights, states, last, gradients);
  Impl& impl = *impl_;
  require_planned(weights.shape, states, impl.shape, impl.steps, impl.batch);
  std::copy(last.begin(), last.end(), gradients.end() - static_cast<std::ptrdiff_t>(last.size()));
  impl.prepare_scratch();
  const BackwardSteps<T> cell(weights, states);
  ScanTimes times;
  Laps laps;
  if (impl.stored) {
    impl.form_all(cell);
    times.jacobians = laps.lap();
  }
  impl.up(cell, gradients.data());
  times.up = laps.lap();
  impl.middle(gradients.data());
  times.middle = laps.lap();
  impl.down(cell, gradients.data());
  times.down = laps.lap();
  return times;
}

template <class T>
ScanFlops BlockedScan<T>::flops() const {
  return blocked_flops(impl_->shape, impl_->times, impl_->batch, impl_->stored);
}

template <class T>
std::uint64_t BlockedScan<T>::bytes() const {
  return (std::uint64_t{impl_->products.size()} + impl_->jacobians.size()) * sizeof(T);
}

template class BlockedScan<float>;
template class BlockedScan<double>;

}  // namespace upsweep
