#pragma once

#include <stdexcept>
#include <variant>

#include "upsweep/study/point_factory.hpp"

namespace upsweep::testing {

/// Throws std::runtime_error where the point is not valid.
inline const HomogeneousChain& chain_of(const PointInputs& inputs) {
  if (!inputs.error.empty()) throw std::runtime_error(inputs.error);
  return std::get<ChainModel>(*inputs.model.model).chain;
}

/// Throws std::runtime_error where the point is not valid.
inline const Model& network_of(const PointInputs& inputs) {
  if (!inputs.error.empty()) throw std::runtime_error(inputs.error);
  return std::get<Model>(*inputs.model.model);
}

}  // namespace upsweep::testing
