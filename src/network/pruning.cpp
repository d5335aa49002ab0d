#include "upsweep/network/pruning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "he_normal.hpp"

namespace upsweep {
namespace {

/// A weight and its position in the list over which it is ranked.
struct Ranked {
  double magnitude;
  std::uint64_t position;
};

bool ranks_before(const Ranked& a, const Ranked& b) {
  return a.magnitude != b.magnitude ? a.magnitude > b.magnitude : a.position < b.position;
}

/// Moves the `count` first-ranked to the front.
void rank(std::vector<Ranked>& all, std::uint64_t count) {
  if (count < all.size())
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), ranks_before);
}

std::vector<Ranked> ranked(std::span<const double> values) {
  std::vector<Ranked> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) all[i] = {std::fabs(values[i]), i};
  return all;
}

/// Sets the numbers that are not kept to 0, and drops zeros from what is kept.
void apply_mask(OperatorWeights& weights) {
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    if (weights.kept[i] == 0) weights.values[i] = 0;
    weights.kept[i] = weights.values[i] != 0 ? 1 : 0;
  }
}

/// The mask of the `count` largest of some magnitudes without zeros, ties to the lower position. Magnitudes of one sign
/// are ordered as their bits are: the count of each upper half, then of the lower halves of one, give the least that
/// stays, without a copy.
std::vector<std::uint8_t> largest(std::span<const float> magnitudes, std::uint64_t count) {
  constexpr unsigned kHalf = 16;
  const auto bits_of = [&](std::size_t i) { return std::bit_cast<std::uint32_t>(magnitudes[i]); };
  const auto least_half = [&](std::uint64_t& wanted, const auto& half_of) {
    std::vector<std::uint64_t> sizes(std::size_t{1} << kHalf);
    for (std::size_t i = 0; i < magnitudes.size(); ++i) {
      if (const auto half = half_of(bits_of(i))) ++sizes[*half];
    }
    std::uint32_t least = (1U << kHalf) - 1;
    for (; least > 0 && sizes[least] < wanted; --least) wanted -= sizes[least];
    return least;
  };
  std::uint64_t ties = count;  // that stay; first of those with the same upper half
  const std::uint32_t upper =
      least_half(ties, [](std::uint32_t bits) { return std::optional<std::uint32_t>(bits >> kHalf); });
  const std::uint32_t lower = least_half(ties, [&](std::uint32_t bits) {
    return bits >> kHalf == upper ? std::optional<std::uint32_t>(bits & ((1U << kHalf) - 1)) : std::nullopt;
  });
  const std::uint32_t least = upper << kHalf | lower;
  std::vector<std::uint8_t> kept(magnitudes.size());
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    const std::uint32_t bits = bits_of(i);
    const bool is_tie = bits == least && ties > 0;
    if (is_tie) --ties;
    kept[i] = bits != 0 && (bits > least || is_tie) ? 1 : 0;
  }
  return kept;
}

bool is_prunable(const Operator& op) { return weight_shape(op.kind, op.in_shape).has_value(); }

void prune_globally(const Network& network, double sparsity, NetworkWeights& weights) {
  // A ranked entry and a mask byte beside the number and its mask.
  require_weights_memory(network, sizeof(double) + sizeof(Ranked) + 2);
  std::vector<Ranked> all;
  std::size_t total = 0;
  for (const OperatorWeights& mine : weights) total += mine.values.size();
  all.reserve(total);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (!is_prunable(network.operators()[o])) continue;
    for (const double value : weights[o].values) all.push_back({std::fabs(value), all.size()});
  }
  const std::uint64_t count = kept_count(all.size(), sparsity);
  rank(all, count);
  std::vector<std::uint8_t> kept(all.size(), 0);
  for (std::uint64_t i = 0; i < count; ++i) kept[all[i].position] = 1;
  auto next = kept.cbegin();
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (!is_prunable(network.operators()[o])) continue;
    const auto end = next + static_cast<std::ptrdiff_t>(weights[o].values.size());
    weights[o].kept.assign(next, end);
    next = end;
  }
}

/// Keeps the `count` largest of `values`.
void keep_largest(std::span<const double> values, std::uint64_t count, std::span<std::uint8_t> kept) {
  std::vector<Ranked> all = ranked(values);
  rank(all, count);
  std::fill(kept.begin(), kept.end(), 0);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, all.size()); ++i) kept[all[i].position] = 1;
}

void prune_groups(const Shape& shape, const NOfM& rule, OperatorWeights& weights) {
  const std::uint64_t row = elements(shape) / shape[0];
  for (std::uint64_t begin = 0; begin < weights.values.size(); begin += row) {
    for (std::uint64_t at = 0; at < row; at += rule.m) {
      const std::uint64_t size = std::min(rule.m, row - at);
      keep_largest(std::span(weights.values).subspan(begin + at, size), std::min(rule.n, size),
                   std::span(weights.kept).subspan(begin + at, size));
    }
  }
}

