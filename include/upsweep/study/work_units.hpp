#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// Hands out the open points of a study to threads that share one CountCache: of networks, points with one model
/// together, a few hundred at most, so that it is counted once; of chains some thousand neighbours. Units start small
/// and grow to about half a second of work.
///
/// next() is for one thread at a time; took() may be called by another one meanwhile.
class WorkUnits {
 public:
  /// `is_open`: by position, whether the point is to be evaluated; the factory must outlive this object. `sharing`: how
  /// many threads there are. With several, a model's points come by turns with those of a few others, so that no thread
  /// waits for what another one counts; with one, model by model.
  WorkUnits(const PointFactory& factory, std::vector<bool> is_open, std::size_t sharing = 1);
  ~WorkUnits();

  /// The next positions, none twice; empty after the last. Those of chains ascend, also from unit to unit.
  [[nodiscard]] std::vector<std::uint64_t> next();

  /// Says how long the points of a unit took: the next ones are larger or smaller, by a factor of two at most.
  void took(std::size_t points, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
