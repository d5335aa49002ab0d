#include "upsweep/io/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "published_reader.hpp"
#include "quantity.hpp"
#include "small_products_reader.hpp"
#include "upsweep/io/yaml.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

/// Bandwidths of one entry of the rates, for combines without their own.
struct SharedBandwidths {
  std::optional<double> memory;
  std::optional<double> cached;
  bool memory_used = false;
  bool cached_used = false;
};

class MachineReader {
 public:
  explicit MachineReader(const YamlDocument& document) : document_(document) {}

  Machine read() {
    YamlMap map(document_, *document_.root, "the machine");
    machine_.name = map.text("name");
    machine_.kind = yaml_value(document_, map.require("kind"), map.name("kind"),
                               {MachineKind::pram, MachineKind::cpu, MachineKind::gpu});
    QuantityReader quantities(map, "", machine_.provenance.sources);
    machine_.memory_bytes = bytes(quantities.find("memory", kMemoryUnits, kByteCount));
    machine_.cache_bytes = bytes(quantities.find("cache", kMemoryUnits, kByteCount));
    machine_.near_cache_bytes = bytes(quantities.find("near_cache", kMemoryUnits, kByteCount));
    machine_.first_cache_bytes = bytes(quantities.find("first_cache", kMemoryUnits, kByteCount));
    read_sharing(quantities);
    read_fill_teams(map, quantities);
    read_team_room(map);
    read_small_products(map);
    read_names(map);
    const YamlNode* published = map.find("published");
    const YamlNode* provenance = map.find("provenance");
    const YamlNode& rates = map.require("rates");
    map.finish();
    machine_.provenance.origin = "description";
    if (provenance != nullptr) read_provenance(*provenance);
    read_rates(rates);
    if (published != nullptr) read_published_of(*published);
    return std::move(machine_);
  }

 private:
  [[nodiscard]] bool is_pram() const { return machine_.kind == MachineKind::pram; }

  static std::uint64_t bytes(std::optional<double> value) {
    return static_cast<std::uint64_t>(std::llround(value.value_or(0)));
  }

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

  void read_sharing(QuantityReader& quantities) {
    if (machine_.kind != MachineKind::cpu || machine_.cache_bytes == 0) return;
    const std::string text = fmt::format("more than cache, {} bytes, and at most 8 PiB", machine_.cache_bytes);
    const Accepted beyond_cache = {static_cast<double>(machine_.cache_bytes) + 1, kByteCount.most, text.c_str()};
    machine_.from_memory_bytes = bytes(quantities.find("from_memory", kMemoryUnits, beyond_cache));
    machine_.churn_bytes_per_s = quantities.find("cache_churn", kBandwidthUnits, kZeroOrMore).value_or(0);
  }

  void read_fill_teams(YamlMap& map, QuantityReader& quantities) {
    const auto teams = quantities.find_count("fill_teams", 1);
    if (machine_.kind == MachineKind::gpu) {
      // Says what is missing, and what is there.
      if (!teams) static_cast<void>(map.require("fill_teams"));
      machine_.fill_teams = *teams;
    } else if (teams) {
      throw document_.error(*map.find("fill_teams"),
                            fmt::format("fill_teams stands in a machine of kind {}, accepted is "
                                        "kind gpu, or no fill_teams",
                                        to_string(machine_.kind)));
    }
  }

  void read_team_room(YamlMap& machine) {
    const YamlNode* node = machine.find("team_room");
    if (node == nullptr) return;
    require_gpu(*node, "team_room");
    YamlMap map(document_, *node, "team_room of the machine");
    QuantityReader quantities(map, "team_room", machine_.provenance.sources);
    machine_.team_room.multiprocessors = map.integer("multiprocessors", 1);
    machine_.team_room.shared_bytes = bytes(quantities.require("shared_memory", kMemoryUnits, kByteCount));
    if (constexpr std::uint64_t kLeast = 8192; machine_.team_room.shared_bytes < kLeast) {
      throw document_.error(*node, fmt::format("shared_memory of team_room is {} bytes, accepted are at least {}",
                                               machine_.team_room.shared_bytes, kLeast));
    }
    map.finish();
  }

  void read_small_products(YamlMap& machine) {
    const YamlNode* node = machine.find("small_products");
    if (node == nullptr) return;
    require_gpu(*node, "small_products");
    machine_.small_products = upsweep::read_small_products(document_, *node, machine_.provenance.sources);
  }

  void require_gpu(const YamlNode& node, const std::string& key) const {
    if (machine_.kind == MachineKind::gpu) return;
    throw document_.error(node, fmt::format("{} stands in a machine of kind {}, accepted is kind gpu, or no {}", key,
                                            to_string(machine_.kind), key));
  }

  void read_names(YamlMap& machine) {
    const YamlNode* node = machine.find("names");
    if (node == nullptr) return;
    require_gpu(*node, "names");
    for (const auto& name : yaml_list(document_, *node, "names of the machine", "text"))
      machine_.names.push_back(yaml_text(document_, *name, "a name of the machine"));
  }

  void read_published_of(const YamlNode& node) {
    require_gpu(node, "published");
    if (machine_.rates.front().fp32.mm.kernel_costs.is_known()) {
      throw document_.error(
          node,
          "published stands beside kernels, accepted is one of the two: a calibrated gpu is priced by "
          "its own kernels, whatever a library takes");
    }
    machine_.published = read_published(document_, node);
  }

  void read_provenance(const YamlNode& node) {
    YamlMap map(document_, node, "provenance");
    Provenance& to = machine_.provenance;
    const YamlNode& origin = map.require("origin");
    to.origin = yaml_text(document_, origin, "origin of provenance");
    if (to.origin == "calibration") {
      to.device = map.text("device");
      to.driver = map.text("driver");
      to.backend = map.text("backend");
      to.date = map.text("date");
      const YamlNode& date = map.require("date");
      static const std::regex iso(R"(\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)");
      if (!std::regex_match(to.date, iso)) {
        throw document_.error(date, fmt::format("date of provenance is {}, accepted is a date as in ISO 8601: "
                                                "2026-01-31 or 2026-01-31T12:00:00Z",
                                                describe(date)));
      }
      to.tool_version = map.text("tool_version");
      read_fit(map.require("fit"));
    } else if (to.origin == "datasheet" || to.origin == "definition" || to.origin == "description") {
      to.device = map.find_text("device").value_or("");
    } else {
      throw document_.error(
          origin,
          fmt::format("origin of provenance is {}, accepted are datasheet, calibration, definition and description",
                      describe(origin)));
    }
    map.finish();
  }

  void read_fit(const YamlNode& node) {
    YamlMap map(document_, node, "fit of provenance");
    ErrorFigures& fit = machine_.provenance.fit;
    fit.points = map.integer("points");
    const auto error = [&](const char* key) {
      const YamlNode& value = map.require(key);
      const double number = yaml_number(document_, value, map.name(key));
      if (number < 0) {
        throw document_.error(
            value, fmt::format("{} is {}, accepted is a number of at least 0", map.name(key), describe(value)));
      }
      return number;
    };
    fit.mean = error("mean_error");
    fit.median = error("median_error");
    fit.p90 = error("p90_error");
    fit.max = error("max_error");
    map.finish();
  }

  void read_rates(const YamlNode& node) {
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
    require_gpu(node, "kernels");
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
  Machine machine_;
};

}  // namespace

Machine load_machine(const YamlDocument& document) { return MachineReader(document).read(); }

}  // namespace upsweep
