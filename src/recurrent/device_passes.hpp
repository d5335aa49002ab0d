#pragma once

#include <cstdint>

#include "device_kernels.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/device_model.hpp"

namespace upsweep {

/// Combines of equal cost.
struct DeviceProducts {
  std::uint64_t count = 0;  ///< of all samples
  bool is_mv = false;
  std::uint64_t inner = 0;  ///< multiply-adds of each entry of the result
  bool is_wide = false;     ///< an mv beside matrix products: the block has as many threads as they need
  std::uint64_t tile = 1;   ///< rows and columns of the result that a thread has: each number read serves as many sums
};

/// predict_on_device(), with checked arguments.
class DeviceModel {
 public:
  DeviceModel(const Machine& machine, const PassShape& shape, unsigned value_bytes,
              const DeviceAssumptions& assumptions);

  [[nodiscard]] DevicePrediction predict(const BackwardMethod& method) const;

 private:
  /// Hidden states, what a gru keeps of its gates, and gradients.
  [[nodiscard]] std::uint64_t states_bytes() const;
  [[nodiscard]] std::uint64_t step_bytes() const;  ///< the same of one step and sample
  /// `steps` times the kernels of a step: each loads what the one before has written; one of them sums `inner` products
  /// for every element.
  [[nodiscard]] DevicePhase recurrence(std::uint64_t kernels, std::uint64_t inner) const;
  /// The products with the inputs of all steps at once, then the recurrence.
  [[nodiscard]] DevicePhase forward() const;
  /// One product over all steps and samples for each of the two matrices.
  [[nodiscard]] DevicePhase parameter_gradients() const;

  [[nodiscard]] bool has_dense_diagonals() const;
  [[nodiscard]] HomogeneousChain chain() const;
  /// Writes every Jacobian. Dense diagonals: all of them are cleared first, then matrices and diagonals are filled in.
  [[nodiscard]] DevicePhase jacobians() const;
  [[nodiscard]] std::uint64_t jacobian_bytes() const;

  void add_products(DeviceKernel& kernel, const DeviceProducts& products) const;
  [[nodiscard]] DeviceKernel level_kernel(const HomogeneousLevel& level) const;
  void add_levels(std::uint32_t depth, DevicePrediction& result) const;
  /// Blocks of one length; every block walks along its steps, `forms` where it makes their Jacobians itself.
  [[nodiscard]] DeviceKernel walk(std::uint64_t blocks, std::uint64_t length, bool is_mv, bool forms) const;
  void add_blocks(const BlockOptions& options, DevicePrediction& result) const;

  DeviceClock clock_;
  DeviceAssumptions assumptions_;
  PassShape shape_;
  unsigned value_;        // bytes of a number
  std::uint64_t h_;       // hidden
  std::uint64_t matrix_;  // numbers of a Jacobian
  std::uint64_t gates_;
  std::uint64_t samples_;  // steps of all sequences
};

/// a · b · ... Throws CountOverflow.
template <class... Counts>
[[nodiscard]] std::uint64_t product_of(std::uint64_t first, Counts... rest) {
  ((first = checked_mul(first, static_cast<std::uint64_t>(rest))), ...);
  return first;
}

/// Threads of a block with this many elements to compute: whole warps, at most what a block may have.
[[nodiscard]] std::uint64_t device_threads(std::uint64_t elements);

}  // namespace upsweep
