#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

/// What the numbers of a cost list may be.
enum class CostSign : std::uint8_t { positive, not_negative };

/// Throws std::invalid_argument unless `list` has `count` finite numbers of that sign, one for each `of`: what was
/// found, what is accepted.
void check_costs(const std::string& name, const std::vector<double>& list, std::size_t count, CostSign sign,
                 const std::string& of = "layer");

/// The same for O: positive but for layer 1, where 0 says that it does not exist.
void check_output_gradients(const std::vector<double>& list, std::size_t layers);

}  // namespace upsweep
