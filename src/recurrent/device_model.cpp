#include "upsweep/recurrent/device_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "device_passes.hpp"

namespace upsweep {
namespace {

/// Refuses blocks that add_blocks() does not know.
void require_predictable(const BackwardMethod& method, const PassShape& shape) {
  if (method.kind != BackwardKind::blocked) return;
  const BlockOptions& options = method.blocks;
  if (options.blocks == 0 || !(options.first_block >= 1) || !std::isfinite(options.first_block)) {
    throw std::invalid_argument(fmt::format("{} blocks, the first {} times as long, accepted is 1 or more",
                                            options.blocks, options.first_block));
  }
  if (std::min(options.blocks, shape.steps) > kMostPredictedBlocks) {
    throw std::invalid_argument(fmt::format("{} over {} steps, accepted are up to {} blocks", to_string(method),
                                            shape.steps, kMostPredictedBlocks));
  }
  if (!shape.is_fused && (options.blocks > 1 || options.store_jacobians)) {
    throw std::invalid_argument(
        fmt::format("{}{} has no unfused steps, accepted are bptt, linear, hybrid:L, blelloch and blocked:1",
                    to_string(method), options.store_jacobians ? " with Jacobians stored" : ""));
  }
}

/// Of published_units() of passes.
std::size_t step_unit() {
  const std::vector<std::string>& units = published_units(PublishedKind::pass);
  return static_cast<std::size_t>(std::ranges::find(units, "step") - units.begin());
}

}  // namespace

double DevicePrediction::hidden_s() const {
  return jacobians.seconds() + up.seconds() + middle.seconds() + down.seconds();
}

double DevicePrediction::backward_speedup() const {
  const double parameters = parameter_gradients.seconds();
  return (sequential.seconds() + parameters) / (hidden_s() + parameters);
}

double DevicePrediction::backward_speedup_without_jacobians() const {
  const double parameters = parameter_gradients.seconds();
  return (sequential.seconds() + parameters) / (hidden_s() - jacobians.seconds() + parameters);
}

double DevicePrediction::overall_speedup() const {
  const double others = forward.seconds() + parameter_gradients.seconds();
  return (others + sequential.seconds()) / (others + hidden_s());
}

const PublishedRates* step_rates(const Machine& machine, const std::string& cell) {
  if (machine.library.empty()) return nullptr;
  const std::size_t step = step_unit();
  const PublishedRates* any = nullptr;
  for (const PublishedRates& rates : machine.published) {
    if (rates.kind != PublishedKind::pass || rates.library != machine.library || !(rates.unit_s[step] > 0)) continue;
    if (rates.launch != to_string(machine.launch)) continue;
    if (rates.cell == cell) return &rates;
    if (any == nullptr) any = &rates;
  }
  return any;
}

double step_seconds(const PublishedRates& rates) { return rates.unit_s[step_unit()]; }

void assume_steps(const PublishedRates& rates, DeviceAssumptions& assumptions) {
  assumptions.forward_kernels = assumptions.backward_kernels = 1;
  assumptions.host_launch_s = step_seconds(rates);
}

DeviceAssumptions assumed_on(const Machine& machine) {
  DeviceAssumptions assumptions;
  if (machine.launch == LaunchMode::eager) assumptions.host_launch_s = machine.rates.back().host_launch_s.value_or(0);
  if (const PublishedRates* steps = step_rates(machine, "")) assume_steps(*steps, assumptions);
  return assumptions;
}

std::string unfit_for_device_model(const Machine& machine) {
  if (machine.kind == MachineKind::pram) return "";
  if (machine.kind == MachineKind::cpu) {
    return "it is of kind cpu, accepted are gpu and pram; validate measures the passes on this processor";
  }
  if (!machine.small_products) {
    return "it has no small_products, accepted is a mapping with multiprocessors, clock, resident_blocks, ..., "
           "memory_load as in configs/machines/rtx-2070.yaml";
  }
  for (const unsigned bytes : {4U, 8U}) {
    const KindRates& rates = machine.rates.back().of(bytes).mm;
    if (!std::isfinite(rates.flops_per_s)) return "its fp32 or fp64 has no compute, accepted is compute_TFLOPps";
    if (!std::isfinite(rates.bytes_per_s)) return "it has no bandwidth, accepted is bandwidth_GBps";
  }
  return "";
}

DevicePrediction predict_on_device(const Machine& machine, const PassShape& shape, const BackwardMethod& method,
                                   unsigned value_bytes, const DeviceAssumptions& assumptions) {
  if (const std::string reason = unfit_for_device_model(machine); !reason.empty()) {
    throw std::invalid_argument(fmt::format("machine {}: {}", machine.name, reason));
  }
  require_valid(shape.cell);
  if (shape.steps == 0 || shape.batch == 0) {
    throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted is 1 or more", shape.steps, shape.batch));
  }
  if (value_bytes != 4 && value_bytes != 8) {
    throw std::invalid_argument(fmt::format("numbers of {} bytes, accepted are 4 and 8", value_bytes));
  }
  if (assumptions.forward_kernels == 0 || assumptions.backward_kernels == 0 || assumptions.unrolled == 0 ||
      !(assumptions.host_launch_s >= 0)) {
    throw std::invalid_argument(
        "an assumption is 0 or negative, accepted are kernels of a step and unrolled loads "
        "from 1, and a host launch of at least 0 s");
  }
  require_predictable(method, shape);
  return DeviceModel(machine, shape, value_bytes, assumptions).predict(method);
}

}  // namespace upsweep
