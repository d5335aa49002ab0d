#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "published_reader.hpp"
#include "quoted.hpp"
#include "replace_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {
namespace {

/// The first part in which two machines differ, or nothing.
std::optional<std::string> difference(const Machine& a, const Machine& b) {
  if (a.name != b.name || a.kind != b.kind) return "name or kind";
  const auto sizes = [](const Machine& of) {
    return std::tie(of.memory_bytes, of.cache_bytes, of.near_cache_bytes, of.first_cache_bytes, of.from_memory_bytes,
                    of.churn_bytes_per_s);
  };
  if (sizes(a) != sizes(b)) return "memory or caches";
  if (a.fill_teams != b.fill_teams) return "fill_teams";
  if (a.team_room != b.team_room) return "team_room";
  if (a.small_products != b.small_products) return "small_products";
  if (a.rates.size() != b.rates.size()) return "rates";
  for (std::size_t i = 0; i < a.rates.size(); ++i) {
    if (a.rates[i] != b.rates[i]) return fmt::format("rates[{}]", a.rates[i].workers);
  }
  if (a.names != b.names) return "names";
  if (a.published != b.published) return "published";
  if (a.provenance != b.provenance) return "provenance";
  return std::nullopt;
}

/// A bandwidth of combines: its name in files and where it is kept.
struct Bandwidth {
  const char* name;
  double KindRates::*member;
};
constexpr Bandwidth kMemory = {"bandwidth", &KindRates::bytes_per_s};
constexpr Bandwidth kCached = {"cached_bandwidth", &KindRates::cached_bytes_per_s};

class MachineWriter {
 public:
  explicit MachineWriter(const Machine& machine) : machine_(machine) {}

  std::string text() {
    put("name: {}\nkind: {}\n", quoted(machine_.name), to_string(machine_.kind));
    if (!machine_.names.empty()) {
      std::string names;
      for (const std::string& name : machine_.names) names += (names.empty() ? "" : ", ") + quoted(name);
      put("names: [{}]\n", names);
    }
    if (machine_.memory_bytes != 0) quantity("", "", "memory", "_B", machine_.memory_bytes);
    if (machine_.cache_bytes != 0) quantity("", "", "cache", "_B", machine_.cache_bytes);
    if (machine_.near_cache_bytes != 0) quantity("", "", "near_cache", "_B", machine_.near_cache_bytes);
    if (machine_.first_cache_bytes != 0) quantity("", "", "first_cache", "_B", machine_.first_cache_bytes);
    if (machine_.from_memory_bytes != 0) quantity("", "", "from_memory", "_B", machine_.from_memory_bytes);
    if (machine_.churn_bytes_per_s != 0) quantity("", "", "cache_churn", "_Bps", machine_.churn_bytes_per_s);
    if (machine_.kind == MachineKind::gpu) quantity("", "", "fill_teams", "", machine_.fill_teams);
    if (machine_.team_room.multiprocessors != 0) {
      put("team_room:\n  multiprocessors: {}\n", machine_.team_room.multiprocessors);
      quantity("  ", "team_room", "shared_memory", "_B", machine_.team_room.shared_bytes);
    }
    if (machine_.small_products) put_small_products(*machine_.small_products);
    put_provenance();
    put("rates:{}\n", machine_.rates.empty() ? " []" : "");
    for (const Rates& rates : machine_.rates) put_rates(rates);
    out_ += published_text(machine_.published);
    return std::move(out_);
  }

 private:
  /// A combine of an entry of the rates.
  struct Place {
    const KindRates* rates;
    std::string where;  ///< "rates[2].fp32.mv"
  };

  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] bool is_pram() const { return machine_.kind == MachineKind::pram; }
  [[nodiscard]] bool has_source(const std::string& where, const char* name) const {
    return machine_.provenance.sources.contains(where + '.' + name);
  }

  template <class Number>
  void quantity(std::string_view indent, const std::string& where, const std::string& name, const char* unit,
                Number value) {
    const auto source = machine_.provenance.sources.find(where.empty() ? name : where + '.' + name);
    if (source == machine_.provenance.sources.end()) {
      put("{}{}{}: {}\n", indent, name, unit, value);
    } else {
      put("{}{}{}: {{value: {}, source: {}}}\n", indent, name, unit, value, quoted(source->second));
    }
  }

