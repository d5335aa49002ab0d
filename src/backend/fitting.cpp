#include "upsweep/backend/fitting.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {

void require_fitting(const Schedule& schedule, const JacobianChain& chain) {
  if (schedule.length != chain.length()) {
    throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                            schedule.length, chain.length()));
  }
  check_chain(chain);
}

template <class T>
void require_fitting(const Schedule& schedule, const NumericChain<T>& chain) {
  require_fitting(schedule, chain.structure);
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

template void require_fitting<float>(const Schedule&, const NumericChain<float>&);
template void require_fitting<double>(const Schedule&, const NumericChain<double>&);

}  // namespace upsweep
