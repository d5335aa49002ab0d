#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "upsweep/recurrent/cell.hpp"

namespace upsweep::kernels {

/// Most hidden elements of a cell that the kernels for small cells take; others have sequential passes alone.
inline constexpr std::size_t kMostSmallHidden = 64;

/// Most hidden elements of a sequential pass: what shared memory has room for.
inline constexpr std::size_t kMostHidden = 1024;

/// Blocks that a grid has room for along x.
inline constexpr std::uint64_t kMostBlocks = 0x7fffffff;

/// Calls body(std::integral_constant<unsigned, size>) with the smallest size that kernels are compiled for and that
/// `hidden` fits into.
template <class Body>
decltype(auto) with_hidden_class(std::size_t hidden, const Body& body) {
  if (hidden <= 8) return body(std::integral_constant<unsigned, 8>());
  if (hidden <= 16) return body(std::integral_constant<unsigned, 16>());
  if (hidden <= 20) return body(std::integral_constant<unsigned, 20>());
  if (hidden <= 24) return body(std::integral_constant<unsigned, 24>());
  if (hidden <= 32) return body(std::integral_constant<unsigned, 32>());
  if (hidden <= 48) return body(std::integral_constant<unsigned, 48>());
  if (hidden <= kMostSmallHidden) return body(std::integral_constant<unsigned, 64>());
  throw std::logic_error("no kernel for " + std::to_string(hidden) + " hidden elements");
}

/// Calls body(std::integral_constant<CellKind, kind>).
template <class Body>
decltype(auto) with_cell_kind(CellKind kind, const Body& body) {
  if (kind == CellKind::gru) return body(std::integral_constant<CellKind, CellKind::gru>());
  return body(std::integral_constant<CellKind, CellKind::rnn>());
}

}  // namespace upsweep::kernels
