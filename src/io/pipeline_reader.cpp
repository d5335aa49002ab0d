#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cost_lists.hpp"
#include "training_readers.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/document/size.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/training/pipeline_tasks.hpp"
#include "upsweep/training/policy.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostDevices = 1'000'000;
constexpr std::uint64_t kMostMicroBatches = 100'000'000;

/// A layer's input is the output of the one before.
std::vector<LayerBytes> layer_bytes(const LayerCosts& costs, double input) {
  const auto whole = [](double bytes) { return static_cast<std::uint64_t>(std::min(bytes, 0x1p63)); };
  std::vector<LayerBytes> bytes;
  for (std::size_t layer = 0; layer < costs.layers(); ++layer) {
    bytes.push_back({whole(input), whole(costs.output_bytes[layer]), whole(costs.weight_bytes[layer])});
    input = costs.output_bytes[layer];
  }
  return bytes;
}

/// Reads `kind: pipeline`.
class PipelineReader {
 public:
  explicit PipelineReader(const TrainingInput& input)
      : input_(input), map_(input.map), document_(input.document()), layers_(input.layers()) {}

  PipelineStudy read() {
    base_.devices = map_.integer("devices", 1, kMostDevices);
    base_.micro_batches = map_.integer("micro_batches", 1, kMostMicroBatches);
    study_.micro_batches = base_.micro_batches;
    base_.skip_first_output_gradient = input_.skips_first_output_gradient();
    base_.update = read_list(map_, "U", layers_, NumberSign::not_negative, 0);
    if (input_.network == nullptr) read_costs();
    read_link();
    alloc_ = &map_.require("alloc");
    read_choices();
    read_memory_limit();
    read_scans();
    return std::move(study_);
  }

 private:
  void read_costs() {
    base_.forward = read_list(map_, "F", layers_, NumberSign::positive);
    base_.output_gradient =
        read_list(map_, "O", layers_, NumberSign::positive, std::nullopt, base_.skip_first_output_gradient);
    base_.weight_gradient = read_list(map_, "W", layers_, NumberSign::positive);
    base_.transfer_sizes = read_list(map_, "size", layers_ - 1, NumberSign::not_negative, 0);
    if (base_.skip_first_output_gradient) base_.output_gradient.front() = 0;  // whatever stands there
  }

  /// Costs per micro-batch where the step is cut into `micro_batches`.
  void set_costs(Pipeline& pipeline, const YamlNode& at) {
    if (input_.network == nullptr) {
      // The same step in other pieces: a micro-batch of x times the size takes x times as long.
      const double share = static_cast<double>(base_.micro_batches) / static_cast<double>(pipeline.micro_batches);
      for (auto* list :
           {&pipeline.forward, &pipeline.output_gradient, &pipeline.weight_gradient, &pipeline.transfer_sizes}) {
        for (double& cost : *list) cost *= share;
      }
      return;
    }
    const std::uint64_t batch = input_.network->settle_batch(base_.micro_batches);
    if (batch % pipeline.micro_batches != 0) {
      throw document_.error(at, fmt::format("{} micro-batches of a batch of {} samples, accepted is a divisor",
                                            pipeline.micro_batches, batch));
    }
    const LayerCosts& costs = input_.network->of(batch / pipeline.micro_batches);
    pipeline.forward = costs.forward;
    pipeline.output_gradient = costs.output_gradient;
    pipeline.weight_gradient = costs.weight_gradient;
    pipeline.transfer_sizes.assign(costs.output_bytes.begin(), costs.output_bytes.end() - 1);
    pipeline.bytes = layer_bytes(costs, input_.network->input_bytes(batch / pipeline.micro_batches));
    if (!pipeline.skip_first_output_gradient) return;
    pipeline.output_gradient.front() = 0;
    pipeline.weight_gradient.front() += costs.inner_gradient.front();
  }