/// By operator: the share that a rule prunes of each on its own; nothing for rules that are none of these.
std::optional<std::vector<double>> layer_sparsities(const Network& network, const Pruning& pruning) {
  const std::size_t count = network.operators().size();
  if (const auto* rule = std::get_if<MagnitudeLayer>(&pruning)) return std::vector<double>(count, rule->sparsity);
  if (const auto* rule = std::get_if<ErdosRenyiKernel>(&pruning))
    return erdos_renyi_sparsities(network, rule->sparsity);
  const auto* budgets = std::get_if<LayerBudgets>(&pruning);
  if (budgets == nullptr) return std::nullopt;
  std::vector<double> sparsities(count);
  for (std::size_t o = 0; o < count; ++o) {
    const auto found = budgets->sparsity.find(network.operators()[o].name);
    if (found != budgets->sparsity.end()) sparsities[o] = found->second;
  }
  return sparsities;
}

}  // namespace

std::vector<double> erdos_renyi_sparsities(const Network& network, double sparsity) {
  const std::size_t count = network.operators().size();
  std::vector<double> weights(count);  // numbers of weights
  std::vector<double> shares(count);   // densities but for a factor
  double wanted = 0;
  for (std::size_t o = 0; o < count; ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape) continue;
    weights[o] = static_cast<double>(elements(*shape));
    for (const std::uint64_t size : *shape) shares[o] += static_cast<double>(size) / weights[o];
    wanted += (1 - sparsity) * weights[o];
  }
  std::vector<bool> is_dense(count);
  double factor = 0;
  for (bool changed = true; changed;) {
    changed = false;
    double left = wanted;
    double sum = 0;
    for (std::size_t o = 0; o < count; ++o) (is_dense[o] ? left : sum) += (is_dense[o] ? -1 : shares[o]) * weights[o];
    factor = sum > 0 ? left / sum : 0;
    for (std::size_t o = 0; o < count; ++o) {
      if (is_dense[o] || factor * shares[o] <= 1) continue;
      is_dense[o] = true;
      changed = true;
    }
  }
  std::vector<double> sparsities(count);
  for (std::size_t o = 0; o < count; ++o) {
    if (weights[o] > 0 && !is_dense[o]) sparsities[o] = std::clamp(1 - factor * shares[o], 0.0, 1.0);
  }
  return sparsities;
}

std::uint64_t kept_count(std::uint64_t count, double sparsity) {
  const double share = (1 - sparsity) * static_cast<double>(count) - 1e-6;
  return std::min(count, static_cast<std::uint64_t>(std::max(0.0, std::ceil(share))));
}

void prune(const Network& network, const Pruning& pruning, NetworkWeights& weights) {
  const auto each = [&](auto&& rule) {
    for (std::size_t o = 0; o < weights.size(); ++o) {
      const Operator& op = network.operators()[o];
      const auto shape = weight_shape(op.kind, op.in_shape);
      if (!shape) continue;
      weights[o].kept.assign(weights[o].values.size(), 1);
      rule(o, *shape);
    }
  };
  if (const auto sparsities = layer_sparsities(network, pruning)) {
    each([&](std::size_t o, const Shape&) {
      OperatorWeights& mine = weights[o];
      keep_largest(mine.values, kept_count(mine.values.size(), (*sparsities)[o]), mine.kept);
    });
  } else if (const auto* global = std::get_if<MagnitudeGlobal>(&pruning)) {
    prune_globally(network, global->sparsity, weights);
  } else {
    const NOfM& rule = std::get<NOfM>(pruning);
    each([&](std::size_t o, const Shape& shape) { prune_groups(shape, rule, weights[o]); });
  }
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (is_prunable(network.operators()[o])) apply_mask(weights[o]);
  }
}

void prune_he_normal(const Network& network, std::uint64_t seed, const Pruning& pruning, NetworkWeights& weights) {
  const auto sparsities = layer_sparsities(network, pruning);
  if (!sparsities) {
    fill_he_normal(network, seed, weights);
    prune(network, pruning, weights);
    for (std::size_t o = 0; o < weights.size(); ++o) {
      if (is_prunable(network.operators()[o])) weights[o].values = {};
    }
    return;
  }
  require_weights_memory(network, 1);
  std::vector<float> magnitudes;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape) continue;
    magnitudes.resize(elements(*shape));
    for_each_he_normal(op, *shape, seed, [&](std::size_t i, float number) { magnitudes[i] = std::fabs(number); });
    weights[o].kept = largest(magnitudes, kept_count(magnitudes.size(), (*sparsities)[o]));
  }
}

}  // namespace upsweep
