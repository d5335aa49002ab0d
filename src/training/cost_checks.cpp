#include "cost_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace upsweep {

void check_costs(const std::string& name, const std::vector<double>& list, std::size_t count, CostSign sign,
                 const std::string& of) {
  if (list.size() != count)
    throw std::invalid_argument(fmt::format("{} has {} entries, accepted are {}", name, list.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(list[i]) && list[i] >= 0 && (list[i] > 0 || sign == CostSign::not_negative)) continue;
    throw std::invalid_argument(fmt::format("{} of {} {} is {}, accepted are finite numbers {} 0", name, of, i + 1,
                                            list[i], sign == CostSign::positive ? "above" : "of at least"));
  }
}

void check_output_gradients(const std::vector<double>& list, std::size_t layers) {
  check_costs("O", list, layers, CostSign::not_negative);
  for (std::size_t layer = 1; layer < layers; ++layer) {
    if (list[layer] > 0) continue;
    throw std::invalid_argument(fmt::format("O of layer {} is 0, accepted is a number above 0", layer + 1));
  }
}

}  // namespace upsweep
