#include "upsweep/learning/optimizer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace upsweep {
namespace {

void require(bool is_right, const char* what, double found, const char* accepted) {
  if (!is_right || !std::isfinite(found))
    throw std::invalid_argument(fmt::format("{} is {}, accepted is {}", what, found, accepted));
}

/// 1 - beta^steps.
double bias_correction(double beta, std::uint64_t steps) { return 1 - std::pow(beta, static_cast<double>(steps)); }

}  // namespace

std::string to_string(const OptimizerSettings& settings) {
  if (const auto* sgd = std::get_if<SgdSettings>(&settings)) {
    return sgd->momentum == 0 ? fmt::format("SGD, learning rate {}", sgd->learning_rate)
                              : fmt::format("SGD, learning rate {}, momentum {}", sgd->learning_rate, sgd->momentum);
  }
  const auto& adam = std::get<AdamSettings>(settings);
  std::string text = fmt::format("Adam, learning rate {}", adam.learning_rate);
  AdamSettings usual;
  usual.learning_rate = adam.learning_rate;
  if (adam == usual) return text;
  return fmt::format("{}, betas {} and {}, epsilon {}", text, adam.beta1, adam.beta2, adam.epsilon);
}

void require_valid(const OptimizerSettings& settings) {
  constexpr const char* kShare = "a number from 0 to below 1";
  const double rate = std::visit([](const auto& chosen) { return chosen.learning_rate; }, settings);
  require(rate >= 0, "learning_rate", rate, "a finite number of at least 0");
  if (const auto* sgd = std::get_if<SgdSettings>(&settings)) {
    require(sgd->momentum >= 0 && sgd->momentum < 1, "momentum", sgd->momentum, kShare);
    return;
  }
  const auto& adam = std::get<AdamSettings>(settings);
  require(adam.beta1 >= 0 && adam.beta1 < 1, "beta1", adam.beta1, kShare);
  require(adam.beta2 >= 0 && adam.beta2 < 1, "beta2", adam.beta2, kShare);
  require(adam.epsilon > 0, "epsilon", adam.epsilon, "a finite number above 0");
}

void require_valid(const OptimizerSettings& settings, unsigned value_bytes) {
  require_valid(settings);
  const auto* adam = std::get_if<AdamSettings>(&settings);
  if (adam == nullptr || value_bytes == sizeof(double)) return;
  // 0 / 0 where there was no gradient yet; or no steps at all.
  const auto rounded = static_cast<float>(adam->epsilon);
  if (rounded > 0 && std::isfinite(rounded)) return;
  throw std::invalid_argument(
      fmt::format("epsilon is {}, which is {} in fp32, accepted is a number that fp32 has", adam->epsilon, rounded));
}

template <class T>
Optimizer<T>::Optimizer(const OptimizerSettings& settings, const std::vector<std::size_t>& lengths)
    : settings_(settings) {
  require_valid(settings, sizeof(T));
  const bool is_adam = std::holds_alternative<AdamSettings>(settings);
  for (const std::size_t length : lengths) {
    first_.emplace_back(length);
    if (is_adam) second_.emplace_back(length);
  }
}

template <class T>
void Optimizer<T>::step(std::span<const std::span<T>> parameters, std::span<const std::span<const T>> gradients) {
  if (parameters.size() != first_.size() || gradients.size() != first_.size()) {
    throw std::invalid_argument(fmt::format("{} arrays of parameters and {} of gradients, accepted are {}",
                                            parameters.size(), gradients.size(), first_.size()));
  }
  for (std::size_t array = 0; array < first_.size(); ++array) {
    if (parameters[array].size() == first_[array].size() && gradients[array].size() == first_[array].size()) continue;
    throw std::invalid_argument(fmt::format("array {}: {} parameters and {} gradients, accepted are {}", array,
                                            parameters[array].size(), gradients[array].size(), first_[array].size()));
  }
  ++steps_;
  for (std::size_t array = 0; array < first_.size(); ++array) {
    if (const auto* sgd = std::get_if<SgdSettings>(&settings_)) {
      step_sgd(*sgd, array, parameters[array], gradients[array]);
    } else {
      step_adam(std::get<AdamSettings>(settings_), array, parameters[array], gradients[array]);
    }
  }
}

template <class T>
void Optimizer<T>::step_sgd(const SgdSettings& sgd, std::size_t array, std::span<T> parameters,
                            std::span<const T> gradients) {
  const auto rate = static_cast<T>(sgd.learning_rate);
  const auto momentum = static_cast<T>(sgd.momentum);
  std::vector<T>& velocity = first_[array];
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    velocity[i] = momentum * velocity[i] + gradients[i];
    parameters[i] -= rate * velocity[i];
  }
}

template <class T>
void Optimizer<T>::step_adam(const AdamSettings& adam, std::size_t array, std::span<T> parameters,
                             std::span<const T> gradients) {
  const auto beta1 = static_cast<T>(adam.beta1);
  const auto rest1 = static_cast<T>(1 - adam.beta1);
  const auto beta2 = static_cast<T>(adam.beta2);
  const auto rest2 = static_cast<T>(1 - adam.beta2);
  // w - rate · (m / c1) / (sqrt(v / c2) + epsilon), the corrections c1, c2 taken out of the loop.
  const auto rate = static_cast<T>(adam.learning_rate / bias_correction(adam.beta1, steps_));
  const auto root = static_cast<T>(std::sqrt(bias_correction(adam.beta2, steps_)));
  const auto epsilon = static_cast<T>(adam.epsilon);
  std::vector<T>& mean = first_[array];
  std::vector<T>& square = second_[array];
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    mean[i] = beta1 * mean[i] + rest1 * gradients[i];
    square[i] = beta2 * square[i] + rest2 * gradients[i] * gradients[i];
    parameters[i] -= rate * mean[i] / (std::sqrt(square[i]) / root + epsilon);
  }
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace upsweep
