#include "device_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

double& part(DevicePhase& phase, Bound bound) { return phase.parts_s[static_cast<std::size_t>(bound)]; }

/// A phase of as many runs of a kernel, without its seconds.
DevicePhase counts_of(const DeviceKernel& kernel, std::uint64_t times) {
  DevicePhase phase;
  phase.kernels = checked_mul(times, kernel.launches);
  phase.flops = checked_mul(times, kernel.flops);
  phase.bytes = checked_mul(times, kernel.bytes);
  return phase;
}

}  // namespace

std::string to_string(Bound bound) {
  constexpr std::array<const char*, kBounds> kNames = {"launch",     "latency",       "workers",
                                                       "arithmetic", "shared memory", "memory"};
  return kNames.at(static_cast<std::size_t>(bound));
}

double DevicePhase::seconds() const { return std::accumulate(parts_s.begin(), parts_s.end(), 0.0); }

Bound DevicePhase::bound() const {
  return static_cast<Bound>(std::max_element(parts_s.begin(), parts_s.end()) - parts_s.begin());
}

void add_to(DevicePhase& sum, const DevicePhase& phase) {
  for (std::size_t i = 0; i < kBounds; ++i) sum.parts_s[i] += phase.parts_s[i];
  add_to(sum.kernels, phase.kernels);
  add_to(sum.flops, phase.flops);
  add_to(sum.bytes, phase.bytes);
}

DeviceClock::DeviceClock(const Machine& machine, unsigned value_bytes, const DeviceAssumptions& assumptions)
    : is_pram_(machine.kind == MachineKind::pram),
      small_(machine.small_products.value_or(SmallProducts{})),
      rates_(machine.rates.back()),
      kernel_s_(launch_costs(machine, rates_).kernel_s()),
      cache_bytes_(static_cast<double>(machine.cache_bytes)),
      value_bytes_(value_bytes),
      assumptions_(assumptions) {}

std::uint64_t DeviceClock::places(const DeviceKernel& kernel) const {
  if (is_pram_) return rates_.workers;
  std::uint64_t resident = std::min(small_.resident_blocks, small_.resident_threads / kernel.threads);
  if (kernel.shared_bytes > 0) resident = std::min(resident, small_.shared_memory_bytes / kernel.shared_bytes);
  return checked_mul(small_.multiprocessors, std::max<std::uint64_t>(1, resident));
}

std::uint64_t DeviceClock::waves(const DeviceKernel& kernel) const { return ceil_div(kernel.blocks, places(kernel)); }

DevicePhase DeviceClock::pram_time(const DeviceKernel& kernel, std::uint64_t times) const {
  const KindRates& rates = rates_.of(value_bytes_).mm;
  const std::uint64_t waves = this->waves(kernel);
  const double block = static_cast<double>(kernel.ops) * rates_.op_latency_s +
                       std::max(static_cast<double>(kernel.block_flops) / rates.flops_per_s,
                                static_cast<double>(kernel.block_bytes) / rates.bytes_per_s);
  const auto count = static_cast<double>(times);
  DevicePhase phase = counts_of(kernel, times);
  part(phase, waves > 1 ? Bound::workers : Bound::latency) = count * static_cast<double>(waves) * block;
  part(phase, Bound::launch) = static_cast<double>(phase.kernels) * rates_.level_latency_s;
  return phase;
}

DevicePhase DeviceClock::time(const DeviceKernel& kernel, std::uint64_t times) const {
  if (is_pram_) return pram_time(kernel, times);
  const TypeRates& rates = rates_.of(value_bytes_);
  // Out of the cache by the rule of op_time().
  const double share = cache_bytes_ > 0 ? static_cast<double>(kernel.working_set) / cache_bytes_ : 1;
  const double uncached = std::clamp(2 * share - 1, 0.0, 1.0);
  const double load = small_.cache_load_cycles + uncached * (small_.memory_load_cycles - small_.cache_load_cycles);
  const std::uint64_t waves = this->waves(kernel);
  // The multiprocessor with the most blocks.
  const double largest =
      static_cast<double>(ceil_div(kernel.blocks, small_.multiprocessors)) / static_cast<double>(kernel.blocks);
  const auto multiprocessors = static_cast<double>(small_.multiprocessors);
  const double bytes_s = uncached / rates.mm.bytes_per_s + (1 - uncached) / rates.mm.cached_bytes_per_s;

  std::array<double, kBounds> bodies{};
  const auto body = [&bodies](Bound bound) -> double& { return bodies[static_cast<std::size_t>(bound)]; };
  body(waves > 1 ? Bound::workers : Bound::latency) =
      static_cast<double>(waves) *
      (kernel.loads * load + kernel.far_loads * uncached * small_.memory_load_cycles + kernel.cycles) / small_.clock_hz;
  body(Bound::arithmetic) = largest * static_cast<double>(kernel.flops) * multiprocessors / rates.mm.flops_per_s;
  body(Bound::shared_memory) =
      largest * static_cast<double>(kernel.shared_words) / static_cast<double>(small_.shared_words) / small_.clock_hz;
  body(Bound::memory) = static_cast<double>(kernel.bytes) * bytes_s;
  const auto longest = std::max_element(bodies.begin(), bodies.end());

  const auto count = static_cast<double>(times);
  DevicePhase phase = counts_of(kernel, times);
  phase.parts_s[static_cast<std::size_t>(longest - bodies.begin())] = count * *longest;
  part(phase, Bound::launch) += static_cast<double>(phase.kernels) * std::max(kernel_s_, assumptions_.host_launch_s);
  return phase;
}

DevicePhase DeviceClock::stream(std::uint64_t launches, std::uint64_t items, std::uint64_t flops, std::uint64_t bytes,
                                std::uint64_t working_set) const {
  DeviceKernel kernel;
  kernel.launches = launches;
  kernel.blocks = is_pram_ ? items : small_.multiprocessors;
  kernel.block_flops = ceil_div(flops, items);
  kernel.block_bytes = ceil_div(bytes, items);
  kernel.loads = static_cast<double>(launches);
  kernel.flops = flops;
  kernel.bytes = bytes;
  kernel.working_set = working_set;
  return time(kernel);
}

double DeviceClock::inner_cycles(std::uint64_t count) const {
  return static_cast<double>(rounds(count)) * small_.shared_load_cycles +
         static_cast<double>(count) * small_.fma_cycles;
}

std::uint64_t DeviceClock::rounds(std::uint64_t count) const { return ceil_div(count, assumptions_.unrolled); }

}  // namespace upsweep
