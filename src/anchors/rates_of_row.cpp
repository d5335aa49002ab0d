#include "rates_of_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace upsweep {
namespace {

/// Row-binned products as a class beside cuSPARSE: on a Tesla V100, OpSparse is on average 7.35 times as fast (up to
/// 27.8), nsparse 7.35 / 1.43 and spECK 7.35 / 1.52 times. Source: Z. Du et al., OpSparse: A Highly Optimized Framework
/// for Sparse General Matrix Multiplication on GPUs, 2022, https://arxiv.org/abs/2206.07244, abstract.
struct LibraryClass {
  const char* name;
  double times_as_fast;
};
constexpr LibraryClass kRowBinned[] = {{"OpSparse", 7.35}, {"nsparse", 7.35 / 1.43}, {"spECK", 7.35 / 1.52}};
constexpr double kFastest = 27.8;

bool is_device(const Machine& machine, const std::string& device) {
  return machine.provenance.device == device || std::ranges::find(machine.names, device) != machine.names.end();
}

PublishedKind kind_of(AnchorWork work) {
  return work == AnchorWork::product ? PublishedKind::product : PublishedKind::pass;
}

/// Rates of passes of another machine: bytes by bandwidth, elements by multiprocessors times clock (else by bandwidth),
/// calls and steps as they are.
PublishedRates carried_passes(const PublishedRates& rates, const Machine& from, const Machine& to) {
  const double bandwidth = from.rates.back().fp32.mm.bytes_per_s / to.rates.back().fp32.mm.bytes_per_s;
  double cycles = bandwidth;
  if (from.small_products && to.small_products) {
    cycles = static_cast<double>(from.small_products->multiprocessors) * from.small_products->clock_hz /
             (static_cast<double>(to.small_products->multiprocessors) * to.small_products->clock_hz);
  }
  PublishedRates carried = rates;
  const std::vector<double> factors = {1, 1, 1, cycles, bandwidth};
  for (std::size_t i = 0; i < factors.size(); ++i) carried.unit_s[i] *= factors[i];
  carried.interval = {rates.interval.low / kCarriedFactor, rates.interval.high * kCarriedFactor};
  carried.from = {};
  carried.from.carried_from = fmt::format("{} of {}: elements times {:.4g}, bytes times {:.4g} (bandwidth)",
                                          rates.library, from.name, cycles, bandwidth);
  return carried;
}

/// How well rates of a machine go with a row: 0 not at all.
int fit_of(const PublishedRates& rates, const AnchorRow& row, AnchorWork work) {
  if (rates.kind != kind_of(work) || rates.library != row.library) return 0;
  if (work == AnchorWork::product) return 4;
  const bool has_steps = rates.unit_s[2] > 0;
  if (has_steps != (work == AnchorWork::layer)) return 0;
  int points = 1;
  if (work == AnchorWork::layer) {
    if (rates.launch != to_string(launch_of(row))) return 0;
    return points + (rates.cell == row.cell ? 2 : 0);
  }
  // A scan of a library is like another; methods for recurrent layers are not.
  if (rates.algorithm != row.algorithm && row.family == "recurrent") return 0;
  if (rates.algorithm == row.algorithm) points += 4;
  if (rates.cell == row.cell) points += 2;
  if (rates.launch == to_string(launch_of(row))) points += 1;
  return points;
}

const PublishedRates* best_fit(const Machine& machine, const AnchorRow& row, AnchorWork work) {
  const PublishedRates* best = nullptr;
  int most = 0;
  for (const PublishedRates& rates : machine.published) {
    const int points = fit_of(rates, row, work);
    if (points > most) best = &rates;
    most = std::max(most, points);
  }
  return best;
}

std::optional<PublishedRates> carried_over(const AnchorRow& row, AnchorWork work, const Machine& machine,
                                           const AnchorMachines& machines) {
  std::optional<PublishedRates> found;
  std::pair<int, double> best = {0, 0};  // how well they go with the row, and how near the device is
  for (const std::vector<Machine>* list : {&machines.given, &machines.presets}) {
    for (const Machine& from : *list) {
      const PublishedRates* rates = best_fit(from, row, work);
      if (rates == nullptr || rates->from.rows.empty() || from.name == machine.name) continue;
      const std::pair points = {fit_of(*rates, row, work), -device_distance(from, machine)};
      if (points <= best && found) continue;
      best = points;
      found =
          work == AnchorWork::product ? carried_products(*rates, from, machine) : carried_passes(*rates, from, machine);
    }
  }
  return found;
}

/// Of a library that has no rates anywhere, from those of cuSPARSE.
PublishedRates class_rates(const PublishedRates& cusparse, const std::string& library) {
  const auto* const known =
      std::ranges::find_if(kRowBinned, [&](const LibraryClass& one) { return library == one.name; });
  const bool is_known = known != std::end(kRowBinned);
  const double faster = is_known ? known->times_as_fast : std::sqrt(kRowBinned[0].times_as_fast);
  PublishedRates rates = cusparse;
  rates.library = library;
  rates.start_up_s = 0;
  rates.most_products.reset();
  for (double& unit : rates.unit_s) unit /= faster;
  const double spread = is_known ? kFastest / kRowBinned[0].times_as_fast : faster;
  rates.interval = {cusparse.interval.low / spread, cusparse.interval.high * spread};
  rates.from = {};
  rates.from.carried_from = fmt::format(
      "cuSPARSE {:.3g} times as fast, {}", faster,
      is_known ? "the mean of published speed-ups of this row-binned library, the interval up to their largest"
               : "between cuSPARSE and row-binned products, the interval both: nothing is known of this library");
  return rates;
}

/// A timer that covers other phases than that of the rates. Of rates of the computation alone, all phases take 1.7
/// times as long, the interval half as much again above: the RTX 4080 SUPER's rows (all phases, its start-up taken off)
/// are 0.9 to 2.9 times what the A100's rates (computation) say of it, half of them above 1.4.
void use_phases_of(const AnchorRow& row, PublishedRates& rates) {
  constexpr double kPhases = 1.7;
  constexpr double kAbove = 1.5;
  if (rates.covers.empty() || row.covers.empty() || rates.covers == row.covers) return;
  rates.start_up_s = 0;
  if (row.covers == "compute only") {
    rates.interval.low /= kPhases;
    return;
  }
  for (double& unit : rates.unit_s) unit *= kPhases;
  rates.interval.high *= kAbove;
}

}  // namespace

