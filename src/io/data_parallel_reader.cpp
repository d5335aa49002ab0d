#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cost_lists.hpp"
#include "training_readers.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

// All k under all link rules are simulated: time and output grow with the square.
constexpr std::size_t kMostSyncedLayers = 4096;

/// Bytes per second at which weight gradients are synchronised.
double sync_bandwidth(const TrainingInput& input) {
  const YamlNode* node = input.map.find("bandwidth");
  const auto& link = input.network->link();
  if (node != nullptr && link) {
    throw input.document().error(*node,
                                 input.map.name("bandwidth") + " beside a link file, accepted is one of the two");
  }
  if (node != nullptr) return read_number(input.document(), *node, input.map.name("bandwidth"), NumberSign::positive);
  if (link) return link->bytes_per_s;
  throw input.document().error(input.map.node(),
                               "a data_parallel file with a model has neither link nor bandwidth, accepted is one of "
                               "them: weight gradients go over it");
}

void read_costs(const TrainingInput& input, std::size_t layers, DataParallel& step) {
  step.forward = read_list(input.map, "F", layers, NumberSign::positive);
  step.output_gradient =
      read_list(input.map, "O", layers, NumberSign::positive, std::nullopt, step.skip_first_output_gradient);
  step.weight_gradient = read_list(input.map, "W", layers, NumberSign::positive);
  step.synchronisation = read_list(input.map, "S", layers, NumberSign::not_negative);
}

void take_costs(const TrainingInput& input, DataParallel& step) {
  const LayerCosts& costs = input.network->of(input.network->settle_batch(1));
  const double bandwidth = sync_bandwidth(input);
  step.forward = costs.forward;
  step.output_gradient = costs.output_gradient;
  step.weight_gradient = costs.weight_gradient;
  if (step.skip_first_output_gradient) step.weight_gradient.front() += costs.inner_gradient.front();
  for (const double bytes : costs.weight_bytes) step.synchronisation.push_back(bytes / bandwidth);
}

FirstKMemory read_memory(const TrainingInput& input, std::size_t layers) {
  FirstKMemory memory;
  memory.forward =
      read_number(input.document(), input.map.require("M_fwd"), input.map.name("M_fwd"), NumberSign::not_negative);
  memory.output_gradient_frees = read_list(input.map, "M_O", layers, NumberSign::not_negative);
  memory.weight_gradient_takes = read_list(input.map, "M_W", layers, NumberSign::not_negative);
  input.document().at(
      input.map.node(), [&] { static_cast<void>(first_k_memory(memory, {})); }, "M_fwd, M_O and M_W: ");
  return memory;
}

}  // namespace

DataParallelStudy read_data_parallel(const TrainingInput& input) {
  DataParallelStudy study;
  const std::size_t layers = input.layers();
  if (layers > kMostSyncedLayers) {
    throw input.document().error(
        input.map.node(),
        fmt::format("{} layers, accepted are at most {}: every k is simulated", layers, kMostSyncedLayers));
  }
  study.step.skip_first_output_gradient = input.skips_first_output_gradient();
  if (input.network == nullptr) {
    read_costs(input, layers, study.step);
  } else {
    take_costs(input, study.step);
  }
  if (study.step.skip_first_output_gradient) study.step.output_gradient.front() = 0;
  input.document().at(input.map.node(), [&] { check_data_parallel(study.step); });
  if (const YamlNode* rule = input.map.find("search_link")) {
    study.search_rule = yaml_value(input.document(), *rule, input.map.name("search_link"),
                                   {LinkRule::fifo, LinkRule::priority, LinkRule::preemptive});
  }
  if (const YamlNode* limit = input.map.find("memory_limit")) {
    study.memory_limit =
        yaml_number(input.document(), *limit, input.map.name("memory_limit") + ", in the units of M_fwd,");
    study.memory = read_memory(input, layers);
    const FirstKTable table = first_k_memory(*study.memory, {&*study.memory_limit, 1});
    if (!table.largest_k.front()) {
      throw input.document().error(*limit, fmt::format("memory_limit is {}, accepted is more than {}: the conventional "
                                                       "order (k = 0) needs that much",
                                                       *study.memory_limit, table.memory_of_k.front()));
    }
  }
  return study;
}

FirstKMemoryStudy read_first_k_memory(const TrainingInput& input) {
  FirstKMemoryStudy study;
  study.memory = read_memory(input, input.layers());
  const std::string what = input.map.name("limits");
  for (const auto& limit : read_sequence(input.document(), input.map.require("limits"), what))
    study.limits.push_back(yaml_number(input.document(), *limit, "an entry of " + what));
  return study;
}

}  // namespace upsweep
