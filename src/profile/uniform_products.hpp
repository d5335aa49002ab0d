#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "row_steps.hpp"

namespace upsweep {

/// Products of independent random h × h matrices, in which every entry is there with probability d, by the number t of
/// their factors. A row of t factors has r_t entries, r_0 = 1: the Markov chain of RowSteps. A column has the same law.
/// Two such products of different factors are independent: X·Y has 2·h·E[r_X]·E[r_Y] FLOPs and h·E[r] entries on
/// average.
///
/// Stepped one by one up to kSteps factors at most, then, where the law of a row with entries still moves (h·d close to
/// 1), by strides that double every kSteps / 2, between which a cubic interpolates. Once that law stands still (the
/// quasi-stationary distribution), rows die out by a constant factor per step.
///
/// Exact up to rounding where h <= RowSteps::kMostExact (between strides to 1e-12). For larger h RowSteps' grid adds
/// errors, measured beside the exact law for h = 257 to 700 and h·d = 0.9 to 2: 2e-8 up to 2000 factors, 1e-3 up to
/// 2^40, as the share of rows that a step empties is only known to 1e-5 where it is 1e-9 and to 1e-3 where it is 1e-12.
/// Between strides up to 1e-6 for h = 10^12.
///
/// Source: S. Méléard, D. Villemonais, "Quasi-stationary distributions and population processes", 2012.
class UniformProducts {
 public:
  /// `size` h >= 1, `density` d in (0, 1]. Cost: 0.01 ms for h = 20, 0.5 ms for h = 1000, 2 ms for h = 10^6; with h·d
  /// within some h^(-1/2) of 1 up to 5, 2 and 20 ms for h = 256, 1000 and 10^6, 0.5 s for 10^12.
  UniformProducts(std::uint64_t size, double density, std::uint64_t most_exact = RowSteps::kMostExact);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] double density() const { return density_; }

  /// Expectations over a product.
  struct Figures {
    double density = 0;  ///< E[r_t] / h: of entries among its places
    double rows = 0;     ///< P(r_t > 0): of rows with an entry among its rows
    /// E[1 + ceil(log2 R)], R the most entries in a row, 0 where there are none, were the rows independent. Those of a
    /// product of several matrices are increasing functions of the same independent entries, hence associated: R is
    /// stochastically smaller than that (Esary, Proschan and Walkup, 1967), and this an upper bound, for one factor the
    /// expectation. Beyond RowSteps::kMostExact the law of a row with more than 16 entries is taken for a gamma law
    /// of its mean and variance.
    double span = 0;
  };
  /// Of `factors` >= 1. O(1).
  [[nodiscard]] Figures of(std::uint64_t factors) const;

 private:
  static constexpr std::uint64_t kSteps = 256;

  /// Of rows after some factors.
  struct Rows {
    double log_share = 0;  ///< ln of the share of those with an entry
    double entries = 0;    ///< that these have on average
    /// Of them, the share with more than 2^k entries, for all 2^k < h.
    std::vector<double> tails = {};
  };

  [[nodiscard]] Rows at(std::uint64_t factors) const;
  [[nodiscard]] double span_of(const Rows& rows, double share) const;

  std::uint64_t size_;
  double density_;
  std::vector<Rows> table_;  // of 0, 1, ..., kSteps factors, then of kSteps / 2 strides of 2, 4, ... each
  std::uint64_t end_ = 0;    // factors of the last one
  double log_factor_ = 0;    // ln of the share of rows that stay, per further factor
};

/// The products of a size and density, kept from the last calls of the thread.
[[nodiscard]] std::shared_ptr<const UniformProducts> uniform_products(std::uint64_t size, double density);

}  // namespace upsweep
