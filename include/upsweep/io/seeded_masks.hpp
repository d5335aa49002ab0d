#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/base/kept_last.hpp"
#include "upsweep/network/pruning.hpp"

namespace upsweep {

/// Which weights are kept, by operator.
struct PrunedMasks {
  std::vector<std::vector<std::uint8_t>> of_operator;
};

/// Bytes.
[[nodiscard]] std::uint64_t weight_of(const PrunedMasks& masks);

/// Masks of seeded weights that were made last, for models that differ in other things, as the size of images.
/// Thread-safe.
class SeededMasks {
 public:
  /// `memory_limit`: bytes of masks to keep; those used last stay in any case.
  explicit SeededMasks(std::uint64_t memory_limit);

  /// prune_he_normal(), made once for operators with the same names, settings and shapes of weights.
  void prune(const Network& network, std::uint64_t seed, const Pruning& pruning, NetworkWeights& weights);

 private:
  KeptLast<ContentKey, PrunedMasks, ContentKeyHash> kept_;
};

}  // namespace upsweep
