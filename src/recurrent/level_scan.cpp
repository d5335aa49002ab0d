#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dense_kernels.hpp"
#include "run_stage.hpp"
#include "step_jacobians.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {
namespace {

Schedule checked(const CellShape& shape, std::size_t batch, Schedule schedule) {
  require_valid(shape);
  if (batch == 0) throw std::invalid_argument("a scan of 0 samples, accepted is 1 or more");
  return schedule;
}

}  // namespace

template <class T>
struct LevelScan<T>::Impl {
  Impl(const CellShape& cell, std::size_t samples, Schedule schedule)
      : shape(cell),
        batch(samples),
        plan(plan_levels(checked(cell, samples, std::move(schedule)), Elements::in_slots)),
        h(cell.hidden),
        matrices(plan.slots * batch * h * h) {}

  CellShape shape;
  std::size_t batch;
  LevelPlan plan;
  std::size_t h;
  AlignedArray<T> matrices;  // [slot][b][h][h]: Jacobians and their products, not transposed

  T* matrix(std::size_t slot, std::size_t b) { return matrices.data() + (slot * batch + b) * h * h; }
  [[nodiscard]] std::size_t flops_of(const LevelOp& op) const { return 2 * h * h * (op.is_vector ? 1 : h); }

  /// One op for one sample. Matrices are not transposed, so that earlier ⋄ later = later^T · earlier^T, transposed, is
  /// earlier · later. `scratch` has room for a matrix.
  void execute(const LevelOp& op, std::size_t b, T* gradients, T* scratch) {
    if (op.is_vector) {
      const T* from = gradients + (op.vector * batch + b) * h;
      T* to = gradients + (op.target_vector * batch + b) * h;
      multiply(SmallProduct<T>{from, h, 1, matrix(op.later.index, b), h, to, h, 1, h, h});
      return;
    }
    multiply_in_place(SmallProduct<T>{matrix(op.earlier.index, b), h, 1, matrix(op.later.index, b), h,
                                      matrix(op.target_slot, b), h, h, h, h},
                      scratch);
  }

  void form_jacobians(const BackwardSteps<T>& steps) {
    const std::size_t grain = std::max<std::size_t>(1, kFlopsPerChunk / (4 * h * h));
    parallel_chunks(plan.length * batch, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
      StepScratch<T> scratch(shape, 1);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t slot = plan.element_slots[i / batch];
        if (slot == LevelPlan::kNoSlot) continue;
        steps.form(plan.length - i / batch, i % batch, matrix(slot, i % batch), h, scratch);
      }
    });
  }

  void run(const Stage& stage, T* gradients) {
    run_stage<T>(
        plan, stage, batch, h * h, [&](const LevelOp& op) { return flops_of(op); },
        [&](const LevelOp& op, std::size_t begin, std::size_t end, T* scratch) {
          for (std::size_t b = begin; b < end; ++b) execute(op, b, gradients, scratch);
        });
  }
};

template <class T>
LevelScan<T>::LevelScan(const CellShape& shape, std::size_t batch, Schedule schedule)
    : impl_(make_hidden<Impl>(shape, batch, std::move(schedule))) {}

template <class T>
ScanTimes LevelScan<T>::run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                            std::span<T> gradients) {
  Impl& impl = *impl_;
  require_backward(weights, states, last, gradients);
  require_planned(weights.shape, states, impl.shape, impl.plan.length - 1, impl.batch);
  ScanTimes times;
  Laps laps;
  const BackwardSteps<T> steps(weights, states);
  impl.form_jacobians(steps);
  times.jacobians = laps.lap();
  std::copy(last.begin(), last.end(), gradients.end() - static_cast<std::ptrdiff_t>(last.size()));
  for (const Stage& stage : impl.plan.stages) {
    impl.run(stage, gradients.data());
    of_phase(times, stage.phase) += laps.lap();
  }
  // The exclusive scan ends at g_1.
  StepScratch<T> scratch(impl.shape, impl.batch);
  steps.take_vectors(1, 0, 0, impl.batch, gradients.data(), scratch);
  times.down += laps.lap();
  return times;
}

template <class T>
ScanFlops LevelScan<T>::flops() const {
  return level_flops(impl_->plan, impl_->shape, impl_->batch);
}

template <class T>
std::uint64_t LevelScan<T>::bytes() const {
  return std::uint64_t{impl_->matrices.size()} * sizeof(T);
}

template class LevelScan<float>;
template class LevelScan<double>;

}  // namespace upsweep
