#pragma once

#include <cstddef>
#include <vector>

#include "upsweep/scan/builders.hpp"

namespace upsweep::testing {

/// Every direct schedule that is no hybrid, with some numbers of blocks.
inline std::vector<Schedule> schemes(std::size_t length) {
  std::vector<Schedule> all = {kogge_stone_schedule(length), sklansky_schedule(length), brent_kung_schedule(length),
                               recursive_doubling_schedule(length), cyclic_reduction_schedule(length)};
  for (const std::size_t blocks : {1U, 2U, 3U, 4U, 7U, 16U}) all.push_back(blocked_schedule(length, blocks));
  all.push_back(blocked_schedule(length, length + 5));
  return all;
}

}  // namespace upsweep::testing
