#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/machine/machine.hpp"
#include "upsweep/network/dense_work.hpp"
#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// What dense kernels go by on a machine: a roofline and a launch.
struct DenseRates {
  double flops_per_s = 0;
  double bytes_per_s = 0;
  double launch_s = 0;  ///< of one kernel
  double host_s = 0;    ///< of the host for one kernel, while the device works
  unsigned value_bytes = 4;

  /// Of a kernel over `samples` samples: its launch and the larger of FLOPs over the rate and bytes, each once, over
  /// the bandwidth. It may use the whole machine.
  [[nodiscard]] double seconds(const KernelWork& work, std::uint64_t samples) const;
};

/// The rates of `workers` workers. Bandwidth: that of the machine's combines, else the one measured by copying. Nothing
/// where the machine does not say, see missing_dense_key(), and for a pram, whose workers run an op each.
[[nodiscard]] std::optional<DenseRates> dense_rates(const Machine& machine, std::size_t workers, unsigned value_bytes);

/// The key that a machine file would need for dense_rates(); empty: it has what they need, or is a pram.
[[nodiscard]] std::string missing_dense_key(const Machine& machine, std::size_t workers, unsigned value_bytes);

/// Dense back-propagation as users run it today, one dense kernel for each gradient, one after the other.
struct DenseBackprop {
  double gradients_s = 0;         ///< of the activations: what a scan stands for
  double weight_gradients_s = 0;  ///< the rest of the backward pass, which a scan leaves as it is
  std::uint64_t kernels = 0;      ///< of the former

  /// What share of the backward pass a scan can save.
  [[nodiscard]] double gradients_share() const { return gradients_s / (gradients_s + weight_gradients_s); }
};

/// Dense back-propagation of a network, predicted. FLOPs of the gradients of activations are those of the dense
/// baseline, baseline_flops(), of every operator whose input has a gradient; bytes, and FLOPs of the gradients of
/// weights, those of operator_work(). Sums of gradients where an activation has several readers are kernels, too. All
/// take at least what the host needs to issue them.
/// Throws CountOverflow.
[[nodiscard]] DenseBackprop dense_backprop(const Network& network, const NetworkProfile& profile,
                                           const DenseRates& rates, std::uint64_t samples);

}  // namespace upsweep
