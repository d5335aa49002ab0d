#pragma once

#include <cstddef>
#include <vector>

#include "case.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep::bench {

/// A matrix–matrix combine of a schedule: value `result` = later × earlier.
struct ProductStep {
  ValueId earlier = 0;
  ValueId later = 0;
  ValueId result = 0;
  std::vector<ValueId> releases;  ///< results that no later step needs, this one's among them
};

/// The matrix–matrix combines of a schedule in its order; combines of a matrix and a vector are left out.
struct ProductList {
  std::size_t length = 0;  ///< of the scan array
  std::size_t values = 0;  ///< array elements and results of combines
  std::vector<ProductStep> steps;
};

[[nodiscard]] ProductList matrix_products(const Schedule& schedule);

/// Runs the list: `multiply(later, earlier)` makes a result, `count` tells its nnz. `Matrix` is an owning pointer.
///
/// Shapes: elements[i] is a[i] for i in [1, length); elements[0] is not used. Returns the nnz of every step.
template <class Matrix, class Multiply, class Count>
Counts replay(const ProductList& list, const std::vector<Matrix>& elements, const Multiply& multiply,
              const Count& count) {
  std::vector<Matrix> results(list.values - list.length);
  const auto value = [&](ValueId id) -> const Matrix& {
    return id < list.length ? elements[id] : results[id - list.length];
  };
  Counts nnz;
  nnz.reserve(list.steps.size());
  for (const ProductStep& step : list.steps) {
    Matrix result = multiply(value(step.later), value(step.earlier));
    nnz.push_back(count(result));
    results[step.result - list.length] = std::move(result);
    for (const ValueId id : step.releases) results[id - list.length].reset();
  }
  return nnz;
}

}  // namespace upsweep::bench
