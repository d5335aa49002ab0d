#include "upsweep/io/chain_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "path_steps.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/io/yaml_path.hpp"
#include "yaml_choice.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostSize = 0x7fffffff;

/// Names stand in the order of the enumeration.
ElementKind read_kind(const YamlDocument& document, const YamlNode& node) {
  return static_cast<ElementKind>(
      yaml_choice(document, node, "kind of chain", {"dense", "diagonal", "banded", "uniform"}));
}

/// The half of a band that has `nnz_per_row` entries in a row.
std::uint64_t read_half_bandwidth(YamlMap& map, std::uint64_t size) {
  const YamlDocument& document = map.document();
  const YamlNode& node = map.require("nnz_per_row");
  const std::uint64_t width = yaml_integer(document, node, map.name("nnz_per_row"), 1);
  if (width % 2 == 0 || width > size) {
    throw document.error(node, fmt::format("{} is {} of a banded chain, accepted is an odd number of at most its size "
                                           "{}: the diagonal and as many entries on either side",
                                           map.name("nnz_per_row"), width, size));
  }
  return width / 2;
}

double read_density(YamlMap& map, std::uint64_t size) {
  const YamlDocument& document = map.document();
  const YamlNode* density = map.find("density");
  const YamlNode* per_row = map.find("nnz_per_row");
  if ((density == nullptr) == (per_row == nullptr)) {
    throw document.error(map.node(), fmt::format("a uniform chain has {} density and nnz_per_row, accepted is one of "
                                                 "them",
                                                 density == nullptr ? "neither" : "both"));
  }
  const bool is_density = density != nullptr;
  const YamlNode& node = is_density ? *density : *per_row;
  const std::string what = map.name(is_density ? "density" : "nnz_per_row");
  const double most = is_density ? 1 : static_cast<double>(size);
  const double number = yaml_number(document, node, what);
  if (number <= 0 || number > most) {
    throw document.error(node, fmt::format("{} is {}, accepted is a number above 0 and at most {}{}", what,
                                           describe(node), most, is_density ? "" : ", the size"));
  }
  return number / most;
}

/// A key that a kind of chain has no use for.
void refuse_key(YamlMap& map, const char* key, const std::string& kind, const char* accepted) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return;
  throw map.document().error(*node,
                             fmt::format("{} stands in a chain of kind {}, accepted is {}", key, kind, accepted));
}

HomogeneousChain read_elements(const YamlDocument& document, const YamlNode& node) {
  YamlMap map(document, node, "chain");
  HomogeneousChain chain;
  chain.elements = map.integer("length", 1, kMostElements);
  chain.size = map.integer("size", 1, kMostSize);
  const YamlNode& kind = map.require("kind");
  chain.kinds = {read_kind(document, kind)};
  if (chain.kinds.front() == ElementKind::banded) {
    chain.half_bandwidth = read_half_bandwidth(map, chain.size);
    refuse_key(map, "density", kind.text, "nnz_per_row");
  } else if (chain.kinds.front() == ElementKind::uniform) {
    chain.density = read_density(map, chain.size);
  } else {
    for (const char* key : {"nnz_per_row", "density"})
      refuse_key(map, key, kind.text, "neither nnz_per_row nor density");
  }
  map.finish();
  return chain;
}

/// A number as its bytes, so that hashes tell apart what differs in the last digit.
template <class T>
void add_number(ContentHash& hash, std::string_view name, const T& number) {
  hash.add(name, std::as_bytes(std::span<const T, 1>(&number, 1)));
}

}  // namespace

ChainModel read_chain(const YamlDocument& document) {
  YamlMap map(document, *document.root, "a chain model");
  ChainModel model;
  model.file = document.file;
  model.name = map.name_or_stem();
  model.value_bytes = yaml_value_bytes(document, map.find("dtype"));
  model.chain = read_elements(document, map.require("chain"));
  map.finish();

  ContentHash hash;
  hash.add("chain", "");
  add_number(hash, "value_bytes", std::uint64_t{model.value_bytes});
  add_number(hash, "length", model.chain.elements);
  add_number(hash, "size", model.chain.size);
  add_number(hash, "kind", static_cast<std::uint64_t>(model.chain.kinds.front()));
  add_number(hash, "half_bandwidth", model.chain.half_bandwidth);
  add_number(hash, "density", model.chain.density);
  model.content_hash = hash.text();
  return model;
}

HomogeneousChain chain_of(const RecurrentModel& model) {
  return model.is_fused ? fused_chain(model.shape.hidden, model.steps) : unfused_chain(model.shape.hidden, model.steps);
}

ChainModel recurrent_chain(const YamlDocument& document) {
  const RecurrentModel recurrent = load_recurrent(document, Layers::any);
  if (recurrent.layers > 1) {
    throw document.error(*yaml_at(document, "recurrent.layers").front(),
                         fmt::format("layers of recurrent is {}, accepted is 1: the chain of a stack of layers has no "
                                     "closed form",
                                     recurrent.layers));
  }
  ChainModel model;
  model.file = recurrent.file;
  model.name = recurrent.name;
  model.value_bytes = recurrent.value_bytes;
  model.chain = chain_of(recurrent);
  model.batch = recurrent.batch;
  model.passes = PassShape{recurrent.shape, recurrent.steps, recurrent.batch, recurrent.is_fused};
  model.content_hash = recurrent.content_hash;
  return model;
}

}  // namespace upsweep
