#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {

enum class BackwardKind : std::uint8_t {
  sequential,  ///< back-propagation through time, step by step
  levels,      ///< a hybrid schedule over stored Jacobians, level by level
  blocked      ///< blocks of steps reduced to one product each
};

/// How the gradients of all hidden states are computed.
struct BackwardMethod {
  BackwardKind kind = BackwardKind::sequential;
  std::uint32_t depth = 0;  ///< levels: hybrid depth, cut at the largest; kFullDepth is blelloch
  BlockOptions blocks;      ///< blocked

  static constexpr std::uint32_t kFullDepth = ~std::uint32_t{0};

  friend bool operator==(const BackwardMethod&, const BackwardMethod&) = default;
};

/// The names that parse_backward_method() reads: "bptt", "linear", "hybrid:2", "blelloch", "blocked:8",
/// "blocked:3:20" (8 blocks; 3 blocks, the first 20 times as long as the others).
[[nodiscard]] std::string to_string(const BackwardMethod& method);

/// Throws std::invalid_argument, "'x' is no backward method, accepted are ...".
[[nodiscard]] BackwardMethod parse_backward_method(const std::string& text);

/// Whether a method multiplies Jacobians with each other: a depth above 0, or more than two blocks. The others go along
/// the steps one after the other.
[[nodiscard]] bool is_scan(const BackwardMethod& method);

}  // namespace upsweep
