#include "rates_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "quantity.hpp"

namespace upsweep {
namespace {

/// Bandwidths of one entry of the rates, for combines without their own.
struct SharedBandwidths {
  std::optional<double> memory;
  std::optional<double> cached;
  bool memory_used = false;
  bool cached_used = false;
};

class RatesReader {
 public:
  RatesReader(const YamlDocument& document, Machine& machine) : document_(document), machine_(machine) {}

  void read(const YamlNode& node) {
    for (const auto& entry : yaml_list(document_, node, "rates of the machine", "mapping")) {
      YamlMap head(document_, *entry, fmt::format("entry {} of rates", machine_.rates.size() + 1));
      const YamlNode& number = head.require("workers");
      const std::uint64_t workers = yaml_integer(document_, number, head.name("workers"), 1);
      if (!machine_.rates.empty() && workers <= machine_.rates.back().workers) {
        throw document_.error(
            number, fmt::format("{} is {}, accepted is more than the {} of the entry before", head.name("workers"),
                                describe(number), machine_.rates.back().workers));
      }
      read_entry(*entry, workers);
    }
  }

 private:
  [[nodiscard]] bool is_pram() const { return machine_.kind == MachineKind::pram; }

  /// What is missing is said at once, where it is more than one key; a unit may follow a key.
  void require_together(const YamlNode& node, const std::string& what, const std::vector<std::string>& keys) const {
    if (node.kind != YamlNode::Kind::mapping) return;
    const auto stands = [&](const std::string& key) {
      for (std::size_t i = 0; i < node.children.size(); i += 2) {
        const std::string& found = node.children[i]->text;
        if (found == key || found.starts_with(key + '_')) return true;
      }
      return false;
    };
    std::vector<std::string> missing;
    std::ranges::copy_if(keys, std::back_inserter(missing), [&](const std::string& key) { return !stands(key); });
    // One alone is said with what there is.
    if (missing.size() < 2) return;
    throw document_.error(node,
                          fmt::format("{} has no {}, accepted is a mapping with {}; numbers have their unit in the "
                                      "key, as op_latency_us",
                                      what, fmt::join(missing, ", "), fmt::join(keys, ", ")));
  }

  void read_entry(const YamlNode& node, std::uint64_t workers) {
    const std::string where = fmt::format("rates[{}]", workers);
    YamlMap map(document_, node, where);
    QuantityReader quantities(map, where, machine_.provenance.sources);
    Rates rates;
    static_cast<void>(map.require("workers"));
    rates.workers = workers;
    const auto op_latency = quantities.find("op_latency", kTimeUnits, kZeroOrMore);
    const auto level_latency = quantities.find("level_latency", kTimeUnits, kZeroOrMore);
    if (machine_.kind == MachineKind::gpu)
      rates.stream_latency_s = quantities.find("stream_latency", kTimeUnits, kZeroOrMore).value_or(0);
    if (machine_.kind == MachineKind::gpu)
      rates.host_launch_s = quantities.find("host_launch", kTimeUnits, kZeroOrMore);
    if (machine_.kind == MachineKind::cpu) {
      rates.near_latency_s = quantities.find("near_latency", kTimeUnits, kZeroOrMore).value_or(0);
      rates.far_latency_s = quantities.find("far_latency", kTimeUnits, kZeroOrMore).value_or(0);
    }
    rates.copy_bytes_per_s = quantities.find("copy_bandwidth", kBandwidthUnits, kPositive).value_or(0);
    SharedBandwidths shared;
    shared.memory = quantities.find("bandwidth", kBandwidthUnits, kPositive);
    shared.cached = quantities.find("cached_bandwidth", kBandwidthUnits, kPositive);
    if (!is_pram()) require_together(node, where, {"op_latency", "level_latency", "fp32"});
    if (!op_latency) throw quantities.missing("op_latency", kTimeUnits);
    if (!level_latency && !is_pram()) throw quantities.missing("level_latency", kTimeUnits);
    rates.op_latency_s = *op_latency;
    rates.level_latency_s = level_latency.value_or(0);
    rates.fp32 = read_type(map, quantities, where, "fp32", shared);
    rates.has_fp64 = is_pram() || map.find("fp64") != nullptr;
    rates.fp64 = rates.has_fp64 ? read_type(map, quantities, where, "fp64", shared) : rates.fp32;
    map.finish();
    check_used(node, where + " has a bandwidth", shared.memory.has_value() && !shared.memory_used);
    check_used(node, where + " has a cached_bandwidth", shared.cached.has_value() && !shared.cached_used);
    machine_.rates.push_back(rates);
  }

  void check_used(const YamlNode& node, const std::string& what, bool unused) const {
    if (!unused) return;
    throw document_.error(node,
                          what + " that nothing uses, since every mv and mm has its own; accepted is one that is used");
  }

  TypeRates read_type(YamlMap& entry, QuantityReader& rates, const std::string& parent, const std::string& type,
                      SharedBandwidths& shared) {
    const std::string where = parent + '.' + type;
    const YamlNode* node = is_pram() ? entry.find(type) : &entry.require(type);
    TypeRates result;
    if (node == nullptr) {
      use(shared, {}, {}, result.mv);
      result.mm = result.mv;
      return result;
    }
    YamlMap map(document_, *node, entry.name(type));
    QuantityReader quantities(map, where, machine_.provenance.sources);
    const auto compute = quantities.find("compute", kComputeUnits, kPositive);
    for (const auto& [name, seconds] : kBuildRates)
      result.build.*seconds = quantities.find(name, kTimeUnits, kZeroOrMore);
    const auto dense = quantities.find("dense", kComputeUnits, kPositive);
    if (dense && is_pram()) {
      throw document_.error(*node, entry.name(type) +
                                       " of a machine of kind pram has a dense rate, accepted is kind cpu "
                                       "or gpu, or none");
    }
    result.dense_flops_per_s = dense.value_or(0);
    const YamlNode* mv = map.find("mv");
    const YamlNode* mm = map.find("mm");
    map.finish();
    check_form(*node, entry.name(type), compute.has_value(), mv != nullptr, mm != nullptr);
    if (compute && !shared.memory && !is_pram()) throw rates.missing("bandwidth", kBandwidthUnits);
    result.mv = read_combine(mv, map.name("mv"), where + ".mv", shared);
    result.mm = read_combine(mm, map.name("mm"), where + ".mm", shared);
    if (compute) result.mv.flops_per_s = result.mm.flops_per_s = *compute;
    return result;
  }

