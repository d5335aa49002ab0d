#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep {

/// Throws OperatorError before an allocation that cannot work: `bytes_each` for every weight of the network.
void require_weights_memory(const Network& network, std::uint64_t bytes_each);

/// Calls use(i, number) for every weight of an operator, on several threads.
template <class Use>
void for_each_he_normal(const Operator& op, const Shape& shape, std::uint64_t seed, const Use& use) {
  const std::uint64_t count = elements(shape);
  const double deviation = std::sqrt(2.0 / (static_cast<double>(count) / static_cast<double>(shape[0])));
  const NormalStream normal(seed, op.name);
  constexpr std::size_t kGrain = 1 << 14;
  parallel_chunks(count, kGrain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) {
      use(i, static_cast<float>(deviation * static_cast<double>(normal(i))));
    }
  });
}

}  // namespace upsweep
