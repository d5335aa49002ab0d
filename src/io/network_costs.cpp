#include "network_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "named_file.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/link_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSamples = 1'000'000'000;

/// A path in a file, relative to the file's folder.
std::string path_of(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  const std::filesystem::path path = yaml_text(document, node, what);
  return beside(document.file, path.string());
}

}  // namespace

std::unique_ptr<NetworkCosts> NetworkCosts::read(YamlMap& map, const FrameRequest& asked, ContentHash& hash) {
  const YamlNode* model = map.find("model");
  if (model == nullptr) {
    if (!asked.machine && !asked.launch && !asked.library && !asked.batch) return nullptr;
    throw map.document().error(
        *map.document().root,
        "the file has costs of its own, whatever the machine; machine, launch, library and batch "
        "are accepted with files that take costs from a `model`");
  }
  auto costs = std::make_unique<NetworkCosts>();
  costs->document_ = &map.document();
  costs->read_machine(map, *model, asked, hash);
  costs->read_files(map.document(), map, *model, hash);
  costs->read_kernels(map);
  const std::optional<std::uint64_t> batch = map.find_integer("batch", 1, kMostSamples);
  costs->frame_.batch = asked.batch ? asked.batch : batch;
  if (asked.batch) hash.add("batch", fmt::format("{}", *asked.batch));
  return costs;
}

void NetworkCosts::read_machine(YamlMap& map, const YamlNode& model, const FrameRequest& asked, ContentHash& hash) {
  const YamlNode* const machine = asked.machine ? map.find("machine") : &map.require("machine");
  const YamlNode* const launch = map.find("launch");
  const YamlNode* const library = map.find("library");
  machine_node_ = machine != nullptr ? machine : &model;
  if (asked.machine) {
    frame_.machine = *asked.machine;
    machine_ = named_machine(*frame_.machine);
  } else {
    const std::string name = yaml_text(*document_, *machine_node_, map.name("machine"));
    frame_.machine = named_file(name, document_->file).value_or(name);
    const YamlDocument found = document_->at(
        *machine_node_, [&] { return machine_document(name, document_->file); },
        fmt::format("{} is '{}': ", map.name("machine"), name));
    machine_ = load_machine(found);
  }
  const YamlNode& launch_node = launch != nullptr ? *launch : *machine_node_;
  if (asked.launch || launch != nullptr) {
    const std::string text =
        asked.launch ? to_string(*asked.launch) : yaml_text(*document_, launch_node, map.name("launch"));
    const std::optional<LaunchMode> mode = launch_mode(text);
    if (!mode || mode == LaunchMode::fused) {
      throw document_->error(launch_node,
                             fmt::format("{} is '{}', accepted are eager and graph: every op of a training step is a "
                                         "kernel of its own",
                                         map.name("launch"), text));
    }
    if (asked.launch) hash.add("launch", text);
    try {
      machine_ = launched(std::move(machine_), *mode);
    } catch (const std::invalid_argument& error) {
      throw document_->error(launch_node, error.what());
    }
  }
  if (asked.library || library != nullptr) {
    const YamlNode& node = library != nullptr ? *library : *machine_node_;
    frame_.library = asked.library ? *asked.library : yaml_text(*document_, node, map.name("library"));
    try {
      machine_ = with_library(std::move(machine_), *frame_.library);
    } catch (const std::invalid_argument& error) {
      throw document_->error(node, error.what());
    }
    hash.add("library", *frame_.library);
  }
  if (machine_.kind == MachineKind::gpu) frame_.launch = machine_.launch;
  hash.add("machine", machine_text(machine_));
}

void NetworkCosts::read_files(const YamlDocument& document, YamlMap& map, const YamlNode& model, ContentHash& hash) {
  model_file_ = path_of(document, model, map.name("model"));
  AnyModel model_of_file = load_model(model_file_, Numbers::structure);
  if (LayersModel* layers = std::get_if<LayersModel>(&model_of_file)) {
    layers_model_ = std::move(*layers);
    works_ = layers_model_->layers;
    hash.add("layers", layers_model_->content_hash);
  } else {
    model_ = require_network(std::move(model_of_file), "training beside layers files");
    works_ = model_->at_operators([&] { return layer_works(model_->network); });
    hash.add("model", model_->content_hash);
  }
  if (const YamlNode* link = map.find("link")) {
    const std::string name = yaml_text(document, *link, map.name("link"));
    link_ = load_link(document.at(
        *link, [&] { return link_document(name, document.file); },
        fmt::format("{} is '{}': ", map.name("link"), name)));
    hash.add("link", fmt::format("{} {}", link_->bytes_per_s, link_->latency_s));
  }
}

void NetworkCosts::read_kernels(YamlMap& map) {
  is_csr_ = model_.has_value();
  const YamlNode* kernels = map.find("kernels");
  if (kernels == nullptr) return;
  is_csr_ = yaml_choice(map.document(), *kernels, map.name("kernels"), {"csr", "dense"}) == 0;
  if (is_csr_ && layers_model_) {
    throw map.document().error(*kernels,
                               fmt::format("{} is csr, accepted is dense: {} is a layers file, which has no Jacobians",
                                           map.name("kernels"), model_file_));
  }
}

std::size_t NetworkCosts::layers() const { return works_.size(); }

const LayerCosts& NetworkCosts::of(std::uint64_t samples) {
  const auto place = known_.find(samples);
  if (place != known_.end()) return place->second;
  const MicroBatch batch{samples, source().value_bytes, 0};
  try {
    if (is_csr_) {
      require_pattern_memory(model_->network, model_->weights, available_memory(), PatternForm::classes);
      return known_[samples] = csr_costs(model_->network, model_->weights, machine_, batch);
    }
    return known_[samples] = dense_costs(works_, machine_, batch);
  } catch (const OperatorError& error) {
    throw model_->located(error);
  } catch (const std::invalid_argument& error) {
    throw document_->error(*machine_node_, fmt::format("machine {}: {}", *frame_.machine, error.what()));
  }
}

double NetworkCosts::input_bytes(std::uint64_t samples) const {
  if (!model_) return 0;
  const std::uint64_t numbers = elements(model_->network.input());
  return static_cast<double>(numbers) * static_cast<double>(samples) * model_->value_bytes;
}

CostSource NetworkCosts::source() const {
  CostSource source;
  source.model_file = model_file_;
  source.model = model_ ? model_->name : layers_model_->name;
  source.machine = machine_.name;
  source.link = link_ ? link_->name : "";
  source.frame = frame_;
  source.frame.batch = frame_.batch.value_or(1);
  source.is_csr = is_csr_;
  const PublishedRates* const rates = is_csr_ ? machine_.product_rates() : nullptr;
  if (!is_csr_) source.frame.library.reset();
  if (rates != nullptr) source.frame.library = rates->library;
  source.value_bytes = model_ ? model_->value_bytes : layers_model_->value_bytes;
  for (const LayerWork& layer : works_) source.layer_names.push_back(layer.name);
  return source;
}

}  // namespace upsweep
