#include "upsweep/io/seeded_masks.hpp"

#include <string>

#include "prune_reader.hpp"
#include "upsweep/io/content_hash.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostMasks = 64;

/// Of all that prune_he_normal() depends on.
ContentKey key_of(const Network& network, std::uint64_t seed, const Pruning& pruning) {
  ContentHash hash;
  hash.add("seed", std::to_string(seed));
  hash.add("pruning", describe_pruning(pruning));
  for (const Operator& op : network.operators()) {
    const auto shape = weight_shape(op.kind, op.in_shape);
    hash.add(op.name, canonical_text(op.kind));
    hash.add("weight", shape ? to_string(*shape) : "none");
  }
  return hash.digest();
}

}  // namespace

std::uint64_t weight_of(const PrunedMasks& masks) {
  std::uint64_t bytes = 0;
  for (const auto& mask : masks.of_operator) bytes += mask.size();
  return bytes;
}

SeededMasks::SeededMasks(std::uint64_t memory_limit) : kept_(1, kMostMasks, memory_limit) {}

void SeededMasks::prune(const Network& network, std::uint64_t seed, const Pruning& pruning, NetworkWeights& weights) {
  const auto made = kept_.get(key_of(network, seed, pruning), [&] {
    NetworkWeights fresh(weights.size());
    prune_he_normal(network, seed, pruning, fresh);
    PrunedMasks masks;
    for (OperatorWeights& mine : fresh) masks.of_operator.push_back(std::move(mine.kept));
    return masks;
  });
  for (std::size_t o = 0; o < weights.size(); ++o) weights[o].kept = made->of_operator[o];
}

}  // namespace upsweep
