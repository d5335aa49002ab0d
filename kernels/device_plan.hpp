#pragma once

#include <map>
#include <vector>

#include "op_launch.hpp"
#include "packed_upload.hpp"
#include "team_bins.hpp"
#include "upsweep/backend/arena.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep::kernels {

/// A planned schedule and its numbers in device memory. T is float or double.
template <class T>
class DevicePlan {
 public:
  /// Lays everything out, without touching the device. `schedule` has planned as `plan`; both and `chain` must live as
  /// long as this object. Throws BackendError for a matrix that is too wide.
  DevicePlan(const Schedule& schedule, const SchedulePlan& plan, const NumericChain<T>& chain, Execution execution,
             const TeamRoom& room);

  [[nodiscard]] std::uint64_t structure_bytes() const { return structure_upload_.bytes(); }
  [[nodiscard]] std::uint64_t input_bytes() const { return input_upload_.bytes(); }
  [[nodiscard]] std::uint64_t value_bytes() const { return arena_.bytes; }
  [[nodiscard]] std::uint64_t total_bytes() const;

  /// Allocates and fills device memory. Throws BackendError.
  void upload();

  /// Makes the values that combines produce NaN: a number that no kernel writes, or that one reads too early, shows.
  /// After upload(), when the device is idle. Throws BackendError.
  void poison();

  /// The combines, by id; after upload(), valid as long as this object.
  [[nodiscard]] std::vector<DeviceOp<T>> ops() const;

  /// A value's numbers, downloaded; after upload(). Length: plan.length[value]. Throws BackendError.
  [[nodiscard]] std::vector<double> download(ValueId value) const;

 private:
  struct LayoutOffsets {
    std::uint64_t value_begin, list_begin, columns, team_begin, team_rows;
  };
  struct Bin {
    TeamBin bin;
    std::uint64_t offset = 0;
  };

  void add_layout(const Layout& layout);
  void add_bins(const PlannedOp& op, const TeamRoom& room);
  template <class V>
  [[nodiscard]] const V* structure_at(std::uint64_t offset) const {
    return reinterpret_cast<const V*>(structure_.data() + offset);
  }
  [[nodiscard]] StructureView view(const Layout& layout) const;
  [[nodiscard]] T* numbers(ValueId value) const;

  const SchedulePlan& plan_;
  std::size_t length_;  // of the chain
  Arena arena_;
  std::map<const Layout*, LayoutOffsets> layouts_;
  std::map<const ColumnLists*, std::uint64_t> lists_;
  std::vector<std::vector<Bin>> bins_;        // by combine id
  std::vector<std::uint64_t> input_offsets_;  // by array element
  PackedUpload structure_upload_;
  PackedUpload input_upload_;
  DeviceBuffer structure_;
  DeviceBuffer inputs_;
  DeviceBuffer values_;
};

}  // namespace upsweep::kernels
