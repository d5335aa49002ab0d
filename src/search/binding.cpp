#include "upsweep/search/binding.hpp"

#include <stdexcept>

namespace upsweep {
namespace {

void halve(WorkCosts& costs) {
  for (double& seconds : costs.unit_s) seconds /= 2;
}

void speed_up(KindRates& rates, Binding binding) {
  if (binding == Binding::arithmetic) {
    rates.flops_per_s *= 2;
    halve(rates.costs);
  } else {
    rates.bytes_per_s *= 2;
    rates.cached_bytes_per_s *= 2;
    halve(rates.memory_costs);
  }
}

}  // namespace

std::string to_string(Binding binding) {
  switch (binding) {
    case Binding::latency:
      return "latency";
    case Binding::arithmetic:
      return "arithmetic";
    case Binding::bandwidth:
      return "bandwidth";
    case Binding::workers:
      return "workers";
    case Binding::memory:
      return "memory";
  }
  throw std::logic_error("unknown resource");
}

std::string binds_text(const std::string& resource) {
  return resource + (resource == to_string(Binding::workers) ? " bind" : " binds");
}

Machine improved(const Machine& machine, Binding binding) {
  if (binding == Binding::workers || binding == Binding::memory)
    throw std::invalid_argument(to_string(binding) + " are settings of a point, not rates of its machine");
  Machine better = machine;
  for (Rates& rates : better.rates) {
    if (binding == Binding::latency) {
      rates.op_latency_s /= 2;
      rates.level_latency_s /= 2;
      continue;
    }
    if (binding == Binding::bandwidth) rates.copy_bytes_per_s *= 2;
    for (KindRates* kind : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm}) speed_up(*kind, binding);
  }
  return better;
}

}  // namespace upsweep
