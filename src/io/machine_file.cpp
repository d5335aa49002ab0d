#include "upsweep/io/machine_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "published_reader.hpp"
#include "quantity.hpp"
#include "rates_reader.hpp"
#include "small_products_reader.hpp"
#include "upsweep/io/yaml.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

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
    read_rates(document_, rates, machine_);
    if (published != nullptr) read_published_of(*published);
    return std::move(machine_);
  }

 private:
  static std::uint64_t bytes(std::optional<double> value) {
    return static_cast<std::uint64_t>(std::llround(value.value_or(0)));
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
    if (teams) {
      require_gpu(document_, *map.find("fill_teams"), machine_, "fill_teams");
      machine_.fill_teams = *teams;
    } else if (machine_.kind == MachineKind::gpu) {
      static_cast<void>(map.require("fill_teams"));  // says what is missing, and what is there
    }
  }

  void read_team_room(YamlMap& machine) {
    const YamlNode* node = machine.find("team_room");
    if (node == nullptr) return;
    require_gpu(document_, *node, machine_, "team_room");
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
    require_gpu(document_, *node, machine_, "small_products");
    machine_.small_products = upsweep::read_small_products(document_, *node, machine_.provenance.sources);
  }

  void read_names(YamlMap& machine) {
    const YamlNode* node = machine.find("names");
    if (node == nullptr) return;
    require_gpu(document_, *node, machine_, "names");
    for (const auto& name : yaml_list(document_, *node, "names of the machine", "text"))
      machine_.names.push_back(yaml_text(document_, *name, "a name of the machine"));
  }

  void read_published_of(const YamlNode& node) {
    require_gpu(document_, node, machine_, "published");
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

  const YamlDocument& document_;
  Machine machine_;
};

}  // namespace

Machine load_machine(const YamlDocument& document) { return MachineReader(document).read(); }

}  // namespace upsweep
