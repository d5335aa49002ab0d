#pragma once

#include <cstdint>
#include <string>

#include "upsweep/recurrent/backward_pass.hpp"

/// What is known of a pass on a GPU before it is made; plain C++, tested everywhere.
namespace upsweep::kernels {

/// Why our kernels have no such pass, for people; empty where they have one.
[[nodiscard]] std::string unsupported_cuda_pass(const BackwardMethod& method, const PassShape& shape);

/// Device memory of a pass: operands, result and what the method keeps. Throws CountOverflow.
[[nodiscard]] std::uint64_t cuda_pass_bytes(const BackwardMethod& method, const PassShape& shape, unsigned value_bytes);

/// What those bytes are, and which method needs less.
[[nodiscard]] std::string memory_purpose(const BackwardMethod& method);

/// Most combines of a schedule of `steps` steps, and most that are chained.
[[nodiscard]] std::uint64_t level_step_room(std::uint64_t steps);
[[nodiscard]] std::uint64_t fold_step_room(std::uint64_t steps);

}  // namespace upsweep::kernels
