#include "upsweep/learning/batch_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "upsweep/network/random.hpp"

namespace upsweep {

BatchOrder::BatchOrder(std::size_t samples, std::size_t batch, std::uint64_t seed) : batch_(batch), seed_(seed) {
  if (batch == 0 || batch > samples)
    throw std::invalid_argument(fmt::format("a batch of {}, accepted is 1 to {}, the samples", batch, samples));
  order_.resize(samples);
  shuffle(0);
}

std::span<const std::size_t> BatchOrder::at(std::size_t iteration) {
  const std::size_t epoch = iteration / batches_per_epoch();
  if (epoch != epoch_) shuffle(epoch);
  return std::span<const std::size_t>(order_).subspan(iteration % batches_per_epoch() * batch_, batch_);
}

void BatchOrder::shuffle(std::size_t epoch) {
  epoch_ = epoch;
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const UniformStream uniform(seed_, fmt::format("epoch {}", epoch));
  for (std::size_t left = order_.size(); left > 1; --left) {
    // The product may round up to `left`.
    const auto at = static_cast<std::size_t>(uniform(left) * static_cast<double>(left));
    std::swap(order_[left - 1], order_[std::min(at, left - 1)]);
  }
}

}  // namespace upsweep
