#include "network_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "upsweep/base/memory.hpp"
#include "upsweep/io/link_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/jacobian/chain.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSamples = 1'000'000'000;

/// A path in a file, relative to the file's folder.
std::string path_of(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  const std::filesystem::path path = yaml_text(document, node, what);
  return beside(document.file, path.string());
}

}  // namespace

std::unique_ptr<NetworkCosts> NetworkCosts::read(YamlMap& map, ContentHash& hash) {
  const YamlNode* model = map.find("model");
  if (model == nullptr) return nullptr;
  auto costs = std::make_unique<NetworkCosts>();
  costs->read_files(map.document(), map, *model, hash);
  costs->read_kernels(map);
  costs->batch_ = map.find_integer("batch", 1, kMostSamples);
  return costs;
}

void NetworkCosts::read_files(const YamlDocument& document, YamlMap& map, const YamlNode& model, ContentHash& hash) {
  document_ = &document;
  machine_node_ = &map.require("machine");
  machine_file_ = path_of(document, *machine_node_, map.name("machine"));
  machine_ = load_machine(read_yaml(machine_file_));
  if (const YamlNode* launch = map.find("launch")) machine_ = with_launch(document, *launch, map.name("launch"));
  hash.add("machine", machine_text(machine_));
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
    link_ = load_link(read_yaml(path_of(document, *link, map.name("link"))));
    hash.add("link", fmt::format("{} {}", link_->bytes_per_s, link_->latency_s));
  }
}

Machine NetworkCosts::with_launch(const YamlDocument& document, const YamlNode& node, const std::string& key) const {
  const std::string text = yaml_text(document, node, key);
  const std::optional<LaunchMode> mode = launch_mode(text);
  if (!mode || mode == LaunchMode::fused) {
    throw document.error(node, fmt::format("{} is '{}', accepted are eager and graph: every op of a training step is a "
                                           "kernel of its own",
                                           key, text));
  }
  try {
    return launched(machine_, *mode);
  } catch (const std::invalid_argument& error) {
    throw document.error(node, error.what());
  }
}

void NetworkCosts::read_kernels(YamlMap& map) {
  is_csr_ = model_.has_value();
  const YamlNode* kernels = map.find("kernels");
  if (kernels == nullptr) return;
  const std::string text = yaml_text(map.document(), *kernels, map.name("kernels"));
  if (text != "csr" && text != "dense") {
    throw map.document().error(*kernels, fmt::format("{} is '{}', accepted are csr, dense", map.name("kernels"), text));
  }
  if (text == "csr" && layers_model_) {
    throw map.document().error(*kernels,
                               fmt::format("{} is csr, accepted is dense: {} is a layers file, which has no Jacobians",
                                           map.name("kernels"), model_file_));
  }
  is_csr_ = text == "csr";
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
    throw document_->error(*machine_node_, fmt::format("machine {}: {}", machine_file_, error.what()));
  }
}

CostSource NetworkCosts::source() const {
  CostSource source;
  source.model_file = model_file_;
  source.model = model_ ? model_->name : layers_model_->name;
  source.machine = machine_.name;
  source.machine_file = machine_file_;
  source.link = link_ ? link_->name : "";
  if (machine_.kind == MachineKind::gpu) source.launch = machine_.launch;
  source.is_csr = is_csr_;
  source.batch = batch_.value_or(1);
  source.value_bytes = model_ ? model_->value_bytes : layers_model_->value_bytes;
  for (const LayerWork& layer : works_) source.layer_names.push_back(layer.name);
  return source;
}

}  // namespace upsweep
