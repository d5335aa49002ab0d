#include "upsweep/io/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "cost_lists.hpp"
#include "training_readers.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostLayers = 1'000'000;

/// add_content() of the whole file but for what no figure depends on; files that it names are hashed by their content.
void add_training_content(const YamlNode& root, ContentHash& hash) {
  constexpr std::array kLeftOut = {"name", "note", "model", "machine", "link"};
  for (std::size_t i = 0; i + 1 < root.children.size(); i += 2) {
    if (std::ranges::find(kLeftOut, root.children[i]->text) != kLeftOut.end()) continue;
    hash.add("key", root.children[i]->text);
    add_content(*root.children[i + 1], hash);
  }
}

/// Text of several lines, each printable.
std::string read_note(const YamlDocument& document, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar) return yaml_text(document, node, what);  // says what is wrong
  std::string note;
  std::istringstream lines(node.text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      YamlNode of_line = node;
      of_line.text = line;
      note += yaml_text(document, of_line, what);
    }
    note += '\n';
  }
  note.erase(note.find_last_not_of('\n') + 1);
  return note;
}

void read_study(const TrainingInput& input, const YamlNode& kind, TrainingFile& training) {
  const bool takes_network = training.kind == "pipeline" || training.kind == "data_parallel";
  if (input.network != nullptr && !takes_network) {
    throw input.document().error(kind, fmt::format("kind is {} with a model, accepted with a model are pipeline, "
                                                   "data_parallel: the costs of the others are measured",
                                                   training.kind));
  }
  if (training.kind == "pipeline") {
    training.study = read_pipeline(input);
  } else if (training.kind == "data_parallel") {
    training.study = read_data_parallel(input);
  } else if (training.kind == "reverse_first_k_memory") {
    training.study = read_first_k_memory(input);
  } else {
    training.study = read_multi_region(input);
  }
}

}  // namespace

TrainingFile load_training(const YamlDocument& document, const FrameRequest& frame) {
  TrainingFile training;
  training.file = document.file;
  // On its own, so that the key is not among those that are accepted.
  if (const YamlNode* train = YamlMap(document, *document.root, "a training file").find("train")) {
    throw document.error(*train,
                         "a key 'train' as in train files, which `upsweep train` runs; accepted is a training "
                         "file: a mapping with the key 'kind'");
  }
  YamlMap map(document, *document.root, "a training file");
  training.name = map.text("name");
  const YamlNode& kind = map.require("kind");
  yaml_choice(document, kind, map.name("kind"),
              {"pipeline", "data_parallel", "multi_region", "reverse_first_k_memory"});
  training.kind = kind.text;
  training.line = kind.line;
  if (const YamlNode* note = map.find("note")) training.note = read_note(document, *note, map.name("note"));
  ContentHash hash;
  const std::unique_ptr<NetworkCosts> network = NetworkCosts::read(map, frame, hash);
  read_study({map, network.get()}, kind, training);
  map.finish();
  add_training_content(*document.root, hash);
  training.content_hash = hash.text();
  if (network) training.source = network->source();
  return training;
}

std::size_t TrainingInput::layers() const {
  if (network == nullptr) return map.integer("layers", 1, kMostLayers);
  const YamlNode* node = map.find("layers");
  if (node == nullptr) return network->layers();
  const std::uint64_t stated = yaml_integer(document(), *node, map.name("layers"), 1, kMostLayers);
  if (stated != network->layers()) {
    throw document().error(*node, fmt::format("{} is {}, accepted is {}, the layers of {}", map.name("layers"), stated,
                                              network->layers(), network->source().model_file));
  }
  return stated;
}

bool TrainingInput::skips_first_output_gradient() const {
  const YamlNode* node = map.find("skip_o1");
  return node == nullptr || yaml_boolean(document(), *node, map.name("skip_o1"));
}

}  // namespace upsweep
