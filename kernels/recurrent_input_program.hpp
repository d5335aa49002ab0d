#pragma once

#include "recurrent_forward_element.hpp"

/// What the inputs add to all steps of a forward pass, at once. Teams as in recurrent_walk_program.hpp.
namespace upsweep::kernels {

/// How rows (steps × samples) and sums are shared out: a team has kRows rows and kSums sums of each.
template <class T>
struct InputShape {
  static constexpr unsigned kRows = 8;
  static constexpr unsigned kSums = 64;   ///< and lanes
  static constexpr unsigned kDepth = 32;  ///< inputs that are in shared memory at a time
};

template <class T>
struct InputScratch {
  /// [input][row]
  Pack<T, InputShape<T>::kRows> x[InputShape<T>::kDepth];
};

/// Teams that input_program() takes along the rows and along the sums.
template <class T>
[[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t input_row_teams(const ForwardView<T>& view) {
  return (view.steps * view.batch + InputShape<T>::kRows - 1) / InputShape<T>::kRows;
}
template <CellKind kKind, class T>
[[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t input_sum_teams(const ForwardView<T>& view) {
  const std::uint64_t sums = std::uint64_t{ElementForward<T, kKind>::kGates} * view.hidden;
  return (sums + InputShape<T>::kSums - 1) / InputShape<T>::kSums;
}

/// Writes the sums W_ih x + bias of some rows, where ForwardView says; `team_number` of all teams.
///
/// Bound: memory. It reads the inputs once for each kSums sums, writes gates · hidden numbers per row, and reads W_ih
/// from the cache once for each kRows rows, for 2 · gates · hidden · input operations per row.
template <CellKind kKind, class T, class Team>
UPSWEEP_HOST_DEVICE void input_program(const Team& team, const ForwardView<T>& view, std::uint64_t team_number,
                                       InputScratch<T>& shared) {
  using Shape = InputShape<T>;
  constexpr unsigned kItems = (Shape::kSums + Team::kSize - 1) / Team::kSize;
  const std::uint64_t rows = view.steps * view.batch;
  const std::uint64_t first = team_number / input_sum_teams<kKind>(view) * Shape::kRows;
  const auto first_sum = static_cast<std::uint32_t>(team_number % input_sum_teams<kKind>(view)) * Shape::kSums;
  const std::uint32_t width = ElementForward<T, kKind>::kGates * view.hidden;
  T sums[kItems][Shape::kRows] = {};
  for (std::uint32_t begin = 0; begin < view.input; begin += Shape::kDepth) {
    const std::uint32_t depth = view.input - begin < Shape::kDepth ? view.input - begin : Shape::kDepth;
    for (unsigned i = team.rank(); i < Shape::kRows * Shape::kDepth; i += Team::kSize) {
      const unsigned row = i / Shape::kDepth;
      const unsigned k = i % Shape::kDepth;
      const bool is_there = first + row < rows && k < depth;
      shared.x[k].x[row] = is_there ? view.inputs[(first + row) * view.input + begin + k] : T(0);
    }
    team.sync();
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) {
      const std::uint32_t sum = first_sum + team.rank() + item * Team::kSize;
      if (sum >= width) continue;
      const T* const column = view.w_ih + std::uint64_t{begin} * width + sum;
      for (unsigned k = 0; k < depth; ++k) {
        const T weight = column[std::uint64_t{k} * width];
        const auto x = shared.x[k];
        UPSWEEP_UNROLL
        for (unsigned row = 0; row < Shape::kRows; ++row) sums[item][row] += weight * x.x[row];
      }
    }
    team.sync();
  }
  UPSWEEP_UNROLL
  for (unsigned item = 0; item < kItems; ++item) {
    const std::uint32_t sum = first_sum + team.rank() + item * Team::kSize;
    if (sum >= width) continue;
    const std::uint32_t gate = sum / view.hidden;
    T* const to = view.template sums<kKind>(gate) + sum % view.hidden;
    const T bias = view.bias[sum];
    UPSWEEP_UNROLL
    for (unsigned row = 0; row < Shape::kRows; ++row) {
      if (first + row < rows) to[(first + row) * view.hidden] = sums[item][row] + bias;
    }
  }
}

}  // namespace upsweep::kernels
