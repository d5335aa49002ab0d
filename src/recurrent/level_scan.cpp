#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backward_steps.hpp"
#include "dense_kernels.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
// FLOPs below which a chunk is not worth another thread.
constexpr std::size_t kFlopsPerChunk = std::size_t{1} << 18;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A combine as it is executed. A value that contains a[0] is a vector, the gradient at the time `T - last element`;
/// any other is a matrix in a slot.
struct Op {
  bool vector;            // a vector times a matrix, else a matrix times a matrix
  std::uint32_t earlier;  // time of the vector, or slot
  std::uint32_t later;    // slot
  std::uint32_t target;   // time of the vector, or slot
};

/// Levels that run as one: those of several ops each, or neighbours of one op each.
struct Stage {
  Phase phase;
  std::size_t begin;  // of the ops
  std::size_t end;
  bool chain;  // ops one after the other, each sample on its own; else all at once
};

struct Plan {
  std::vector<Op> ops;
  std::vector<Stage> stages;
  std::vector<std::uint32_t> jacobian_slots;  // by array position k: slot of a[k], or kNoSlot where nothing reads it
  std::size_t slots = 0;
};

/// Hands out slots; a combine works in place where it uses one of its operands for the last time.
class SlotPlanner {
 public:
  explicit SlotPlanner(const Schedule& schedule)
      : schedule_(schedule),
        dead_(dead_combines(schedule)),
        ranges_(value_ranges(schedule)),
        uses_(schedule.values()),
        slots_(schedule.values(), kNoSlot),
        computed_(schedule.length) {}

  [[nodiscard]] Plan make() {
    for (std::size_t id = 0; id < schedule_.combines.size(); ++id) {
      if (dead_[id]) continue;
      ++uses_[schedule_.combines[id].earlier];
      ++uses_[schedule_.combines[id].later];
    }
    for (std::size_t k = 1; k < schedule_.length; ++k) {
      if (uses_[k] > 0) slots_[k] = new_slot();
    }
    plan_.jacobian_slots.assign(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(schedule_.length));
    std::size_t id = 0;
    while (id < schedule_.combines.size()) id = add_level(id);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_vector(ValueId value) const { return ranges_[value].first == 0; }
  [[nodiscard]] std::uint32_t time_of(ValueId value) const {
    return static_cast<std::uint32_t>(schedule_.length) - 1 - ranges_[value].last;
  }
  [[nodiscard]] std::uint32_t new_slot() { return static_cast<std::uint32_t>(plan_.slots++); }

  /// Adds the level that starts at combine `first`; returns where the next one starts.
  std::size_t add_level(std::size_t first) {
    const Combine& head = schedule_.combines[first];
    const std::size_t begin = plan_.ops.size();
    std::size_t id = first;
    for (; id < schedule_.combines.size() && schedule_.combines[id].level == head.level; ++id) {
      if (!dead_[id]) plan_.ops.push_back(op_of(id));
    }
    const std::size_t end = plan_.ops.size();
    if (begin == end) return id;
    const bool single = end - begin == 1;
    if (single && !plan_.stages.empty() && plan_.stages.back().chain && plan_.stages.back().phase == head.phase) {
      plan_.stages.back().end = end;
    } else {
      plan_.stages.push_back({head.phase, begin, end, single});
    }
    return id;
  }

  [[nodiscard]] Op op_of(std::size_t id) {
    const Combine& combine = schedule_.combines[id];
    const ValueId value = schedule_.value_of(id);
    const std::uint32_t later = slots_[combine.later];
    if (is_vector(value)) {
      const std::uint32_t time = time_of(value);
      if (computed_[time]) throw std::invalid_argument(fmt::format("the schedule computes result {} twice", time));
      computed_[time] = true;
      return {true, time_of(combine.earlier), later, time};
    }
    const std::uint32_t earlier = slots_[combine.earlier];
    // Others of the level may still read an operand that has uses left.
    slots_[value] = uses_[combine.later] == 1 ? later : uses_[combine.earlier] == 1 ? earlier : new_slot();
    return {false, earlier, later, slots_[value]};
  }

  const Schedule& schedule_;
  std::vector<bool> dead_;
  std::vector<ValueRange> ranges_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> slots_;
  std::vector<bool> computed_;  // by time: the gradients that an op writes
  Plan plan_;
};

Schedule checked(const CellShape& shape, std::size_t batch, Schedule schedule) {
  require_valid(shape);
  if (batch == 0 || schedule.length < 2) {
    throw std::invalid_argument(
        fmt::format("a scan over {} elements of {} samples, accepted are 2 and 1 or more", schedule.length, batch));
  }
  return schedule;
}

}  // namespace

template <class T>
struct LevelScan<T>::Impl {
  Impl(const CellShape& cell, std::size_t samples, Schedule wanted)
      : shape(cell),
        batch(samples),
        schedule(checked(cell, samples, std::move(wanted))),
        plan(SlotPlanner(schedule).make()),
        h(cell.hidden),
        matrices(plan.slots * batch * h * h) {}

  CellShape shape;
  std::size_t batch;
  Schedule schedule;
  Plan plan;
  std::size_t h;
  AlignedArray<T> matrices;  // [slot][b][h][h]: Jacobians and their products, not transposed

  T* matrix(std::size_t slot, std::size_t b) { return matrices.data() + (slot * batch + b) * h * h; }

