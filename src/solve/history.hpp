#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "upsweep/solve/iterate.hpp"

namespace upsweep {

/// True for the iterations of which a history has all errors: 0, 1, 2, 3, 5, 10, 20, 30, 50, 100, ...
[[nodiscard]] bool has_all_errors(std::size_t iteration);

/// The next such iteration after this one.
[[nodiscard]] std::size_t next_with_all_errors(std::size_t iteration);

/// Judges the vectors of an iteration, one after the other.
template <class T>
class History {
 public:
  /// Checks the settings. `system` and `settings` must outlive this object. `is_sparse`: few points are added, and all
  /// keep their errors by block. Throws as hybrid_solve().
  History(const BackwardSystem<T>& system, const IterateSettings<T>& settings, std::string method,
          bool is_sparse = false);

  /// The vector that the iteration starts with: settings.start or c, its last block from c in both.
  [[nodiscard]] std::vector<T> start() const;

  /// Adds the state after an iteration; true where it is within the tolerance. The last point has all errors.
  bool add(std::size_t iteration, std::span<const T> v);

  [[nodiscard]] const std::vector<IterationPoint>& points() const { return points_; }
  [[nodiscard]] std::vector<IterationPoint> release() { return std::move(points_); }

  /// Iterations since the smallest residual.
  [[nodiscard]] std::size_t since_best() const { return points_.back().iteration - points_[best_].iteration; }
  [[nodiscard]] double best_residual() const { return points_[best_].residual; }

  /// Throws Diverged where the last residual is not finite or exceeds `growth` times the first one, which is at
  /// least 1.
  void refuse_growth(double growth) const;
  /// Throws ToleranceUnreachable with the smallest residual.
  [[noreturn]] void refuse_stagnation() const;
  /// Throws what the residuals say after the most iterations: Diverged where they grew, else IterationLimit.
  [[noreturn]] void refuse_limit() const;

 private:
  [[nodiscard]] std::vector<double> errors(std::span<const T> v) const;

  const BackwardSystem<T>& system_;
  const IterateSettings<T>& settings_;
  std::string method_;
  bool is_sparse_;
  std::vector<std::vector<double>> own_reference_;  // by block, where the settings have none
  std::vector<IterationPoint> points_;
  std::size_t best_ = 0;
};

}  // namespace upsweep
