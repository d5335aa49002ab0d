#include "upsweep/recurrent/unfused_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dense_kernels.hpp"
#include "run_stage.hpp"
#include "step_jacobians.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

Schedule checked_unfused(const CellShape& shape, std::size_t batch, Schedule schedule) {
  require_valid(shape);
  if (shape.kind != CellKind::rnn) {
    throw std::invalid_argument(fmt::format("a {} has no unfused steps, accepted is an rnn", to_string(shape.kind)));
  }
  if (batch == 0 || schedule.length < 3 || schedule.length % 2 == 0) {
    throw std::invalid_argument(fmt::format(
        "an unfused scan over {} elements of {} samples, accepted are 2T + 1 and 1 or more", schedule.length, batch));
  }
  return schedule;
}

/// An element of the array that is a diagonal; the others are the weights.
bool is_diagonal(const MatrixPlace& place) { return place.is_element && place.index % 2 == 1; }

}  // namespace

template <class T>
struct UnfusedLevelScan<T>::Impl {
  /// A matrix where it stands.
  struct Dense {
    const T* numbers;
    std::size_t row;
  };

  Impl(const CellShape& cell, std::size_t samples, Schedule schedule)
      : shape(cell),
        batch(samples),
        plan(plan_levels(checked_unfused(cell, samples, std::move(schedule)), Elements::outside)),
        steps(plan.length / 2),
        h(cell.hidden),
        diagonals(steps * batch * h),
        sum_gradients(steps * batch * h),
        matrices(plan.slots * batch * h * h) {}

  CellShape shape;
  std::size_t batch;
  LevelPlan plan;
  std::size_t steps;
  std::size_t h;
  std::vector<T> diagonals;      // [t - 1][b][h]
  std::vector<T> sum_gradients;  // [t - 1][b][h]
  AlignedArray<T> matrices;      // [slot][b][h][h]: products, not transposed

  /// FLOPs of an op for one sample.
  [[nodiscard]] std::size_t flops_of(const LevelOp& op) const {
    const bool cheap = is_diagonal(op.later) || (!op.is_vector && is_diagonal(op.earlier));
    const std::size_t rows = op.is_vector ? 1 : h;
    return cheap ? 2 * h * rows : 2 * h * h * rows;
  }

  /// The diagonal a[k], k = 2 (T - t) + 1.
  [[nodiscard]] const T* diagonal(const MatrixPlace& place, std::size_t b) const {
    return diagonals.data() + ((steps - 1 - place.index / 2) * batch + b) * h;
  }

  [[nodiscard]] Dense dense(const BackwardSteps<T>& cell, const MatrixPlace& place, std::size_t b) const {
    if (place.is_element) return {cell.w_hh(), cell.w_row()};
    return {matrices.data() + (place.index * batch + b) * h * h, h};
  }

  /// Of the vectors every second one is a g_t; those between are with respect to the sums of step t + 1.
  T* vector(std::uint32_t number, std::size_t b, T* gradients) {
    return (number % 2 == 0 ? gradients : sum_gradients.data()) + (number / 2 * batch + b) * h;
  }

  /// Matrices are not transposed, so that a vector is a row, and earlier ⋄ later = earlier · later; as in LevelScan.
  void take_vectors(const BackwardSteps<T>& cell, const LevelOp& op, std::size_t begin, std::size_t end, T* gradients) {
    const T* from = vector(op.vector, begin, gradients);
    T* to = vector(op.target_vector, begin, gradients);
    const std::size_t samples = end - begin;
    if (is_diagonal(op.later)) {
      multiply_elements(from, diagonal(op.later, begin), to, samples * h);
    } else if (op.later.is_element) {
      multiply(SmallProduct<T>{from, h, 1, cell.w_hh(), cell.w_row(), to, h, samples, h, h});
    } else {
      for (std::size_t s = 0; s < samples; ++s) {
        const Dense later = dense(cell, op.later, begin + s);
        multiply(SmallProduct<T>{from + s * h, h, 1, later.numbers, later.row, to + s * h, h, 1, h, h});
      }
    }
  }

