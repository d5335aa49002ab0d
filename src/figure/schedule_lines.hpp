#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Where the operands of a combine stand in a drawing of the scan array when it reads them, and where its result goes.
struct DrawnCombine {
  std::uint32_t left = 0;  ///< positions
  std::uint32_t right = 0;
  std::uint32_t target = 0;
};

/// A value that a rename moves, for free.
struct DrawnMove {
  std::uint32_t from = 0;  ///< positions
  std::uint32_t to = 0;
  std::uint32_t level = 0;  ///< it is at `from` when this level starts and at `to` when it ends
};

/// A schedule as lines in a plane of array positions and levels.
struct DrawnSchedule {
  std::vector<DrawnCombine> combines;  ///< by id
  std::vector<DrawnMove> moves;
  std::size_t rows = 0;  ///< levels, and one more where results move after the last
};

/// The running reduction has no place in the array: it is drawn at the position that it took in last. A value that is
/// read elsewhere than it stands moves there in the level before; where it is not there before that level is over, the
/// line of the combine starts where it stands.
[[nodiscard]] DrawnSchedule drawn_schedule(const Schedule& schedule);

}  // namespace upsweep
