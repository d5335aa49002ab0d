#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep {

/// The Markov chain of the number r of entries in a row of a product of random h × h matrices, in which every entry is
/// there with probability d: with a further factor, r becomes Binomial(h, 1 - (1 - d)^r); 0 stays 0.
///
/// Exact on all r = 1..h where h <= `most_exact`. For larger h on a grid of nodes: every r up to 1 / kGrading, further
/// on as many per power of e, up to where no row ever gets. What falls between two nodes is shared among the
/// kStencil nearest by Lagrange's polynomial: that keeps all sums Σ_r P(r)·f(r) of polynomials f of that degree, and
/// those of 1 - exp(-c·r) to about 1e-9 for any c, of which expectations in later steps are mixtures (probabilities to
/// hit one of r places). Errors: see UniformProducts.
class RowSteps {
 public:
  static constexpr double kGrading = 0.04;    ///< distance of nodes over their number
  static constexpr std::size_t kStencil = 8;  ///< nodes of a polynomial
  static constexpr std::uint64_t kMostExact = 256;

  /// `size` h >= 1, `density` d in (0, 1]. Cost: O(nodes · (h·d)^(1/2)) at most.
  RowSteps(std::uint64_t size, double density, std::uint64_t most_exact = kMostExact);

  /// Numbers of entries, ascending from 1.
  [[nodiscard]] const std::vector<double>& nodes() const { return nodes_; }

  /// How many steps next() takes at once: 1 until square() is called, then twice as many each time.
  [[nodiscard]] std::uint64_t stride() const { return stride_; }

  /// Probability, from each node, that a row has no entry after a stride; length nodes().size().
  [[nodiscard]] const std::vector<double>& losses() const { return losses_; }

  /// Masses after a stride of rows that have an entry then, of masses before. Lengths: nodes().size().
  [[nodiscard]] std::vector<double> next(const std::vector<double>& masses) const;

  /// Doubles the stride. Cost: O(nodes³).
  void square();

 private:
  void place_nodes(std::uint64_t size, double log_missing, std::uint64_t most_exact);
  void add_row(double node, double size, double log_missing);
  void add_mass(double count, double mass);

  /// Masses from a node, at nodes first, first + 1, ...
  struct Row {
    std::size_t first = 0;
    std::vector<double> masses;
  };

  std::vector<double> nodes_;
  std::size_t consecutive_ = 0;  // nodes 1, 2, 3, ... without a gap
  std::vector<Row> rows_;
  std::vector<double> losses_;
  std::vector<double> sums_;  // of the row in the making
  std::uint64_t stride_ = 1;
};

}  // namespace upsweep