  /// One op for one sample. Matrices are not transposed, so that earlier ⋄ later = later^T · earlier^T, transposed, is
  /// earlier · later. `scratch` has room for a matrix.
  void execute(const Op& op, std::size_t b, T* gradients, T* scratch) {
    if (op.vector) {
      const T* from = gradients + (op.earlier * batch + b) * h;
      T* to = gradients + (op.target * batch + b) * h;
      multiply(SmallProduct<T>{from, h, 1, matrix(op.later, b), h, to, h, 1, h, h});
      return;
    }
    const T* earlier = matrix(op.earlier, b);
    const T* later = matrix(op.later, b);
    const T*& overwritten = op.target == op.later ? later : earlier;
    if (op.target == op.later || op.target == op.earlier) {
      std::copy_n(overwritten, h * h, scratch);
      overwritten = scratch;
    }
    multiply(SmallProduct<T>{earlier, h, 1, later, h, matrix(op.target, b), h, h, h, h});
  }

  void form_jacobians(const BackwardSteps<T>& steps) {
    const std::size_t grain = std::max<std::size_t>(1, kFlopsPerChunk / (4 * h * h));
    parallel_chunks(plan.jacobian_slots.size() * batch, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
      StepScratch<T> scratch(shape, 1);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t slot = plan.jacobian_slots[i / batch];
        if (slot != kNoSlot) steps.form(schedule.length - i / batch, i % batch, matrix(slot, i % batch), h, scratch);
      }
    });
  }

  void run_stage(const Stage& stage, T* gradients) {
    const std::size_t ops = stage.end - stage.begin;
    const std::size_t op_flops = 2 * h * h * (plan.ops[stage.end - 1].vector ? 1 : h);
    const std::size_t count = stage.chain ? batch : ops * batch;
    const std::size_t item_flops = stage.chain ? op_flops * ops : op_flops;
    const std::size_t grain = std::max<std::size_t>(1, kFlopsPerChunk / item_flops);
    parallel_chunks(count, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
      AlignedArray<T> scratch(h * h);
      if (stage.chain) {
        for (std::size_t op = stage.begin; op < stage.end; ++op) {
          for (std::size_t b = begin; b < end; ++b) execute(plan.ops[op], b, gradients, scratch.data());
        }
      } else {
        for (std::size_t i = begin; i < end; ++i) {
          execute(plan.ops[stage.begin + i / batch], i % batch, gradients, scratch.data());
        }
      }
    });
  }
};

template <class T>
LevelScan<T>::LevelScan(const CellShape& shape, std::size_t batch, Schedule schedule)
    : impl_(std::make_unique<Impl>(shape, batch, std::move(schedule))) {}
template <class T>
LevelScan<T>::~LevelScan() = default;
template <class T>
LevelScan<T>::LevelScan(LevelScan&&) noexcept = default;
template <class T>
LevelScan<T>& LevelScan<T>::operator=(LevelScan&&) noexcept = default;

template <class T>
ScanTimes LevelScan<T>::run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                            std::span<T> gradients) {
  require_backward(weights, states, last, gradients);
  Impl& impl = *impl_;
  if (!(weights.shape == impl.shape) || states.steps + 1 != impl.schedule.length || states.batch != impl.batch) {
    throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted are {} of {} and the cell of the plan",
                                            states.steps, states.batch, impl.schedule.length - 1, impl.batch));
  }
  ScanTimes times;
  auto start = Clock::now();
  const BackwardSteps<T> steps(weights, states);
  impl.form_jacobians(steps);
  times.jacobians = seconds_since(start);
  std::copy(last.begin(), last.end(), gradients.end() - static_cast<std::ptrdiff_t>(last.size()));
  for (const Stage& stage : impl.plan.stages) {
    start = Clock::now();
    impl.run_stage(stage, gradients.data());
    (stage.phase == Phase::up       ? times.up
     : stage.phase == Phase::middle ? times.middle
                                    : times.down) += seconds_since(start);
  }
  // The exclusive scan ends at g_1.
  start = Clock::now();
  StepScratch<T> scratch(impl.shape, impl.batch);
  steps.take_vectors(1, 0, 0, impl.batch, gradients.data(), scratch);
  times.down += seconds_since(start);
  return times;
}

template <class T>
ScanFlops LevelScan<T>::flops() const {
  const std::uint64_t vector = checked_mul(impl_->batch, checked_mul(2 * impl_->h, impl_->h));
  ScanFlops flops;
  for (const Stage& stage : impl_->plan.stages) {
    std::uint64_t& phase = stage.phase == Phase::up       ? flops.up
                           : stage.phase == Phase::middle ? flops.middle
                                                          : flops.down;
    for (std::size_t op = stage.begin; op < stage.end; ++op) {
      add_to(phase, impl_->plan.ops[op].vector ? vector : checked_mul(vector, impl_->h));
    }
  }
  add_to(flops.down, checked_mul(vector, impl_->shape.gates()));
  const auto& slots = impl_->plan.jacobian_slots;
  const auto formed = static_cast<std::uint64_t>(slots.size()) -
                      static_cast<std::uint64_t>(std::count(slots.begin(), slots.end(), kNoSlot));
  flops.jacobians = checked_mul(formed, checked_mul(vector, impl_->shape.gates()));
  return flops;
}

template <class T>
std::uint64_t LevelScan<T>::bytes() const {
  return std::uint64_t{impl_->matrices.size()} * sizeof(T);
}

template class LevelScan<float>;
template class LevelScan<double>;

}  // namespace upsweep
