#include "upsweep/search/binding.hpp"

#include <array>
#include <stdexcept>

namespace upsweep {
namespace {

void divide(WorkCosts& costs, double factor) {
  for (double& seconds : costs.unit_s) seconds /= factor;
}

Binding binding_of_kernel_unit(std::size_t unit) {
  if (unit < kWaits) return Binding::latency;
  return unit < kMoved ? Binding::arithmetic : Binding::bandwidth;
}

void speed_up(KindRates& rates, Binding binding, double factor) {
  for (std::size_t unit = 0; unit < kKernelWorkNames.size(); ++unit) {
    if (binding_of_kernel_unit(unit) == binding) rates.kernel_costs.unit_s[unit] /= factor;
  }
  if (binding == Binding::latency) return;
  if (binding == Binding::arithmetic) {
    rates.flops_per_s *= factor;
    divide(rates.costs, factor);
  } else {
    rates.bytes_per_s *= factor;
    rates.cached_bytes_per_s *= factor;
    divide(rates.memory_costs, factor);
  }
}

/// Which resource a unit of a library's product goes with, as carried_products() scales them.
Binding binding_of_unit(std::size_t unit) {
  constexpr std::array kBindings = {Binding::latency,   Binding::bandwidth,  Binding::arithmetic, Binding::arithmetic,
                                    Binding::bandwidth, Binding::arithmetic, Binding::arithmetic, Binding::bandwidth};
  return kBindings.at(unit);
}

void speed_up(PublishedRates& rates, Binding binding, double factor) {
  if (rates.kind != PublishedKind::product) return;
  for (std::size_t unit = 0; unit < rates.unit_s.size(); ++unit) {
    if (binding_of_unit(unit) == binding) rates.unit_s[unit] /= factor;
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

Machine scaled(const Machine& machine, Binding binding, double factor) {
  if (binding == Binding::workers || binding == Binding::memory)
    throw std::invalid_argument(to_string(binding) + " are settings of a point, not rates of its machine");
  Machine other = machine;
  for (PublishedRates& rates : other.published) speed_up(rates, binding, factor);
  for (Rates& rates : other.rates) {
    if (binding == Binding::latency) {
      rates.op_latency_s /= factor;
      rates.level_latency_s /= factor;
      rates.stream_latency_s /= factor;
      if (rates.host_launch_s) *rates.host_launch_s /= factor;
    }
    if (binding == Binding::bandwidth) rates.copy_bytes_per_s *= factor;
    if (binding == Binding::arithmetic) {
      rates.fp32.dense_flops_per_s *= factor;
      rates.fp64.dense_flops_per_s *= factor;
    }
    for (KindRates* kind : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm})
      speed_up(*kind, binding, factor);
  }
  return other;
}

}  // namespace upsweep
