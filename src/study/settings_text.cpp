#include "settings_text.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

#include "upsweep/io/content_hash.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

/// One name for all schedules that mean the same; what is no schedule stays as it is.
std::string schedule_text(const std::string& schedule) {
  if (schedule == "best" || schedule == "best-of-all") return schedule;
  try {
    return canonical_name(parse_schedule(schedule));
  } catch (const std::invalid_argument&) {
    return schedule;
  }
}

void append(std::string& text, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace

std::string settings_text(const StudySettings& settings) {
  // Every point has its text: put together without a formatter.
  const PointSettings& point = settings.point;
  std::string text;
  text.reserve(160);
  text.append("schedule=").append(schedule_text(point.schedule));
  text.append(" objective=").append(to_string(point.objective));
  text.append(" execution=").append(to_string(point.execution));
  text.append(" scope=").append(point.scope == Scope::all ? "all" : "live");
  text.append(" pattern=").append(to_string(settings.pattern));
  text.append(" workers=");
  if (point.workers) {
    append(text, *point.workers);
  } else {
    text.append("default");
  }
  text.append(" batch=");
  append(text, settings.batch.value_or(point.batch));
  text.append(" memory_limit_B=");
  if (point.memory_limit) {
    append(text, *point.memory_limit);
  } else {
    text.append(point.is_limited_by_machine ? "machine" : "none");
  }
  // Keys of points before there was a choice hold on.
  if (point.ops == Ops::shared) text.append(" ops=shared");
  if (point.library) text.append(" library=").append(*point.library);
  if (point.interval != IntervalEnd::predicted) text.append(" interval=").append(to_string(point.interval));
  if (point.launch) text.append(" launch=").append(to_string(*point.launch));
  return text;
}

ContentKey point_key(const PointInputs& inputs, std::string_view tool_version) {
  ContentHash hash;
  hash.add("model", inputs.model.hash);
  hash.add("pattern", std::string_view(to_string(inputs.settings.pattern)));
  hash.add("machine", inputs.machine.hash);
  hash.add("settings", settings_text(inputs.settings));
  // Points of a gpu from before it mattered how kernels are started have other seconds.
  if (inputs.machine.machine && inputs.machine.machine->kind == MachineKind::gpu)
    hash.add("launch", to_string(inputs.settings.point.launch.value_or(LaunchMode::graph)));
  // Points of networks with branches from before they were compared with back-propagation over the graph lack it.
  const Model* network = inputs.model.model ? std::get_if<Model>(inputs.model.model.get()) : nullptr;
  if (network != nullptr && network->network.has_blocks()) hash.add("graph", std::string_view("1"));
  // Spans of uniform chains were those of a mean row.
  const ChainModel* chain = inputs.model.model ? std::get_if<ChainModel>(inputs.model.model.get()) : nullptr;
  if (chain != nullptr && !chain->chain.is_exact() && inputs.settings.point.ops == Ops::shared)
    hash.add("spans", std::string_view("longest row"));
  hash.add("rule", std::string_view(kCountingRule));
  hash.add("tool_version", tool_version);
  return hash.digest();
}

}  // namespace upsweep
