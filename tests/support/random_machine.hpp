#pragma once

#include <cstddef>

#include "upsweep/machine/machine.hpp"

namespace upsweep::testing {

/// A machine of 1, 2 and 8 workers with every rate made up, one in four without costs in the cache, every other gpu
/// with costs of kernels; a cache of at most `most_cache` bytes. `between(low, high)` draws.
template <class Between>
[[nodiscard]] Machine random_machine(const Between& between, MachineKind kind, std::size_t most_cache = 20'000) {
  const auto number = [&] { return static_cast<double>(between(1, 1000)) / 1000; };
  Machine machine;
  machine.name = "random";
  machine.kind = kind;
  machine.cache_bytes = between(0, most_cache);
  if (kind == MachineKind::cpu && between(0, 1) == 1) {
    machine.from_memory_bytes = 2 * machine.cache_bytes;
    machine.churn_bytes_per_s = number() * 1e9;
  }
  machine.near_cache_bytes = between(0, 2000);
  machine.first_cache_bytes = between(0, 200);
  machine.fill_teams = between(1, 100);
  const bool has_kernels = kind == MachineKind::gpu && between(0, 1) == 1;
  if (has_kernels) machine.team_room = {between(8192, 100'000), between(1, 200)};
  const bool has_costs = between(0, 3) > 0;  // else of the memory alone
  for (const std::size_t workers : {1, 2, 8}) {
    Rates rates;
    rates.workers = workers;
    rates.op_latency_s = number() * 1e-6;
    rates.level_latency_s = number() * 1e-6;
    if (kind == MachineKind::gpu) rates.stream_latency_s = number() * 1e-6;
    for (KindRates* kind_rates : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm}) {
      kind_rates->flops_per_s = number() * 1e10;
      if (has_costs)
        for (double& cost : kind_rates->costs.unit_s) cost = number() * 1e-9;
      for (double& cost : kind_rates->memory_costs.unit_s) cost = number() * 1e-9;
      if (has_kernels)
        for (double& cost : kind_rates->kernel_costs.unit_s) cost = number() * 1e-9;
    }
    if (kind == MachineKind::cpu) {
      rates.near_latency_s = number() * 1e-6;
      rates.far_latency_s = number() * 1e-6;
    }
    machine.rates.push_back(rates);
  }
  return machine;
}

}  // namespace upsweep::testing