  void read_link() {
    const std::optional<Link> link = input_.network == nullptr ? std::nullopt : input_.network->link();
    for (const char* key : {"latency", "bandwidth"}) {
      const YamlNode* node = map_.find(key);
      if (node == nullptr) continue;
      if (link) {
        throw document_.error(*node, fmt::format("{} beside a link file, accepted is one of the two", map_.name(key)));
      }
      if (key == std::string("latency")) {
        base_.latency = read_number(document_, *node, map_.name(key), NumberSign::not_negative);
      } else if (node->kind != YamlNode::Kind::null) {
        base_.bandwidth = read_number(document_, *node, map_.name(key), NumberSign::positive);
      }
    }
    if (link) {
      base_.latency = link->latency_s;
      base_.bandwidth = link->bytes_per_s;
    }
    if (const YamlNode* model = map_.find("comm_model")) {
      const bool is_link = yaml_choice(document_, *model, map_.name("comm_model"), {"delay", "link"}) == 1;
      base_.comm_model = is_link ? CommModel::link : CommModel::delay;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> read_allocation(const YamlNode& node, const std::string& what) const {
    if (node.kind == YamlNode::Kind::scalar && node.text == "contiguous")
      return contiguous_allocation(layers_, base_.devices);
    if (node.kind == YamlNode::Kind::scalar && node.text == "modulo")
      return modulo_allocation(layers_, base_.devices, 1);
    if (node.kind == YamlNode::Kind::mapping) {
      YamlMap modulo(document_, node, what);
      const std::uint64_t group = modulo.integer("modulo", 1);
      modulo.finish();
      return modulo_allocation(layers_, base_.devices, group);
    }
    if (node.kind != YamlNode::Kind::sequence) {
      throw document_.error(node, fmt::format("{} is {}{}, {{modulo: GROUP}}, a list of devices", what, describe(node),
                                              accepted_text(node.text, {"contiguous", "modulo"})));
    }
    const auto& entries = node.children;
    if (entries.size() != layers_)
      throw document_.error(node, fmt::format("{} has {} entries, accepted are {}", what, entries.size(), layers_));
    std::vector<std::uint32_t> device_of;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string entry = fmt::format("device of layer {} in {}", i + 1, what);
      device_of.push_back(
          static_cast<std::uint32_t>(yaml_integer(document_, *entries[i], entry, 0, base_.devices - 1)));
    }
    return device_of;
  }

  [[nodiscard]] std::string read_policy(const YamlNode& node, const std::string& what) const {
    const std::string name = yaml_text(document_, node, what);
    return document_.at(
        node, [&] { return find_policy(name).name; }, what + " is ");
  }

  PipelineChoice choice(const std::string& policy, const YamlNode& at, const YamlNode& alloc,
                        std::size_t micro_batches) {
    PipelineChoice made{policy, policy, base_, at.line};
    made.pipeline.micro_batches = micro_batches;
    made.pipeline.device_of = read_allocation(alloc, map_.name("alloc"));
    set_costs(made.pipeline, at);
    document_.at(at, [&] { check_pipeline(made.pipeline); });
    return made;
  }

  void read_choices() {
    const YamlNode* several = map_.find("policies");
    if (several == nullptr) {
      const YamlNode& policy = map_.require("policy");
      study_.choices.push_back(choice(read_policy(policy, map_.name("policy")), policy, *alloc_, base_.micro_batches));
      return;
    }
    if (const YamlNode* one = map_.find("policy")) {
      throw document_.error(*one, fmt::format("{} beside policies, accepted is one of the two", map_.name("policy")));
    }
    study_.is_comparison = true;
    for (const auto& entry : read_sequence(document_, *several, map_.name("policies"))) read_choice(*entry);
    if (study_.choices.empty())
      throw document_.error(*several, map_.name("policies") + " is empty, accepted is at least one policy");
  }

  void read_choice(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::mapping) {
      add_choice(choice(read_policy(node, "a policy"), node, *alloc_, base_.micro_batches));
      return;
    }
    YamlMap map(document_, node, fmt::format("policy {}", study_.choices.size() + 1));
    const std::string policy = read_policy(map.require("policy"), map.name("policy"));
    const YamlNode* alloc = map.find("alloc");
    const YamlNode* count = map.find("micro_batches");
    const YamlNode* label = map.find("label");
    map.finish();
    const std::uint64_t micro_batches =
        count == nullptr ? base_.micro_batches
                         : yaml_integer(document_, *count, map.name("micro_batches"), 1, kMostMicroBatches);
    PipelineChoice made = choice(policy, node, alloc == nullptr ? *alloc_ : *alloc, micro_batches);
    if (label != nullptr) {
      made.label = yaml_text(document_, *label, map.name("label"));
    } else {
      if (alloc != nullptr && alloc->kind == YamlNode::Kind::scalar) made.label += " " + alloc->text;
      if (alloc != nullptr && alloc->kind == YamlNode::Kind::mapping)
        made.label += " modulo:" + alloc->children[1]->text;
      if (count != nullptr)
        made.label += fmt::format(", {} micro-batch{}", micro_batches, micro_batches > 1 ? "es" : "");
    }
    add_choice(std::move(made));
  }

