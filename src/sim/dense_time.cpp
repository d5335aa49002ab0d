#include "upsweep/sim/dense_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "level_time.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Bytes per second far out of the cache; nothing where a machine does not say.
std::optional<double> dense_bandwidth(const Rates& rates, unsigned value_bytes) {
  const double combines = rates.of(value_bytes).mm.bytes_per_s;
  if (std::isfinite(combines)) return combines;
  return rates.copy_bytes_per_s > 0 ? std::optional(rates.copy_bytes_per_s) : std::nullopt;
}

}  // namespace

double DenseRates::seconds(const KernelWork& work, std::uint64_t samples) const {
  const auto times = static_cast<double>(samples);
  const double moved = times * static_cast<double>(work.elements) + static_cast<double>(work.weights);
  const double body =
      std::max(times * static_cast<double>(work.flops) / flops_per_s, moved * value_bytes / bytes_per_s);
  return launch_s + body;
}

std::optional<DenseRates> dense_rates(const Machine& machine, std::size_t workers, unsigned value_bytes) {
  if (machine.kind == MachineKind::pram) return std::nullopt;
  const Rates& rates = machine.at(workers);
  const std::optional<double> flops = rates.of(value_bytes).dense_rate();
  const std::optional<double> bytes = dense_bandwidth(rates, value_bytes);
  if (!flops || !bytes) return std::nullopt;
  const LaunchCosts costs = launch_costs(machine, rates);
  // A processor's dense kernels need no barrier, either.
  const double launch_s = machine.kind == MachineKind::gpu ? costs.kernel_s() : costs.op_s;
  return DenseRates{*flops, *bytes, launch_s, costs.host_s, value_bytes};
}

std::string missing_dense_key(const Machine& machine, std::size_t workers, unsigned value_bytes) {
  if (machine.kind == MachineKind::pram) return "";
  const Rates& rates = machine.at(workers);
  if (!rates.of(value_bytes).dense_rate())
    return fmt::format("rates[{}].fp{}.dense_GFLOPps", rates.workers, 8 * value_bytes);
  return dense_bandwidth(rates, value_bytes) ? "" : fmt::format("rates[{}].copy_bandwidth_GBps", rates.workers);
}

DenseBackprop dense_backprop(const Network& network, const NetworkProfile& profile, const DenseRates& rates,
                             std::uint64_t samples) {
  const std::vector<bool> needed = needs_gradient(network);
  const std::vector<std::size_t> readers = reader_counts(network);
  DenseBackprop dense;
  std::uint64_t weight_kernels = 0;
  const auto add_gradient = [&](const KernelWork& work) {
    dense.gradients_s += rates.seconds(work, samples);
    ++dense.kernels;
  };
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (readers[o] > 1 && needed[o]) {
      const std::uint64_t summed = elements(op.out_shape);
      for (std::size_t reader = 1; reader < readers[o]; ++reader) add_gradient({summed, checked_mul(3, summed), 0});
    }
    if (is_view(op.kind) || is_join(op.kind)) continue;
    const PartWork work = operator_work(op);
    const std::size_t input = network.inputs_of(o)[0];
    if (input != kNetworkInput && needed[input]) {
      KernelWork gradient = work.output_gradient;
      gradient.flops = rounded_mean(profile.operators[o].baseline_flops, profile.inputs);
      add_gradient(gradient);
    }
    if (work.weight_gradient == KernelWork{}) continue;
    dense.weight_gradients_s += rates.seconds(work.weight_gradient, samples);
    ++weight_kernels;
  }
  // The host issues kernels while the device works.
  dense.gradients_s = std::max(dense.gradients_s, static_cast<double>(dense.kernels) * rates.host_s);
  dense.weight_gradients_s = std::max(dense.weight_gradients_s, static_cast<double>(weight_kernels) * rates.host_s);
  return dense;
}

}  // namespace upsweep
