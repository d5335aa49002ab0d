#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "upsweep/scan/schedule.hpp"
#include "upsweep/search/image_formula.hpp"
#include "upsweep/sim/pram_simulation.hpp"

namespace upsweep {

/// A critical path as a polynomial, and the size from which it is one.
struct PathFormula {
  ImagePolynomial polynomial;
  ImageSize from;
};

/// The critical path of a schedule on images of a residue, `step` apart, where the FLOPs of its combines (one
/// polynomial each, by id) are polynomials from size `first` on.
///
/// It is the maximum over paths of the sums of their polynomials, so that it is a polynomial itself only from a size on
/// from which one path is longest at all larger sizes. In steps i, j from a size on a path costs a + b i + c j + d i j;
/// one that is longest by each of a, b, c and d is longest everywhere from there on, and there is one if and only if
/// the longest by each add up to the critical path at i = j = 1. Sizes from `first` on are tried along the diagonal.
/// Nothing where that holds at none up to `most_size`, or where numbers leave 64 bits.
[[nodiscard]] std::optional<PathFormula> critical_path_formula(const Schedule& schedule, Execution execution,
                                                               std::span<const ImagePolynomial> flops, ImageSize first,
                                                               std::uint64_t step, std::uint64_t most_size);

}  // namespace upsweep