  /// Adds a choice of a comparison; equal labels get numbers.
  void add_choice(PipelineChoice made) {
    const std::string label = made.label;
    const auto is_taken = [&] {
      return std::ranges::any_of(study_.choices,
                                 [&](const PipelineChoice& other) { return other.label == made.label; });
    };
    for (std::size_t number = 2; is_taken(); ++number) made.label = fmt::format("{} ({})", label, number);
    study_.choices.push_back(std::move(made));
  }

  /// An integer counts tensors, a size with its unit bytes.
  void read_memory_limit() {
    const YamlNode* limit = map_.find("memory_limit");
    if (limit == nullptr) return;
    const std::string what = map_.name("memory_limit");
    study_.memory_limit_line = limit->line;
    const std::string& text = limit->text;  // empty of what is no scalar
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
      study_.memory_limit = yaml_integer(document_, *limit, what, 1);
      return;
    }
    study_.is_limit_in_bytes = true;
    if (text.ends_with('B')) study_.memory_limit = size_of(text);
    if (!study_.memory_limit) {
      throw document_.error(*limit, fmt::format("{} is {}{}, accepted is a number of bytes with its unit, B, {}, or an "
                                                "integer: tensors on a device",
                                                what, describe(*limit), size_hint(text), kSizeUnits));
    }
    if (input_.network != nullptr) return;
    throw document_.error(*limit, fmt::format("{} is {}, accepted is an integer: tensors on a device; how many bytes "
                                              "they have is known of a file that takes its layers from a `model`",
                                              what, limit->text));
  }

  void read_scans() {
    const YamlNode* scans = map_.find("scan");
    if (scans == nullptr) return;
    if (input_.network != nullptr && input_.network->settle_batch(base_.micro_batches) % base_.micro_batches != 0) {
      throw document_.error(*scans,
                            fmt::format("{} with a batch that {} micro-batches do not divide, accepted is a divisor",
                                        map_.name("scan"), base_.micro_batches));
    }
    if (input_.network == nullptr || !input_.network->source().is_csr) {
      throw document_.error(
          *scans, map_.name("scan") + " without Jacobians, accepted is a model file with kernels: csr and a machine");
    }
    for (const auto& entry : read_sequence(document_, *scans, map_.name("scan"))) {
      const std::string text = yaml_text(document_, *entry, "a schedule of " + map_.name("scan"));
      std::vector<std::string> names = schedule_names(text);
      std::erase_if(names, [](const std::string& name) {
        return name != "linear" && name != "blelloch" && !name.starts_with("hybrid:");
      });
      if (std::ranges::find(names, text) == names.end()) {
        throw document_.error(*entry, fmt::format("a schedule of {} is '{}'{}, accepted are linear, blelloch, hybrid:L",
                                                  map_.name("scan"), text, hint_of(text, names)));
      }
      study_.scans.push_back(text);
    }
    if (!study_.is_comparison)
      throw document_.error(*scans, map_.name("scan") + " beside policy, accepted is scan beside policies");
  }

  const TrainingInput& input_;
  YamlMap& map_;
  const YamlDocument& document_;
  std::size_t layers_;
  Pipeline base_;  // costs are those of its micro-batches
  const YamlNode* alloc_ = nullptr;
  PipelineStudy study_;
};

}  // namespace

PipelineStudy read_pipeline(const TrainingInput& input) { return PipelineReader(input).read(); }

}  // namespace upsweep