  void put_small_products(const SmallProducts& small) {
    const std::string where = "small_products";
    put("{}:\n", where);
    quantity("  ", where, "multiprocessors", "", small.multiprocessors);
    quantity("  ", where, "clock", "_Hz", small.clock_hz);
    quantity("  ", where, "resident_blocks", "", small.resident_blocks);
    quantity("  ", where, "resident_threads", "", small.resident_threads);
    quantity("  ", where, "shared_memory", "_B", small.shared_memory_bytes);
    quantity("  ", where, "shared_words", "", small.shared_words);
    quantity("  ", where, "fma", "_cycles", small.fma_cycles);
    quantity("  ", where, "shared_load", "_cycles", small.shared_load_cycles);
    quantity("  ", where, "cache_load", "_cycles", small.cache_load_cycles);
    quantity("  ", where, "memory_load", "_cycles", small.memory_load_cycles);
  }

  void put_provenance() {
    const Provenance& from = machine_.provenance;
    put("provenance:\n  origin: {}\n", quoted(from.origin));
    if (from.origin != "calibration") {
      if (!from.device.empty()) put("  device: {}\n", quoted(from.device));
      return;
    }
    put("  device: {}\n  driver: {}\n  backend: {}\n", quoted(from.device), quoted(from.driver), quoted(from.backend));
    put("  date: {}\n  tool_version: {}\n", quoted(from.date), quoted(from.tool_version));
    put("  fit: {{points: {}, mean_error: {}, median_error: {}, p90_error: {}, max_error: {}}}\n", from.fit.points,
        from.fit.mean, from.fit.median, from.fit.p90, from.fit.max);
  }

  void put_rates(const Rates& rates) {
    const std::string where = fmt::format("rates[{}]", rates.workers);
    put("  - workers: {}\n", rates.workers);
    quantity("    ", where, "op_latency", "_s", rates.op_latency_s);
    quantity("    ", where, "level_latency", "_s", rates.level_latency_s);
    if (rates.stream_latency_s != 0) quantity("    ", where, "stream_latency", "_s", rates.stream_latency_s);
    if (rates.host_launch_s) quantity("    ", where, "host_launch", "_s", *rates.host_launch_s);
    if (rates.near_latency_s != 0) quantity("    ", where, "near_latency", "_s", rates.near_latency_s);
    if (rates.far_latency_s != 0) quantity("    ", where, "far_latency", "_s", rates.far_latency_s);
    if (rates.copy_bytes_per_s > 0) quantity("    ", where, "copy_bandwidth", "_Bps", rates.copy_bytes_per_s);
    const std::array<Place, 4> places = {{{&rates.fp32.mv, where + ".fp32.mv"},
                                          {&rates.fp32.mm, where + ".fp32.mm"},
                                          {&rates.fp64.mv, where + ".fp64.mv"},
                                          {&rates.fp64.mm, where + ".fp64.mm"}}};
    const auto memory = put_shared(where, places, kMemory);
    const auto cached = put_shared(where, places, kCached);
    put_type(rates.fp32, where + ".fp32", places[0], places[1], memory, cached);
    if (rates.has_fp64) put_type(rates.fp64, where + ".fp64", places[2], places[3], memory, cached);
  }

  /// The cached bandwidth that a file need not name: that of memory; none where measured costs have it in them.
  static double cached_else(const KindRates& rates) {
    const bool measured = std::isinf(rates.flops_per_s);
    return measured ? std::numeric_limits<double>::infinity() : rates.bytes_per_s;
  }

