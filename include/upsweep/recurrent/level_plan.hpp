#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/recurrent/scan_backward.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// A matrix of a plan: an element of the scan array, by position, or what stands in a slot.
struct MatrixPlace {
  std::uint32_t index;
  bool is_element;

  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

/// A combine as it is executed. A value that contains a[0] is a vector, known by how many elements of the array are not
/// in it; any other is a matrix.
struct LevelOp {
  bool is_vector;               ///< a vector times a matrix, else a matrix times a matrix
  std::uint32_t vector;         ///< the vector
  MatrixPlace earlier;          ///< the earlier matrix
  MatrixPlace later;            ///< the later matrix
  std::uint32_t target_vector;  ///< where the vector goes
  std::uint32_t target_slot;    ///< where the matrix goes; that of an operand which is used for the last time
};

/// Levels that run as one: those of several ops each, or neighbours of one op each.
struct Stage {
  Phase phase;
  std::size_t begin;  ///< of the ops
  std::size_t end;
  bool is_chain;  ///< ops one after the other, each sample on its own; else all at once
};

/// Where the elements of the scan array are.
enum class Elements : std::uint8_t {
  in_slots,  ///< every one that is used has a slot, into which a product may go
  outside    ///< they stay where they are
};

/// The live part of a schedule, and where its matrices stand.
struct LevelPlan {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  std::size_t length = 0;  ///< of the scan array
  std::vector<LevelOp> ops;
  std::vector<Stage> stages;
  std::vector<std::uint32_t> element_slots;  ///< by array position: its slot, or kNoSlot
  std::size_t slots = 0;
};

/// Throws std::invalid_argument where the schedule computes a vector twice, or is shorter than 2.
[[nodiscard]] LevelPlan plan_levels(Schedule schedule, Elements elements);

/// That of `sums` which belongs to a phase; ScanTimes or ScanFlops.
template <class Sums>
[[nodiscard]] auto& of_phase(Sums& sums, Phase phase) {
  return phase == Phase::up ? sums.up : phase == Phase::middle ? sums.middle : sums.down;
}

/// FLOPs of a plan whose elements are in slots, with those that form the elements and of the last step to g_0.
[[nodiscard]] ScanFlops level_flops(const LevelPlan& plan, const CellShape& shape, std::size_t batch);

}  // namespace upsweep
