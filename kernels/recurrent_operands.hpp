#pragma once

#include <array>
#include <span>

#include "device_resources.hpp"
#include "recurrent_cell_view.hpp"
#include "upsweep/recurrent/backward_pass.hpp"

namespace upsweep::kernels {

/// Copies an array to the device, into the first bytes of a buffer that has room for it; returns when it is there.
/// Throws BackendError.
template <class V>
void copy_to_device(std::span<const V> from, const DeviceBuffer& to);

/// A buffer with room for `room` elements, the first ones copies of `from`. Throws BackendError.
template <class V>
[[nodiscard]] DeviceBuffer device_array(std::span<const V> from, std::uint64_t room);

/// Weights, states and gradients of a pass on the device. T is float or double.
template <class T>
class RecurrentOperands {
 public:
  /// Takes the memory. Throws BackendError.
  explicit RecurrentOperands(const PassShape& shape);

  /// Copies the operands to the device; gradients other than g_T become NaN there, so that none stays from before.
  /// Remembers where fetch() writes.
  ///
  /// Throws std::invalid_argument for wrong lengths or another shape, BackendError.
  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
            std::span<T> gradients);

  /// Copies all gradients back. Throws BackendError.
  void fetch() const;

  /// Pointers stay the same over calls of load().
  [[nodiscard]] CellView<T> view() const;
  [[nodiscard]] const PassShape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  PassShape shape_;
  DeviceBuffer w_hh_;
  DeviceBuffer states_;
  std::array<DeviceBuffer, 4> gates_;  // r, z, n, m
  DeviceBuffer gradients_;
  std::span<T> to_;
};

}  // namespace upsweep::kernels