  /// Writes the bandwidth that combines without their own have, and returns it. Those with FLOP/s cannot have their
  /// own.
  std::optional<double> put_shared(const std::string& where, const std::array<Place, 4>& places,
                                   const Bandwidth& bandwidth) {
    const Place* leader = nullptr;
    bool on_datasheet = false;
    bool all_equal = true;
    bool expected = true;
    for (const Place& place : places) {
      const double value = place.rates->*bandwidth.member;
      all_equal = all_equal && value == places[0].rates->*bandwidth.member;
      expected = expected && value == cached_else(*place.rates);
      if (std::isfinite(place.rates->flops_per_s) && !on_datasheet) {
        on_datasheet = true;
        leader = &place;
      }
      if (leader == nullptr && !has_source(place.where, bandwidth.name)) leader = &place;
    }
    const bool sourced = has_source(where, bandwidth.name);
    const bool silent = bandwidth.member == kCached.member && expected;
    if (leader == nullptr || !(sourced || (!silent && (on_datasheet || all_equal)))) return std::nullopt;
    const double value = leader->rates->*bandwidth.member;
    if (!std::isfinite(value)) return std::nullopt;
    quantity("    ", where, bandwidth.name, "_Bps", value);
    return value;
  }

  void put_type(const TypeRates& type, const std::string& where, const Place& mv, const Place& mm,
                std::optional<double> memory, std::optional<double> cached) {
    // A pram may do without.
    TypeRates plain;
    plain.mv.bytes_per_s = memory.value_or(plain.mv.bytes_per_s);
    plain.mv.cached_bytes_per_s = cached.value_or(plain.mv.bytes_per_s);
    plain.mm = plain.mv;
    if (is_pram() && type == plain) return;
    put("    {}:\n", std::string_view(where).substr(where.size() - 4));
    for (const auto& [name, seconds] : kBuildRates) {
      if (type.build.*seconds) quantity("      ", where, name, "_s", *(type.build.*seconds));
    }
    if (type.dense_flops_per_s != 0) quantity("      ", where, "dense", "_FLOPps", type.dense_flops_per_s);
    if (std::isfinite(type.mv.flops_per_s)) {
      quantity("      ", where, "compute", "_FLOPps", type.mv.flops_per_s);
      return;
    }
    put_combine(mv, memory, cached);
    put_combine(mm, memory, cached);
  }

  void put_combine(const Place& place, std::optional<double> memory, std::optional<double> cached) {
    put("      {}:\n", std::string_view(place.where).substr(place.where.size() - 2));
    if (const KernelCosts& kernels = place.rates->kernel_costs; kernels.is_known()) {
      put("        kernels:\n");
      for (std::size_t i = 0; i < kKernelWorkNames.size(); ++i)
        quantity("          ", place.where + ".kernels", kKernelWorkNames[i], "_s", kernels.unit_s[i]);
      return;
    }
    put_costs("        ", place.where, place.rates->costs);
    const double memory_value = place.rates->bytes_per_s;
    const double cached_value = place.rates->cached_bytes_per_s;
    put_own(place, kMemory, memory ? memory == memory_value : std::isinf(memory_value));
    put_own(place, kCached, cached ? cached == cached_value : std::isinf(cached_value));
    if (std::isinf(memory_value) || place.rates->memory_costs != WorkCosts{}) {
      put("        memory:\n");
      put_costs("          ", place.where + ".memory", place.rates->memory_costs);
    }
  }

  void put_costs(std::string_view indent, const std::string& where, const WorkCosts& costs) {
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
      if (has_unit(costs.knows, kWorkNames[i])) quantity(indent, where, kWorkNames[i], "_s", costs.unit_s[i]);
    }
  }

  void put_own(const Place& place, const Bandwidth& bandwidth, bool goes_without) {
    if (goes_without && !has_source(place.where, bandwidth.name)) return;
    quantity("        ", place.where, bandwidth.name, "_Bps", place.rates->*bandwidth.member);
  }

  const Machine& machine_;
  std::string out_;
};

}  // namespace

std::string machine_text(const Machine& machine) {
  std::string text = MachineWriter(machine).text();
  const std::string name = "machine " + quoted(machine.name);
  std::istringstream in(text);
  // What cannot be written as it is must not be written otherwise.
  if (const auto part = difference(machine, load_machine(parse_yaml(in, name)))) {
    throw InputError(fmt::format(
        "{}: its {} cannot be written to a machine file, accepted is what load_machine() gives", name, *part));
  }
  return text;
}

void write_machine(const Machine& machine, const std::string& path) {
  replace_file(path, std::string(kMachineMark) + machine_text(machine));
}

}  // namespace upsweep
