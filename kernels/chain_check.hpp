#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep::kernels {

/// Throws std::invalid_argument that names the position and both sizes where numbers and structure do not fit together.
template <class T>
void require_values(const NumericChain<T>& chain) {
  const auto require = [](std::size_t position, std::size_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw std::invalid_argument(
        fmt::format("element {} of the chain has {} values, expected {}", position, found, expected));
  };
  if (chain.values.size() != chain.structure.jacobians.size()) {
    throw std::invalid_argument(
        fmt::format("values for {} Jacobians, expected {}", chain.values.size(), chain.structure.jacobians.size()));
  }
  require(0, chain.gradient.size(), chain.structure.gradient_length);
  for (std::size_t i = 0; i < chain.values.size(); ++i) {
    require(i + 1, chain.values[i].size(), chain.structure.jacobians[i]->nnz());
  }
}

}  // namespace upsweep::kernels