  void join(const BackwardSteps<T>& cell, const LevelOp& op, std::size_t b, T* scratch) {
    T* target = matrices.data() + (op.target_slot * batch + b) * h * h;
    assert(!(is_diagonal(op.earlier) && is_diagonal(op.later)) && "the weights stand between two diagonals");
    if (is_diagonal(op.earlier)) {
      const Dense later = dense(cell, op.later, b);
      scale_rows(DiagonalProduct<T>{diagonal(op.earlier, b), later.numbers, later.row, target, h});
      return;
    }
    const Dense earlier = dense(cell, op.earlier, b);
    if (is_diagonal(op.later)) {
      scale_columns(DiagonalProduct<T>{diagonal(op.later, b), earlier.numbers, earlier.row, target, h});
      return;
    }
    const Dense later = dense(cell, op.later, b);
    multiply_in_place(SmallProduct<T>{earlier.numbers, earlier.row, 1, later.numbers, later.row, target, h, h, h, h},
                      scratch);
  }

  void form_diagonals(const BackwardSteps<T>& cell) {
    const std::vector<T> ones(batch * h, T(1));
    const std::size_t grain = std::max<std::size_t>(1, kFlopsPerChunk / (4 * batch * h));
    parallel_chunks(steps, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t t = begin + 1; t <= end; ++t) {
        cell.deltas(t, 0, batch, ones.data(), diagonals.data() + (t - 1) * batch * h, nullptr);
      }
    });
  }

  void run(const BackwardSteps<T>& cell, const Stage& stage, T* gradients) {
    run_stage<T>(
        plan, stage, batch, h * h, [&](const LevelOp& op) { return flops_of(op); },
        [&](const LevelOp& op, std::size_t begin, std::size_t end, T* scratch) {
          if (op.is_vector) {
            take_vectors(cell, op, begin, end, gradients);
          } else {
            for (std::size_t b = begin; b < end; ++b) join(cell, op, b, scratch);
          }
        });
  }
};

template <class T>
UnfusedLevelScan<T>::UnfusedLevelScan(const CellShape& shape, std::size_t batch, Schedule schedule)
    : impl_(make_hidden<Impl>(shape, batch, std::move(schedule))) {}

template <class T>
ScanTimes UnfusedLevelScan<T>::run(const CellWeights<T>& weights, const ForwardStates<T>& states,
                                   std::span<const T> last, std::span<T> gradients) {
  Impl& impl = *impl_;
  require_backward(weights, states, last, gradients);
  require_planned(weights.shape, states, impl.shape, impl.steps, impl.batch);
  ScanTimes times;
  Laps laps;
  const BackwardSteps<T> cell(weights, states);
  impl.form_diagonals(cell);
  times.jacobians = laps.lap();
  std::copy(last.begin(), last.end(), gradients.end() - static_cast<std::ptrdiff_t>(last.size()));
  for (const Stage& stage : impl.plan.stages) {
    impl.run(cell, stage, gradients.data());
    of_phase(times, stage.phase) += laps.lap();
  }
  // The exclusive scan ends at the sums of step 1; the last element, the weights, leads to g_0.
  const auto last_element = static_cast<std::uint32_t>(impl.plan.length - 1);
  impl.take_vectors(cell, {true, 1, {}, {last_element, true}, 0, LevelPlan::kNoSlot}, 0, impl.batch, gradients.data());
  times.down += laps.lap();
  return times;
}

template <class T>
std::span<const T> UnfusedLevelScan<T>::sum_gradients() const {
  return impl_->sum_gradients;
}

template <class T>
ScanFlops UnfusedLevelScan<T>::flops() const {
  ScanFlops flops;
  for (const Stage& stage : impl_->plan.stages) {
    for (std::size_t op = stage.begin; op < stage.end; ++op) {
      add_to(of_phase(flops, stage.phase), checked_mul(impl_->batch, impl_->flops_of(impl_->plan.ops[op])));
    }
  }
  add_to(flops.down, checked_mul(impl_->batch, checked_mul(2 * impl_->h, impl_->h)));
  return flops;
}

template <class T>
std::uint64_t UnfusedLevelScan<T>::bytes() const {
  const std::size_t numbers = impl_->matrices.size() + impl_->diagonals.size() + impl_->sum_gradients.size();
  return std::uint64_t{numbers} * sizeof(T);
}

template class UnfusedLevelScan<float>;
template class UnfusedLevelScan<double>;

}  // namespace upsweep
