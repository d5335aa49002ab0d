#include "upsweep/recurrent/head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace upsweep {
namespace {

template <class T>
void require_lengths(const CellWeights<T>& weights, std::span<const T> last_hidden,
                     std::span<const std::uint32_t> labels) {
  require_valid(weights);
  if (labels.empty() || last_hidden.size() != labels.size() * weights.shape.hidden) {
    throw std::invalid_argument(fmt::format("{} hidden numbers for {} samples, accepted are {} for each of at least 1",
                                            last_hidden.size(), labels.size(), weights.shape.hidden));
  }
  for (std::size_t b = 0; b < labels.size(); ++b) {
    if (labels[b] < weights.shape.classes) continue;
    throw std::invalid_argument(
        fmt::format("label {} of sample {}, accepted are 0 to {}", labels[b], b, weights.shape.classes - 1));
  }
}

/// The logits of one sample, to `exact` in double precision.
template <class T>
void compute_logits(const CellWeights<T>& weights, const T* hidden, std::vector<double>& exact) {
  for (std::size_t c = 0; c < exact.size(); ++c) {
    auto sum = static_cast<double>(weights.b_head[c]);
    for (std::size_t i = 0; i < weights.shape.hidden; ++i) {
      sum += static_cast<double>(weights.w_head[c * weights.shape.hidden + i]) * static_cast<double>(hidden[i]);
    }
    exact[c] = sum;
  }
}

}  // namespace

template <class T>
HeadResult<T> run_head(const CellWeights<T>& weights, std::span<const T> last_hidden,
                       std::span<const std::uint32_t> labels) {
  require_lengths(weights, last_hidden, labels);
  const std::size_t h = weights.shape.hidden;
  const std::size_t classes = weights.shape.classes;
  const std::size_t batch = labels.size();
  HeadResult<T> result;
  result.hidden_gradient.reserve(batch * h);
  std::vector<double> logits(classes);
  std::vector<double> gradient(classes);
  for (std::size_t b = 0; b < batch; ++b) {
    compute_logits(weights, last_hidden.data() + b * h, logits);
    const double largest = *std::max_element(logits.begin(), logits.end());
    double total = 0;
    for (const double logit : logits) total += std::exp(logit - largest);
    result.loss += (std::log(total) - (logits[labels[b]] - largest)) / static_cast<double>(batch);
    if (std::max_element(logits.begin(), logits.end()) - logits.begin() == static_cast<std::ptrdiff_t>(labels[b])) {
      ++result.correct;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      gradient[c] = (std::exp(logits[c] - largest) / total - (c == labels[b] ? 1 : 0)) / static_cast<double>(batch);
      result.logits.push_back(static_cast<T>(logits[c]));
      result.logits_gradient.push_back(static_cast<T>(gradient[c]));
    }
    for (std::size_t i = 0; i < h; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += gradient[c] * static_cast<double>(weights.w_head[c * h + i]);
      result.hidden_gradient.push_back(static_cast<T>(sum));
    }
  }
  return result;
}

template HeadResult<float> run_head<float>(const CellWeights<float>&, std::span<const float>,
                                           std::span<const std::uint32_t>);
template HeadResult<double> run_head<double>(const CellWeights<double>&, std::span<const double>,
                                             std::span<const std::uint32_t>);

}  // namespace upsweep
