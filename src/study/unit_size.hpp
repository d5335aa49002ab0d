#pragma once

#include <atomic>
#include <cstddef>

namespace upsweep {

/// How many points a work unit holds so that it takes about half a second, by how long earlier ones took.
///
/// points() and took() may be called by several threads.
class UnitSize {
 public:
  /// `first`: of the first units; `most`: however fast points are.
  UnitSize(std::size_t first, std::size_t most) : points_(first), most_(most) {}

  [[nodiscard]] std::size_t points() const { return points_.load(std::memory_order_relaxed); }

  /// At most doubles or halves it: single slow points say little about the next ones.
  void took(std::size_t points, double seconds);

 private:
  std::atomic<std::size_t> points_;
  std::size_t most_;
};

}  // namespace upsweep
