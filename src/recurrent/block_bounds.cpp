#include "upsweep/recurrent/block_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::vector<std::size_t> block_times(std::size_t steps, const BlockOptions& options) {
  if (steps == 0) throw std::invalid_argument("blocks of 0 steps, accepted is 1 or more");
  if (options.blocks == 0 || !(options.first_block >= 1) || !std::isfinite(options.first_block)) {
    throw std::invalid_argument(
        fmt::format("{} blocks, the first {} times as long as the others, accepted is 1 or more", options.blocks,
                    options.first_block));
  }
  const std::size_t blocks = std::min(options.blocks, steps);
  const auto others = static_cast<double>(blocks - 1);
  const double share = options.first_block / (options.first_block + others);
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(steps)));
  const std::size_t first = std::clamp<std::size_t>(wanted, 1, steps - (blocks - 1));
  std::vector<std::size_t> times{steps};
  for (std::size_t i = 1; i < blocks; ++i) times.push_back((steps - first) * (blocks - i) / (blocks - 1));
  times.push_back(0);
  return times;
}

std::size_t reduced_blocks(const std::vector<std::size_t>& times) { return times.size() > 3 ? times.size() - 3 : 0; }

ScanFlops blocked_flops(const CellShape& shape, const std::vector<std::size_t>& times, std::size_t batch,
                        bool store_jacobians) {
  const std::uint64_t plain = checked_mul(batch, checked_mul(2 * shape.hidden, shape.hidden));
  const std::uint64_t form = checked_mul(plain, shape.gates());
  const std::uint64_t vector = store_jacobians ? plain : form;
  const std::uint64_t reduced = reduced_blocks(times);
  const std::uint64_t inner = times[1] - times[1 + reduced];  // steps of the reduced blocks
  ScanFlops flops;
  if (store_jacobians) flops.jacobians = checked_mul(form, times.front());
  const std::uint64_t formed = store_jacobians ? 0 : checked_mul(form, inner);
  const std::uint64_t products = checked_mul(checked_mul(plain, shape.hidden), inner - reduced);
  flops.up = checked_add(checked_mul(vector, times[0] - times[1]), checked_add(formed, products));
  flops.middle = checked_mul(plain, reduced);
  flops.down = checked_mul(vector, times[1] - reduced);
  return flops;
}

}  // namespace upsweep
