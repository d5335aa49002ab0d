#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep {

/// Which samples an iteration takes: each epoch a permutation of its own, cut into batches; what is left over at the
/// end of an epoch is skipped.
///
/// The same seed gives the same order on every machine, and epoch e does not depend on the epochs before it.
class BatchOrder {
 public:
  /// Throws std::invalid_argument unless 1 <= batch <= samples.
  BatchOrder(std::size_t samples, std::size_t batch, std::uint64_t seed);

  /// The samples of iteration 0, 1, ...: `batch` distinct numbers below `samples`, valid until the next call.
  /// Cost: O(samples) where the epoch is not that of the call before.
  [[nodiscard]] std::span<const std::size_t> at(std::size_t iteration);

  [[nodiscard]] std::size_t batches_per_epoch() const { return order_.size() / batch_; }

 private:
  void shuffle(std::size_t epoch);

  std::size_t batch_;
  std::uint64_t seed_;
  std::size_t epoch_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace upsweep
