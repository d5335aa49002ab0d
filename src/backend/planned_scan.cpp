#include "upsweep/backend/planned_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "product_kernels.hpp"
#include "upsweep/backend/arena.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

constexpr std::align_val_t kAlignment{kArenaAlignment};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
};

}  // namespace

template <class T>
struct PlannedScan<T>::Workspace::Impl {
  std::unique_ptr<std::byte[], FreeAligned> memory;
  Scratch<T> scratch;
  std::vector<const T*> values;  // by value, of the last run
};

template <class T>
struct PlannedScan<T>::Impl {
  Schedule schedule;
  SchedulePlan plan;
  Arena arena;
  std::vector<AddingOrder> orders;    // by combine id
  std::vector<ProductTask<T>> tasks;  // by combine id, without numbers
  std::vector<bool> is_read;          // by position of the scan array
  std::size_t scratch_count = 0;
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;

  Impl(Schedule live, const JacobianChain& chain)
      : schedule(std::move(live)),
        plan(plan_schedule(schedule, chain)),
        arena(plan_arena(schedule, plan.length, sizeof(T), Execution::level)),
        orders(plan.ops.size()),
        is_read(schedule.length),
        bytes(plan.bytes) {
    for (std::size_t id = 0; id < plan.ops.size(); ++id) {
      const PlannedOp& op = plan.ops[id];
      ProductTask<T> task{op.form, plan.layouts[op.later].get(), plan.layouts[op.earlier].get(),
                          plan.layouts[op.target].get()};
      if (const std::size_t scratch = scratch_size(task); scratch > 0) {
        scratch_count = std::max(scratch_count, scratch);
        orders[id] = adding_order(*task.x, *task.y, *task.c, sizeof(T));
        task.order = &orders[id];
        bytes += orders[id].bytes();
      }
      tasks.push_back(task);
      add_to(flops, checked_mul(2, op.products));
      for (const ValueId operand : {op.earlier, op.later}) {
        if (operand < schedule.length) is_read[operand] = true;
      }
    }
    is_read[0] = true;  // as a[1] it is a result
  }
};

template <class T>
PlannedScan<T>::PlannedScan(const Schedule& schedule, const JacobianChain& chain)
    : impl_(std::make_shared<const Impl>(live_part(schedule), chain)) {}

template <class T>
typename PlannedScan<T>::Workspace PlannedScan<T>::make_workspace() const {
  auto workspace = make_hidden<typename Workspace::Impl>();
  workspace->memory.reset(new (kAlignment) std::byte[std::max<std::uint64_t>(1, impl_->arena.bytes)]);
  workspace->values.resize(impl_->schedule.values(), nullptr);
  return Workspace(std::move(workspace));
}

template <class T>
bool PlannedScan<T>::reads(std::size_t position) const {
  return impl_->is_read.at(position);
}

template <class T>
void PlannedScan<T>::run(std::span<const std::span<const T>> array, Workspace& workspace) const {
  if (array.size() != impl_->schedule.length) {
    throw std::invalid_argument(
        fmt::format("a scan array of {} elements, accepted are {}", array.size(), impl_->schedule.length));
  }
  typename Workspace::Impl& mine = *workspace.impl_;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (impl_->is_read[i] && array[i].size() != impl_->plan.length[i]) {
      throw std::invalid_argument(fmt::format("element {} of the scan array has {} numbers, accepted are {}", i,
                                              array[i].size(), impl_->plan.length[i]));
    }
    mine.values[i] = array[i].data();
  }
  for (std::size_t id = 0; id < impl_->tasks.size(); ++id) {
    const PlannedOp& op = impl_->plan.ops[id];
    T* target = reinterpret_cast<T*>(mine.memory.get() + impl_->arena.offsets[op.target]);
    mine.values[op.target] = target;
    ProductTask<T> task = impl_->tasks[id];
    task.x_values = mine.values[op.later];
    task.y_values = mine.values[op.earlier];
    task.c_values = target;
    clear_untouched(task);
    compute_units(task, 0, task.units(), mine.scratch);
  }
}

template <class T>
std::span<const T> PlannedScan<T>::result(std::size_t position, const Workspace& workspace) const {
  const ValueId value = impl_->schedule.results.at(position);
  if (value == kIdentity) throw std::invalid_argument("the identity was asked for, accepted are positions from 1");
  return {workspace.impl_->values[value], impl_->plan.length[value]};
}

template <class T>
std::uint64_t PlannedScan<T>::flops() const {
  return impl_->flops;
}

template <class T>
std::uint64_t PlannedScan<T>::plan_bytes() const {
  return impl_->bytes;
}

template <class T>
std::uint64_t PlannedScan<T>::workspace_bytes() const {
  return impl_->arena.bytes + impl_->scratch_count * sizeof(T);
}

template class PlannedScan<float>;
template class PlannedScan<double>;

}  // namespace upsweep