  void check_form(const YamlNode& node, const std::string& what, bool compute, bool mv, bool mm) const {
    const auto fail = [&](const std::string& found) {
      throw document_.error(node,
                            fmt::format("{} has {}, accepted is compute_TFLOPps (or FLOPps, MFLOPps, GFLOPps), or "
                                        "both mv and mm",
                                        what, found));
    };
    if (compute && (mv || mm)) fail(fmt::format("both compute and {}", mv ? "mv" : "mm"));
    if (is_pram() || compute || (mv && mm)) return;
    fail(mv ? "mv without mm" : mm ? "mm without mv" : "neither compute nor mv and mm");
  }

  /// Rates of an mv or mm; those of the entry where there is none.
  KindRates read_combine(const YamlNode* node, const std::string& what, const std::string& where,
                         SharedBandwidths& shared) {
    KindRates rates;
    if (node == nullptr) {
      use(shared, {}, {}, rates);
      return rates;
    }
    YamlMap map(document_, *node, what);
    if (const YamlNode* kernels = map.find("kernels")) {
      rates.kernel_costs = read_kernels(*kernels, map.name("kernels"), where + ".kernels");
      map.finish();
      return rates;
    }
    QuantityReader quantities(map, where, machine_.provenance.sources);
    rates.costs = read_costs(quantities);
    const YamlNode* memory_costs = map.find("memory");
    const auto memory = quantities.find("bandwidth", kBandwidthUnits, kPositive);
    const auto cached = quantities.find("cached_bandwidth", kBandwidthUnits, kPositive);
    map.finish();
    if (memory_costs != nullptr) {
      YamlMap costs(document_, *memory_costs, map.name("memory"));
      QuantityReader reader(costs, where + ".memory", machine_.provenance.sources);
      rates.memory_costs = read_costs(reader);
      costs.finish();
    } else if (!memory && !shared.memory && !is_pram()) {
      throw quantities.missing("bandwidth", kBandwidthUnits);
    }
    use(shared, memory, cached, rates);
    // Measured costs have their cache in them.
    if (!cached && !shared.cached) rates.cached_bytes_per_s = std::numeric_limits<double>::infinity();
    return rates;
  }

  [[nodiscard]] KernelCosts read_kernels(const YamlNode& node, const std::string& what, const std::string& where) {
    require_gpu(document_, node, machine_, "kernels");
    if (machine_.team_room.multiprocessors == 0) {
      throw document_.error(node, what +
                                      " needs to know what the device has for teams of rows, accepted is with "
                                      "team_room: {multiprocessors: ..., shared_memory_KiB: ...}");
    }
    YamlMap map(document_, node, what);
    QuantityReader quantities(map, where, machine_.provenance.sources);
    KernelCosts costs;
    for (std::size_t i = 0; i < kKernelWorkNames.size(); ++i)
      costs.unit_s[i] = quantities.require(kKernelWorkNames[i], kTimeUnits, kZeroOrMore);
    map.finish();
    if (!costs.is_known()) throw document_.error(node, what + " are all 0, accepted is one at least that takes time");
    return costs;
  }

  [[nodiscard]] WorkCosts read_costs(QuantityReader& quantities) const {
    WorkCosts costs;
    // Backwards, "team" after "team_step": see QuantityReader::find(). What is there comes before what is missing.
    std::array<std::optional<double>, kWorkNames.size()> found;
    for (std::size_t i = kWorkNames.size(); i-- > 0;) {
      found[i] = quantities.find(kWorkNames[i], kTimeUnits, kZeroOrMore);
      if (found[i]) costs.knows = costs.knows || fine_unit(kWorkNames[i]);
    }
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
      if (!found[i] && !is_pram() && has_unit(costs.knows, kWorkNames[i]))
        throw quantities.missing(kWorkNames[i], kTimeUnits);
      costs.unit_s[i] = found[i].value_or(0);
    }
    return costs;
  }

  /// Bandwidths of a combine: its own, else those of the entry; a cache is else as fast as memory.
  static void use(SharedBandwidths& shared, std::optional<double> memory, std::optional<double> cached,
                  KindRates& rates) {
    if (!memory) {
      memory = shared.memory;
      shared.memory_used = true;
    }
    if (!cached) {
      cached = shared.cached;
      shared.cached_used = true;
    }
    if (memory) rates.bytes_per_s = *memory;
    rates.cached_bytes_per_s = cached.value_or(rates.bytes_per_s);
  }

  const YamlDocument& document_;
  Machine& machine_;
};

}  // namespace

void read_rates(const YamlDocument& document, const YamlNode& node, Machine& machine) {
  RatesReader(document, machine).read(node);
}

void require_gpu(const YamlDocument& document, const YamlNode& node, const Machine& machine, const std::string& key) {
  if (machine.kind == MachineKind::gpu) return;
  throw document.error(node, fmt::format("{} stands in a machine of kind {}, accepted is kind gpu, or no {}", key,
                                         to_string(machine.kind), key));
}

}  // namespace upsweep
