#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "data_parallel_ticks.hpp"
#include "upsweep/training/data_parallel.hpp"

namespace upsweep {
namespace {

using Ticks = std::vector<std::uint64_t>;

/// Goes through all compute orders without gaps, and for each through all sequences on the link.
class Enumeration {
 public:
  explicit Enumeration(const DataParallel& step) : layers_(step.layers()), scale_(data_parallel_ticks(step)) {
    using enum StepOpKind;
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      forward_.push_back(scale_.ticks({step.cost({forward, layer, 0})}));
      output_.push_back(scale_.ticks({step.cost({output_gradient, layer, 0})}));
      weight_.push_back(scale_.ticks({step.cost({weight_gradient, layer, 0})}));
      sync_.push_back(weight_.back() > 0 ? scale_.ticks({step.synchronisation[layer]}) : 0);
      backward_end_ += output_.back() + weight_.back();
    }
    rest_.assign(layers_ + 1, 0);
    for (std::size_t layer = layers_; layer-- > 0;) rest_[layer] = rest_[layer + 1] + forward_[layer];
    weight_end_.assign(layers_, 0);
    sync_end_.assign(layers_, 0);
  }

  double best() {
    order_next(layers_, 0, 0);
    return scale_.units(best_);
  }

 private:
  /// Extends a compute order: O down to layer `gradients` and the W of `weights` (bits) are done at `now`.
  void order_next(std::size_t gradients, unsigned weights, std::uint64_t now) {
    bool is_complete = true;
    for (std::size_t layer = layers_; layer-- > 0;) {
      if ((weights & (1U << layer)) != 0) continue;
      if (weight_[layer] == 0) {
        weights |= 1U << layer;
        continue;
      }
      is_complete = false;
      if (gradients > layer + 1) continue;  // its gradient is not there
      weight_end_[layer] = now + weight_[layer];
      order_next(gradients, weights | (1U << layer), weight_end_[layer]);
    }
    if (gradients > 0) {
      const std::uint64_t cost = output_[gradients - 1];
      if (cost > 0) {
        order_next(gradients - 1, weights, now + cost);
        return;
      }
    }
    if (is_complete) sequence_next(weights_with_sync(), 0, backward_end_ + rest_[0]);
  }

  [[nodiscard]] unsigned weights_with_sync() const {
    unsigned all = 0;
    for (std::size_t layer = 0; layer < layers_; ++layer) all |= weight_[layer] > 0 ? 1U << layer : 0U;
    return all;
  }

  /// Extends a sequence on the link by one of `left` (bits); it is free at `now`, and the makespan is at least `bound`.
  void sequence_next(unsigned left, std::uint64_t now, std::uint64_t bound) {
    if (bound >= best_) return;
    if (left == 0) {
      best_ = std::min(best_, makespan());
      return;
    }
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      if ((left & (1U << layer)) == 0) continue;
      sync_end_[layer] = std::max(now, weight_end_[layer]) + sync_[layer];
      sequence_next(left & ~(1U << layer), sync_end_[layer], std::max(bound, sync_end_[layer] + rest_[layer]));
    }
  }

  [[nodiscard]] std::uint64_t makespan() const {
    std::uint64_t now = backward_end_;
    for (std::size_t layer = 0; layer < layers_; ++layer) now = std::max(now, sync_end_[layer]) + forward_[layer];
    return now;
  }

  std::size_t layers_;
  TickScale scale_;
  Ticks forward_, output_, weight_, sync_;
  Ticks rest_;  // forward pass from a layer on
  std::uint64_t backward_end_ = 0;
  Ticks weight_end_, sync_end_;
  std::uint64_t best_ = ~std::uint64_t{0};
};

}  // namespace

double optimum_nonpreemptive(const DataParallel& step) {
  check_data_parallel(step);
  if (step.layers() > kMostOptimumLayers) {
    throw std::invalid_argument(
        fmt::format("{} layers, accepted are at most {} for all orders", step.layers(), kMostOptimumLayers));
  }
  return Enumeration(step).best();
}

}  // namespace upsweep
