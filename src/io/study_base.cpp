#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "quantity.hpp"
#include "study_readers.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

/// `memory_limit: none`, or a quantity.
void read_memory_limit(YamlMap& base, PointSettings& point) {
  const YamlDocument& document = base.document();
  const auto& children = base.node().children;
  bool is_without_unit = false;
  for (std::size_t i = 0; i < children.size(); i += 2) is_without_unit |= children[i]->text == "memory_limit";
  if (!is_without_unit) {
    std::map<std::string, std::string> sources;
    QuantityReader quantities(base, "", sources);
    if (const auto bytes = quantities.find("memory_limit", kMemoryUnits, kByteCount))
      point.memory_limit = static_cast<std::uint64_t>(std::llround(*bytes));
    return;
  }
  const YamlNode& node = *base.find("memory_limit");
  if (node.kind != YamlNode::Kind::scalar || node.text != "none") {
    throw document.error(node, fmt::format("memory_limit of base is {}, accepted is none, or a number under a key with "
                                           "its unit: memory_limit_GiB",
                                           describe(node)));
  }
  point.is_limited_by_machine = false;
}

}  // namespace

StudySettings read_base_settings(YamlMap& base) {
  StudySettings settings;
  for (const char* name :
       {"schedule", "execution", "scope", "pattern", "workers", "batch", "ops", "launch", "library", "interval"}) {
    const YamlNode* node = base.find(name);
    if (node == nullptr) continue;
    base.document().at(*node,
                       [&] { set_setting(settings, name, scalar_value(base.document(), *node, base.name(name))); });
  }
  if (const YamlNode* node = base.find("objective")) {
    settings.point.objective = yaml_value(base.document(), *node, base.name("objective"),
                                          {Objective::time, Objective::critical_flops, Objective::work_flops});
  }
  read_memory_limit(base, settings.point);
  return settings;
}

}  // namespace upsweep
