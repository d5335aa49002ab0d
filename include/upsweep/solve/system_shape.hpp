#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/jacobian/chain.hpp"

namespace upsweep {

/// Which gradients are unknowns of the backward system.
enum class SystemForm : std::uint8_t {
  unit,    ///< all that a scan gives; the diagonal is 1 and every operator is a link between two unknowns
  scaled,  ///< elementwise operators stand in the diagonal as 1 / f' (Equation 21): one unknown for each row of them
};

/// One block of unknowns: the gradient with respect to one activation.
struct BlockShape {
  std::size_t activation = 0;        ///< position in link_inputs(), as in DirectGradients: 1 to n
  std::uint64_t size = 0;            ///< unknowns
  std::optional<std::size_t> link;   ///< jacobians[*link] couples it to the next block; nothing in the last block
  std::vector<std::size_t> scaling;  ///< jacobians in its diagonal as f', in the order in which they are applied
  std::uint64_t link_nnz = 0;        ///< entries of that Jacobian
  std::uint64_t scaling_nnz = 0;     ///< entries of these
};

/// The backward system of a chain (Naumov 2018, Equation 19) as structure.
///
/// Shapes: blocks 0 to l in the order of the data: block 0 is the gradient with respect to the output of the first
/// operator, block l hangs on the loss gradient alone. The gradient of the network's input is no unknown: training
/// does not need it, and J_1^T is not used.
struct SystemShape {
  std::vector<BlockShape> blocks;  ///< length l + 1, at least 1

  /// l: off-diagonal blocks.
  [[nodiscard]] std::size_t couplings() const { return blocks.size() - 1; }
  /// Numbers of a vector of unknowns.
  [[nodiscard]] std::uint64_t unknowns() const;
  /// FLOPs of the product of one block's row, by the counting rule: 2 · (link_nnz + scaling_nnz). Throws CountOverflow.
  [[nodiscard]] std::uint64_t flops(std::size_t block) const;
  /// FLOPs of block rows 0 to l together; in every form those of `linear`. Throws CountOverflow.
  [[nodiscard]] std::uint64_t flops() const;
};

/// True for a square pattern without an entry off the diagonal: an elementwise operator.
[[nodiscard]] bool is_diagonal(const Pattern& pattern);

/// The system of a chain. Throws std::invalid_argument for an empty chain and neighbours that do not fit.
[[nodiscard]] SystemShape system_shape(const JacobianChain& chain, SystemForm form);

}  // namespace upsweep
