#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "unit_size.hpp"
#include "upsweep/study/point_factory.hpp"
#include "upsweep/study/work_units.hpp"

namespace upsweep {

/// Hands out the open points of a study to ranks, which have a CountCache each: of chains as WorkUnits does; of
/// networks small pieces of the model that a rank has counted, then of one that nobody has begun, then of one that
/// another rank has begun, where that one would need longer for the rest than a second rank to count it too.
class RankUnits {
 public:
  /// `is_open`: by position, whether the point is to be evaluated; the factory must outlive this object. `ranks`: their
  /// numbers are below it.
  RankUnits(const PointFactory& factory, const std::vector<bool>& is_open, std::size_t ranks);

  /// The next positions for a rank, none twice. Empty: nothing for this rank now; while others hold units, there may
  /// be later. Of networks a rank gets its next unit after took() for the last.
  [[nodiscard]] std::vector<std::uint64_t> next(std::size_t rank);

  /// Says how many points of its unit a rank has evaluated, and how long they took.
  void took(std::size_t rank, std::size_t points, double seconds);

 private:
  /// Points of one model that are not handed out yet, and what is known of them.
  struct ModelPoints {
    std::size_t begin = 0;  ///< places [begin, end) in by_model_
    std::size_t end = 0;
    double first_seconds = 0;      ///< of the first unit, in which the model is counted
    double seconds_per_point = 0;  ///< of a rank that has counted it; 0: not known yet
    bool has_begun = false;        ///< the first unit is done
  };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Rank {
    std::size_t model = kNone;  ///< the last one
    bool has_counted = false;   ///< that one
  };

  void sort_by_model(const PointFactory& factory, const std::vector<bool>& is_open);
  /// The model that a rank is to go on with, or kNone.
  [[nodiscard]] std::size_t model_for(const Rank& rank);
  /// Seconds that a model needs beyond what counting it again takes; at most 0: not worth it, or not known.
  [[nodiscard]] double worth_sharing(const ModelPoints& model) const;

  bool has_networks_;
  WorkUnits chains_;  ///< empty where there are networks
  UnitSize size_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_model_;  ///< (model number, position), sorted
  std::vector<ModelPoints> models_;
  std::size_t unopened_ = 0;  ///< the first model that nobody has begun
  std::vector<Rank> ranks_;
};

}  // namespace upsweep
