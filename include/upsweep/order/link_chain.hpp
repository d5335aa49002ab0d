#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

/// A chain of dense Jacobians that nothing is known of but sizes: link i, from 1 on, maps sizes[i - 1] numbers to
/// sizes[i] by a program of edges[i - 1] partial derivatives. Source: S. Maertens, U. Naumann, "Scheduled Jacobian
/// Chaining", arXiv 2505.06056.
struct LinkChain {
  std::vector<std::uint64_t> sizes;  ///< one more than links, each at least 1
  std::vector<std::uint64_t> edges;  ///< of each link, at least 1

  [[nodiscard]] std::size_t length() const { return edges.size(); }
};

/// How the Jacobian of an interval of links comes about.
enum class LinkStep : std::uint8_t {
  accumulate,  ///< of one link, from nothing
  multiply,    ///< from those of two intervals that meet
  tangent,     ///< from that of all links but the last, pushed forward through the last
  adjoint,     ///< from that of all links but the first, pulled back through the first
};

/// An operation that gives the Jacobian of links first to last, counted from 1.
struct LinkOp {
  LinkStep step = LinkStep::accumulate;
  std::size_t first = 1;
  std::size_t last = 1;
  std::size_t split = 0;   ///< of a product: the last link of the earlier factor
  std::uint64_t cost = 0;  ///< fused multiply-adds

  bool operator==(const LinkOp&) const = default;
};

/// How many Jacobians an operation needs: 0 to 2.
[[nodiscard]] constexpr std::size_t needs_of(LinkStep step) {
  return step == LinkStep::accumulate ? 0 : step == LinkStep::multiply ? 2 : 1;
}

/// Fused multiply-adds of an operation: accumulate min(d_{i-1}, d_i) e_i; multiply d_j d_k d_{i-1}; tangent
/// d_{i-1} e_j; adjoint d_j e_i, of links i to j split behind k. Throws CountOverflow.
[[nodiscard]] std::uint64_t cost_of(const LinkChain& chain, const LinkOp& op);

/// Operations that give the Jacobian of a whole chain, each behind those that it needs: an in-tree in post-order, the
/// factor of earlier links first.
using LinkTree = std::vector<LinkOp>;

/// For each operation the one that needs it; its own number for the last.
[[nodiscard]] std::vector<std::size_t> needed_by(const LinkTree& tree);

/// "((1>2) (3<4))": a number is an accumulated link, (A B) a product, (A>4) a tangent step over link 4, (3<B) an
/// adjoint step over link 3; links stand in their order.
[[nodiscard]] std::string tree_text(const LinkTree& tree);

}  // namespace upsweep