const Machine* machine_of(const AnchorRow& row, const AnchorMachines& machines, std::string& skipped) {
  if (row.device.empty()) {
    skipped = "the source names no device";
    return nullptr;
  }
  for (const std::vector<Machine>* list : {&machines.given, &machines.presets}) {
    for (const Machine& machine : *list) {
      if (machine.kind == MachineKind::gpu && is_device(machine, row.device)) return &machine;
    }
  }
  if (machines.given.size() == 1 && machines.given.front().kind == MachineKind::gpu) return &machines.given.front();
  skipped = fmt::format("no machine is known for '{}', accepted is `machine` with a gpu of that device", row.device);
  return nullptr;
}

std::optional<RowRates> rates_of_row(const AnchorRow& row, AnchorWork work, const Machine& machine,
                                     const AnchorMachines& machines, std::string& skipped) {
  RowRates by{&machine, std::nullopt, false};
  if (const PublishedRates* own = best_fit(machine, row, work)) {
    by.rates = *own;
    by.is_own = true;
  } else {
    by.rates = carried_over(row, work, machine, machines);
  }
  if (!by.rates && work == AnchorWork::product && row.library != "cuSPARSE") {
    AnchorRow other = row;
    other.library = "cuSPARSE";
    if (const std::optional<RowRates> cusparse = rates_of_row(other, work, machine, machines, skipped))
      by.rates = class_rates(*cusparse->rates, row.library);
  }
  if (!by.rates && work != AnchorWork::layer) {
    skipped = fmt::format("nothing is known of '{}' of {} on any machine", row.algorithm, row.library);
    return std::nullopt;
  }
  if (by.rates && work == AnchorWork::product) use_phases_of(row, *by.rates);
  return by;
}

Machine launched_as(const AnchorRow& row, const Machine& machine) {
  const LaunchMode mode = launch_of(row);
  return can_launch(machine, mode) ? launched(machine, mode) : machine;
}

std::optional<double> seconds_of(const AnchorRow& row, AnchorWork work, const RowRates& by) {
  if (work == AnchorWork::product) {
    const std::optional<double> seconds = product_seconds(*by.rates, sizes_of(row));
    return seconds ? std::optional(by.rates->start_up_s + *seconds) : std::nullopt;
  }
  if (work == AnchorWork::pass) return published_seconds(*by.rates, pass_work(row));
  const Machine machine = launched_as(row, *by.machine);
  return layer_seconds(row, machine, assumed_on(machine), by.rates ? &*by.rates : nullptr);
}

double bound_seconds(const AnchorRow& row, AnchorWork work, const Machine& machine) {
  if (work == AnchorWork::layer) return layer_seconds(row, launched_as(row, machine), {}, nullptr);
  const Machine sheet = with_library(machine, kRoofline);
  const unsigned value_bytes = value_bytes_of(row);
  OpWork op;
  if (work == AnchorWork::product) {
    ProductSizes sizes = sizes_of(row);
    const double nnz = sizes.nnz > 0 ? static_cast<double>(sizes.nnz) : estimated_nnz(sizes);
    op.flops = 2 * sizes.products;
    op.steps.teams = sizes.rows;
    const double numbers = static_cast<double>(sizes.left_nnz + sizes.right_nnz) + nnz;
    op.bytes = static_cast<std::uint64_t>((value_bytes + 4.0) * numbers + 12.0 * static_cast<double>(sizes.rows));
  } else {
    // Two inputs and one output where the table does not say.
    const double elements = pass_work(row)[3];
    op.bytes = row.bytes.value_or(static_cast<std::uint64_t>(3 * value_bytes * elements));
    op.steps.teams = machine.fill_teams;
  }
  return op_time(sheet, op, {.workers = 1, .active = 1, .value_bytes = value_bytes, .working_set = ~std::uint64_t{0}})
      .alone_s;
}

bool are_for(const PublishedRates& rates, const AnchorRow& row, AnchorWork work) {
  return work == AnchorWork::product ? fit_of(rates, row, work) > 0
                                     : fit_of(rates, row, work) == (work == AnchorWork::pass ? 8 : 3);
}

}  // namespace upsweep
