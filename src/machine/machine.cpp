#include "upsweep/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/machine/op_parts.hpp"
#include "upsweep/machine/walking.hpp"

namespace upsweep {
namespace {

/// What bounds a combine on all workers that the rates stand for.
struct Bounds {
  double arithmetic_s;
  double from_cache_s;
  double from_memory_s;
  double uncached;  // how much of it comes from memory
  double wait_s;    // of each worker that has a part, besides

  /// Where `share` of the workers have a part: the others leave the memory to them.
  [[nodiscard]] double seconds(double share) const {
    const double inside = std::max(arithmetic_s / share, from_cache_s);
    return inside + uncached * std::max(0.0, from_memory_s - inside);
  }
};

/// The units that have a time in the cache and, where anything has one there, out of it.
FineUnits fine_units(const KindRates& kind) {
  return kind.memory_costs == WorkCosts{} ? kind.costs.knows : kind.costs.knows && kind.memory_costs.knows;
}

/// 0 up to half of what fits, 1 from twice that on.
double far_share(double bytes, double room) {
  if (room <= 0 || bytes <= 0) return 0;
  return std::clamp((std::log2(bytes / room) + 1) / 2, 0.0, 1.0);
}

Bounds bounds(const Machine& machine, const Rates& rates, const OpWork& work, const OpPlace& place) {
  const KindRates& kind = work.is_mv ? rates.of(place.value_bytes).mv : rates.of(place.value_bytes).mm;
  const auto workers = static_cast<double>(rates.workers);
  const WorkVector counts = work_counts(work, far_shares(machine, work, place.value_bytes), fine_units(kind));
  const double arithmetic = static_cast<double>(work.flops) / kind.flops_per_s + kind.costs.seconds(counts) / workers;
  const double uncached = uncached_share(machine, place.working_set);
  const auto bytes = static_cast<double>(work.bytes);
  const WorkCosts far_costs = from_memory(kind, walked_share(machine, work));
  const double from_memory_s = bytes / kind.bytes_per_s + far_costs.seconds(counts) / workers;
  const double from_cache = bytes / kind.cached_bytes_per_s;
  const double left_near =
      far_share(static_cast<double>(place.working_set), static_cast<double>(machine.near_cache_bytes) * workers);
  return {arithmetic, from_cache, from_memory_s, uncached,
          left_near * rates.near_latency_s + uncached * rates.far_latency_s};
}

/// Bytes of the lines of a cache that the sums of one row of C touch: nnz / rows places at random of an array that has
/// one of `sum_bytes` for each column. A sum lies in one line.
double touched_bytes(const ProductSizes& sizes, double sum_bytes) {
  constexpr double kLineBytes = 64;
  static_assert(kTeamRows * sizeof(double) <= static_cast<std::size_t>(kLineBytes));
  if (sizes.rows == 0) return 0;
  const double lines = std::max(1.0, static_cast<double>(sizes.cols) * sum_bytes / kLineBytes);
  const double sums = static_cast<double>(sizes.nnz) / static_cast<double>(sizes.rows);
  return kLineBytes * lines * (1 - std::pow(1 - 1 / lines, sums));
}

/// Seconds of a sparse product by published rates; nothing where the datasheet's hold. A library takes one product at a
/// time. What it fails at is priced as if it did not.
std::optional<double> library_seconds(const Machine& machine, const OpWork& work) {
  if (work.is_mv || work.sizes.products == 0 || machine.published.empty() || work.sizes.is_dense()) return std::nullopt;
  const PublishedRates* rates = machine.product_rates();
  if (rates == nullptr) return std::nullopt;
  return machine.product_factor * published_seconds(*rates, product_work(work.sizes));
}

}  // namespace

std::string to_string(MachineKind kind) {
  switch (kind) {
    case MachineKind::pram:
      return "pram";
    case MachineKind::cpu:
      return "cpu";
    case MachineKind::gpu:
      return "gpu";
  }
  return "";
}

std::string to_string(LaunchMode mode) {
  switch (mode) {
    case LaunchMode::eager:
      return "eager";
    case LaunchMode::graph:
      return "graph";
    case LaunchMode::fused:
      return "fused";
  }
  return "";
}

std::optional<LaunchMode> launch_mode(std::string_view name) {
  for (const LaunchMode mode : kLaunchModes) {
    if (name == to_string(mode)) return mode;
  }
  return std::nullopt;
}

double uncached_share(const Machine& machine, std::uint64_t working_set) {
  if (machine.cache_bytes == 0) return 1;
  const auto cache = static_cast<double>(machine.cache_bytes);
  const bool measured = machine.from_memory_bytes > machine.cache_bytes;
  const double inside = measured ? cache : cache / 2;
  const double outside = measured ? static_cast<double>(machine.from_memory_bytes) : cache;
  return std::clamp((static_cast<double>(working_set) - inside) / (outside - inside), 0.0, 1.0);
}

FarShares far_shares(const Machine& machine, const OpWork& work, unsigned value_bytes) {
  const bool numbers = work.is_mv || work.steps.scaled_columns > 0;
  const auto first = static_cast<double>(machine.first_cache_bytes);
  const auto y_bytes = static_cast<double>(work.picked_bytes);
  FarShares far{far_share(y_bytes, numbers ? first : static_cast<double>(machine.near_cache_bytes))};
  if (work.is_mv) return far;
  // The other half is for the numbers and places of the rows of Y that pass through.
  far.single_sums = far_share(touched_bytes(work.sizes, value_bytes), first / 2);
  far.team_sums = far_share(touched_bytes(work.sizes, kTeamRows * value_bytes), first / 2);
  return far;
}

const Rates& Machine::at(std::size_t active) const {
  const Rates* best = &rates.front();
  for (const Rates& candidate : rates) {
    if (candidate.workers <= active) best = &candidate;
  }
  return *best;
}

const PublishedRates* Machine::product_rates() const {
  const auto mine = std::ranges::find_if(published, [this](const PublishedRates& of) {
    return of.kind == PublishedKind::product && (library.empty() || of.library == library);
  });
  return mine == published.end() ? nullptr : &*mine;
}

Machine with_library(Machine machine, const std::string& library) {
  std::set<std::string> known;
  for (const PublishedRates& rates : machine.published) known.insert(rates.library);
  std::vector<std::string> names = {kRoofline};
  names.insert(names.end(), known.begin(), known.end());
  if (std::ranges::find(names, library) == names.end()) {
    throw std::invalid_argument(fmt::format("library is {}, and the machine {} has no rates of it{}", library,
                                            machine.name, accepted_text(library, names)));
  }
  machine.library = library;
  return machine;
}

const TypeRates& Rates::of(unsigned value_bytes) const {
  if (value_bytes != 8) return fp32;
  if (!has_fp64) {
    throw InputError(fmt::format(
        "the model's numbers are fp64, and the machine file has none for rates[{}], accepted is one with fp64 there",
        workers));
  }
  return fp64;
}

std::optional<Machine> at_bound(const Machine& machine, bool high) {
  const PublishedRates* rates = machine.product_rates();
  if (rates == nullptr) return std::nullopt;
  Machine bound = machine;
  bound.product_factor = high ? rates->interval.high : rates->interval.low;
  if (!high) return bound;
  for (Rates& entry : bound.rates) {
    for (TypeRates* type : {&entry.fp32, &entry.fp64}) {
      for (KindRates* kind : {&type->mv, &type->mm}) {
        kind->flops_per_s /= kRooflineSlack;
        kind->bytes_per_s /= kRooflineSlack;
        kind->cached_bytes_per_s /= kRooflineSlack;
      }
      type->dense_flops_per_s /= kRooflineSlack;
    }
    entry.copy_bytes_per_s /= kRooflineSlack;
  }
  return bound;
}

std::optional<double> TypeRates::dense_rate() const {
  if (dense_flops_per_s > 0) return dense_flops_per_s;
  return std::isfinite(mm.flops_per_s) ? std::optional(mm.flops_per_s) : std::nullopt;
}

bool can_launch(const Machine& machine, LaunchMode mode) {
  const auto says = [](const Rates& rates) { return rates.host_launch_s.has_value(); };
  return machine.kind == MachineKind::gpu && (mode != LaunchMode::eager || std::ranges::all_of(machine.rates, says));
}

Machine launched(Machine machine, LaunchMode mode) {
  if (machine.kind != MachineKind::gpu) {
    throw std::invalid_argument(
        fmt::format("launch is {}, but the machine {} is a {}, which starts no kernels: accepted is none, or a gpu",
                    to_string(mode), machine.name, to_string(machine.kind)));
  }
  if (!can_launch(machine, mode)) {
    const auto silent =
        std::ranges::find_if(machine.rates, [](const Rates& rates) { return !rates.host_launch_s.has_value(); });
    throw std::invalid_argument(
        fmt::format("launch is eager, and the machine {} does not say how long the host takes for a kernel: "
                    "rates[{}].host_launch_us is missing, accepted are that key, or launch graph or fused",
                    machine.name, silent->workers));
  }
  machine.launch = mode;
  return machine;
}

LaunchCosts launch_costs(const Machine& machine, const Rates& rates) {
  if (machine.kind != MachineKind::gpu) return {.op_s = rates.op_latency_s, .level_s = rates.level_latency_s};
  switch (machine.launch) {
    case LaunchMode::eager:
      return {.op_s = std::max(rates.op_latency_s, rates.level_latency_s),
              .wide_level_s = rates.level_latency_s,
              .stream_s = rates.stream_latency_s,
              .streams = rates.workers,
              .host_s = rates.host_launch_s.value_or(0)};
    case LaunchMode::graph:
      return {.op_s = rates.op_latency_s,
              .wide_level_s = rates.level_latency_s,
              .stream_s = rates.stream_latency_s,
              .streams = rates.workers};
    case LaunchMode::fused:
      return {.level_s = rates.op_latency_s};
  }
  return {};
}

OpTime op_time(const Machine& machine, const OpWork& work, const OpPlace& place) {
  const Rates& rates = machine.at(place.active);
  const TypeRates& type = rates.of(place.value_bytes);
  const KernelCosts& costs = (work.is_mv ? type.mv : type.mm).kernel_costs;
  if (machine.team_room.multiprocessors > 0 && costs.is_known()) {
    const KernelVector counts =
        kernel_work(work, machine.team_room, place.value_bytes, uncached_share(machine, place.working_set));
    const double alone = costs.seconds(counts);
    // What an op waits for keeps one of the streams, its work the device.
    const auto streams = static_cast<double>(std::max<std::size_t>(1, place.active));
    return {launch_costs(machine, rates).op_s + alone, std::max(costs.seconds(counts, kWaits), alone / streams)};
  }
  const Bounds whole = bounds(machine, rates, work, place);
  const auto active = static_cast<double>(std::max<std::size_t>(1, rates.workers));
  const double busy = whole.seconds(1);
  const double start = launch_costs(machine, rates).op_s;
  const auto workers = static_cast<double>(std::max<std::size_t>(1, place.workers));
  if (const std::optional<double> seconds = library_seconds(machine, work)) return {start + *seconds, *seconds};
  if (machine.kind == MachineKind::pram) {
    const double alone = start + busy;
    return {alone, alone / workers};
  }
  double share = 1;
  if (machine.kind == MachineKind::cpu) {
    const std::uint64_t parts = op_parts(op_cost(work), place.workers);
    share = std::min(1.0, static_cast<double>(parts) / active);
  } else {
    share = std::min(1.0, static_cast<double>(std::max<std::uint64_t>(1, work.steps.teams)) /
                              static_cast<double>(machine.fill_teams));
  }
  return {start + whole.seconds(share) + whole.wait_s, busy + share * whole.wait_s};
}

}  // namespace upsweep
