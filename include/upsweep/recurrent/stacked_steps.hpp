#pragma once

#include <cstdint>

#include "upsweep/recurrent/stacked.hpp"

namespace upsweep {

/// Steps of a way by formula, to be read beside the counted ones.
struct StackedSteps {
  std::uint64_t levels = 0;           ///< of products
  std::uint64_t addition_levels = 0;  ///< of additions
  const char* formula = "";  ///< with k layers, T steps, lg = ceil(log2) and L, the levels of the scan over time
};

/// Formulas for the steps with a worker for every operation. The scan over time has L = T - 1 levels (linear),
/// 2 D + T / 2^D - 1 (hybrid:D; counted, it may have fewer, where a level is not needed) or lg T (Kogge-Stone).
///
/// `depth` of the method is the one that it has. Throws CountOverflow.
/// Source: Naumov, 2018, section 2.2: O(log k · log T) steps. Here layers-then-time with Kogge-Stone has lg k + lg T
/// levels of products, and the lg k · lg T of the sums inside of the block products.
[[nodiscard]] StackedSteps predicted_steps(const StackedShape& shape, const StackedMethod& method);

}  // namespace upsweep
