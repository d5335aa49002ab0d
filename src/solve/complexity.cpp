#include "upsweep/solve/complexity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

void check(const LayerSizes& sizes) {
  if (sizes.widths.size() >= 2) return;
  throw std::invalid_argument(
      fmt::format("layer sizes: {} widths, accepted are at least 2: one layer has two", sizes.widths.size()));
}

/// (to from + γ to) r: a layer from width `from` to width `to`.
std::uint64_t propagation(const LayerSizes& sizes, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t one = checked_add(checked_mul(to, from), checked_mul(sizes.activation, to));
  return checked_mul(one, sizes.batch);
}

/// n_{k+1} n_k n_{k-1} + n_{k+1} n_k of the layers i - 1 and i >= 1 (0-based): what joins them.
std::uint64_t joining(const LayerSizes& sizes, std::size_t i) {
  const std::uint64_t weight = checked_mul(sizes.widths[i + 1], sizes.widths[i]);
  return checked_add(checked_mul(weight, sizes.widths[i - 1]), weight);
}

/// Propagation through both half systems.
std::array<std::uint64_t, 2> halves(const LayerSizes& sizes) {
  std::array<std::uint64_t, 2> sums{};
  for (std::size_t j = 0; j + 2 < sizes.widths.size(); ++j) {
    add_to(sums[j % 2], propagation(sizes, sizes.widths[j], sizes.widths[j + 2]));
  }
  return sums;
}

}  // namespace

std::uint64_t largest_width(const LayerSizes& sizes) {
  check(sizes);
  return *std::max_element(sizes.widths.begin(), sizes.widths.end());
}

std::uint64_t sequential_work(const LayerSizes& sizes) { return iterative_work(sizes, 1); }

std::uint64_t splitting_work(const LayerSizes& sizes) {
  check(sizes);
  const auto sums = halves(sizes);
  std::uint64_t work = checked_add(sums[0], sums[1]);
  for (std::size_t i = 1; i < sizes.layers(); ++i) add_to(work, joining(sizes, i));
  return work;
}

std::uint64_t splitting_time(const LayerSizes& sizes) {
  check(sizes);
  std::uint64_t longest = 0;
  for (std::size_t i = 1; i < sizes.layers(); ++i) longest = std::max(longest, joining(sizes, i));
  const auto sums = halves(sizes);
  return checked_add(longest, std::max(sums[0], sums[1]));
}

double recursive_time(const LayerSizes& sizes) {
  const auto n = static_cast<double>(largest_width(sizes));
  return n * n * n * std::log2(static_cast<double>(sizes.layers())) + n * n * static_cast<double>(sizes.batch);
}

double recursive_work(const LayerSizes& sizes) { return static_cast<double>(sizes.layers()) * recursive_time(sizes); }

std::uint64_t iterative_work(const LayerSizes& sizes, std::uint64_t iterations) {
  check(sizes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sizes.layers(); ++i)
    add_to(sum, propagation(sizes, sizes.widths[i], sizes.widths[i + 1]));
  return checked_mul(sum, iterations);
}

std::uint64_t iterative_time(const LayerSizes& sizes, std::uint64_t iterations) {
  check(sizes);
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < sizes.layers(); ++i)
    longest = std::max(longest, propagation(sizes, sizes.widths[i], sizes.widths[i + 1]));
  return checked_mul(longest, iterations);
}

std::uint64_t iterative_memory(const LayerSizes& sizes, std::uint64_t vectors) {
  check(sizes);
  std::uint64_t numbers = 0;
  for (std::size_t i = 1; i < sizes.widths.size(); ++i) add_to(numbers, sizes.widths[i]);
  return checked_mul(checked_mul(numbers, sizes.batch), vectors);
}

std::vector<ConditionVerdict> direct_verdicts(std::uint64_t batch, std::size_t layers, const JoiningCost& n) {
  const auto r = static_cast<double>(batch);
  const auto l = static_cast<double>(layers);
  const double share = layers > 1 ? l / std::log2(l) : std::numeric_limits<double>::infinity();
  return {{fmt::format("r >= {}", n.name), fmt::format("r right sides; {} is {}", n.name, n.meaning), r, n.value,
           r >= n.value},
          {fmt::format("l / log2 l >= {}", n.name), fmt::format("l = {} layers; {} is {}", layers, n.name, n.meaning),
           share, n.value, share >= n.value}};
}

ConditionVerdict iterative_verdict(const std::string& method, std::size_t iterations, std::size_t layers) {
  return {"eta < l",
          "iterations, layers; for layers of one size",
          static_cast<double>(iterations),
          static_cast<double>(layers),
          iterations < layers,
          method};
}

ConditionVerdict faster_verdict(const std::string& method, std::uint64_t makespan, std::uint64_t substitution,
                                std::size_t workers) {
  return {"time < substitution",
          fmt::format("FLOPs one after the other on {} worker{}", workers, workers == 1 ? "" : "s"),
          static_cast<double>(makespan),
          static_cast<double>(substitution),
          makespan < substitution,
          method};
}

}  // namespace upsweep
