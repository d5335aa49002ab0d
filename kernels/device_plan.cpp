#include "device_plan.hpp"

#include <fmt/format.h>

#include "cuda_check.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep::kernels {
namespace {

/// Programs step through a row by 32-bit positions that may go past its end by less than this.
constexpr Index kMostColumns = Index{1} << 31;

template <class V>
std::span<const V> span_of(const std::vector<V>& array) {
  return array;
}

}  // namespace

template <class T>
DevicePlan<T>::DevicePlan(const Schedule& schedule, const SchedulePlan& plan, const NumericChain<T>& chain,
                          Execution execution, const TeamRoom& room)
    : plan_(plan),
      length_(schedule.length),
      arena_(plan_arena(schedule, plan.length, sizeof(T), execution)),
      bins_(plan.ops.size()) {
  for (const auto& layout : plan.layouts) {
    if (layout != nullptr) add_layout(*layout);
  }
  for (const PlannedOp& op : plan.ops) add_bins(op, room);
  // The bins no longer move: their arrays can be registered.
  for (std::vector<Bin>& op_bins : bins_) {
    for (Bin& bin : op_bins) bin.offset = structure_upload_.add(span_of(bin.bin.teams));
  }
  input_offsets_.push_back(input_upload_.add(span_of(chain.gradient)));
  for (const std::vector<T>& values : chain.values) input_offsets_.push_back(input_upload_.add(span_of(values)));
}

template <class T>
void DevicePlan<T>::add_layout(const Layout& layout) {
  if (layouts_.contains(&layout)) return;
  if (layout.cols > kMostColumns) {
    throw BackendError(
        fmt::format("a matrix has {} columns, the CUDA backend takes up to {}", layout.cols, kMostColumns));
  }
  const auto [list, added] = lists_.try_emplace(layout.lists.get(), 0);
  if (added) list->second = structure_upload_.add(span_of(layout.lists->columns));
  layouts_[&layout] = {structure_upload_.add(span_of(layout.value_begin)),
                       structure_upload_.add(span_of(layout.list_begin)), list->second,
                       structure_upload_.add(span_of(layout.team_begin)),
                       structure_upload_.add(span_of(layout.team_rows))};
}

template <class T>
void DevicePlan<T>::add_bins(const PlannedOp& op, const TeamRoom& room) {
  if (op.form != ProductForm::general && op.form != ProductForm::single_columns) return;
  std::vector<Bin>& bins = bins_[static_cast<std::size_t>(&op - plan_.ops.data())];
  for (TeamBin& bin : bin_teams(op.form, *plan_.layouts[op.later], *plan_.layouts[op.earlier],
                                *plan_.layouts[op.target], sizeof(T), room)) {
    bins.push_back({std::move(bin), 0});
  }
}

template <class T>
std::uint64_t DevicePlan<T>::total_bytes() const {
  return checked_add(structure_bytes(), checked_add(input_bytes(), value_bytes()));
}

template <class T>
void DevicePlan<T>::upload() {
  structure_ = structure_upload_.upload();
  inputs_ = input_upload_.upload();
  values_ = DeviceBuffer(arena_.bytes);
  poison();
}

template <class T>
void DevicePlan<T>::poison() {
  if (arena_.bytes == 0) return;
  cuda_check(cudaMemset(values_.data(), 0xff, arena_.bytes), "cudaMemset");  // all bits set is NaN
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after cudaMemset");
}

template <class T>
StructureView DevicePlan<T>::view(const Layout& layout) const {
  const LayoutOffsets& at = layouts_.at(&layout);
  return {structure_at<std::uint64_t>(at.value_begin), structure_at<std::uint64_t>(at.list_begin),
          structure_at<Index>(at.columns)};
}

template <class T>
T* DevicePlan<T>::numbers(ValueId value) const {
  const bool input = value < length_;
  const std::uint64_t offset = input ? input_offsets_[value] : arena_.offsets[value];
  return reinterpret_cast<T*>((input ? inputs_ : values_).data() + offset);
}

template <class T>
std::vector<DeviceOp<T>> DevicePlan<T>::ops() const {
  std::vector<DeviceOp<T>> ops;
  ops.reserve(plan_.ops.size());
  for (std::size_t id = 0; id < plan_.ops.size(); ++id) {
    const PlannedOp& planned = plan_.ops[id];
    const Layout& x = *plan_.layouts[planned.later];
    const Layout* const y = plan_.layouts[planned.earlier].get();
    const Layout* const c = plan_.layouts[planned.target].get();
    DeviceOp<T>& op = ops.emplace_back();
    op.form = planned.form;
    op.operands.x = view(x);
    if (y != nullptr) op.operands.y = view(*y);
    if (c != nullptr) op.operands.c = view(*c);
    op.operands.x_values = numbers(planned.later);
    op.operands.y_values = numbers(planned.earlier);
    op.operands.c_values = numbers(planned.target);
    op.rows = x.rows;
    op.threads_per_row = threads_for_rows(c != nullptr ? c->nnz() : x.nnz(), x.rows);
    op.teams = {structure_at<Index>(layouts_.at(&x).team_begin), structure_at<Index>(layouts_.at(&x).team_rows)};
    for (const Bin& bin : bins_[id]) {
      op.bins.push_back({bin.bin.storage, bin.bin.group, bin.bin.shared_bytes, structure_at<Index>(bin.offset),
                         static_cast<Index>(bin.bin.teams.size())});
    }
  }
  return ops;
}

template <class T>
std::vector<double> DevicePlan<T>::download(ValueId value) const {
  std::vector<T> numbers_of(plan_.length[value]);
  if (!numbers_of.empty()) {
    cuda_check(cudaMemcpy(numbers_of.data(), numbers(value), numbers_of.size() * sizeof(T), cudaMemcpyDeviceToHost),
               "cudaMemcpy of a result");
  }
  return {numbers_of.begin(), numbers_of.end()};
}

template class DevicePlan<float>;
template class DevicePlan<double>;

}  // namespace upsweep::kernels
