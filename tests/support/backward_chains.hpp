#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep::testing {

/// Adds the Jacobian of the next operator towards the input, its entries row by row.
template <class T>
void add_link(NumericChain<T>& chain, const Pattern& pattern, std::vector<T> values) {
  chain.structure.jacobians.push_back(std::make_shared<const Pattern>(pattern));
  chain.values.push_back(std::move(values));
}

/// Adds a Jacobian with numbers from a generator.
template <class T>
void add_link(NumericChain<T>& chain, const Pattern& pattern, const std::function<T()>& number) {
  std::vector<T> values(pattern.nnz());
  for (T& value : values) value = number();
  add_link(chain, pattern, std::move(values));
}

/// A chain of `links` + 1 operators without width: every transposed Jacobian is the number `factor`, and so is no
/// diagonal in the unit form only.
template <class T>
NumericChain<T> scalar_chain(std::size_t links, T factor, T gradient = T{1}) {
  NumericChain<T> chain;
  chain.structure.gradient_length = 1;
  chain.gradient = {gradient};
  for (std::size_t i = 0; i <= links; ++i) add_link(chain, Pattern::diagonal(1), {factor});
  return chain;
}

/// Gradients by activation, as DirectGradients has them, from the definition: J^T v, row by row.
template <class T>
std::vector<std::vector<T>> plain_gradients(const NumericChain<T>& chain) {
  const std::size_t n = chain.values.size();
  std::vector<std::vector<T>> gradients(n + 1);
  gradients[n] = chain.gradient;
  for (std::size_t i = 0; i < n; ++i) {
    const CsrPattern csr = chain.structure.jacobians[i]->to_csr();
    std::vector<T>& result = gradients[n - 1 - i];
    result.assign(csr.rows, T{0});
    for (std::size_t r = 0; r < csr.rows; ++r) {
      for (std::uint64_t e = csr.indptr[r]; e < csr.indptr[r + 1]; ++e)
        result[r] += chain.values[i][e] * gradients[n - i][csr.indices[e]];
    }
  }
  return gradients;
}

}  // namespace upsweep::testing
