#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// Hands out the open points of a study: of networks, points with one model together, so that it is counted once; of
/// chains some thousand neighbours, fewer while points turn out to be slow.
///
/// next() is for one thread at a time; took() may be called by another one meanwhile.
class WorkUnits {
 public:
  /// `is_open`: by position, whether the point is to be evaluated; the factory must outlive this object. `sharing`: how
  /// many threads use one CountCache. With several, a model's points come in smaller pieces by turns with those of a
  /// few others, so that no thread waits for what another one counts; with one, together.
  WorkUnits(const PointFactory& factory, std::vector<bool> is_open, std::size_t sharing = 1);
  ~WorkUnits();

  /// The next positions, none twice; empty after the last. Those of chains ascend, also from unit to unit.
  [[nodiscard]] std::vector<std::uint64_t> next();

  /// Says how long points took, so that units hold about half a second of work.
  void took(std::size_t points, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
