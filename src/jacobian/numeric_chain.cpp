#include "upsweep/jacobian/numeric_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "jacobian_rows.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/block_values.hpp"

namespace upsweep {
namespace {

// Fewer entries than this are not worth waking another thread.
constexpr std::uint64_t kEntriesPerChunk = 1 << 14;

[[noreturn]] void throw_not_finite(double value, double largest) {
  throw std::overflow_error(
      fmt::format("{} was found, accepted are numbers of {} in absolute value at most", value, largest));
}

template <class T>
T rounded(double value) {
  const T narrow = static_cast<T>(value);
  if (!std::isfinite(narrow)) throw_not_finite(value, std::numeric_limits<T>::max());
  return narrow;
}

/// Writes the rows of a pattern in which the generator of a row offers (column, value) pairs, ascending; pairs whose
/// column is not in the pattern are left out.
template <class T>
class RowFiller {
 public:
  RowFiller(const Pattern& pattern, std::span<T> values)
      : pattern_(pattern), values_(values), begin_(pattern.rows() + std::size_t{1}) {
    for (Index r = 0; r < pattern.rows(); ++r) begin_[r + std::size_t{1}] = begin_[r] + pattern.row(r).nnz();
  }

  /// `generate(r, emit)` calls emit(column, value) for a superset of the row's columns, LinearRows for those of
  /// several.
  template <class Generate>
  void fill(const Generate& generate) const {
    if constexpr (requires { Generate::kTogether; }) {
      fill_together<Generate::kTogether>(generate);
    } else {
      const auto one = [&](Index r, std::size_t, auto emit) {
        generate(r, [&](Index column, double value) { emit(0, column, value); });
      };
      fill_together<1>(one);
    }
  }

 private:
  template <std::size_t kRows, class Generate>
  void fill_together(const Generate& generate) const {
    const std::uint64_t nnz = std::max<std::uint64_t>(1, values_.size());
    // As many as there may be, lines of weights whole, in groups that keep all threads busy to the end.
    constexpr std::size_t kLeast = std::min<std::size_t>(LinearRows::kLine, kRows);
    const std::size_t rows =
        std::clamp<std::size_t>(pattern_.rows() / (4 * parallel_threads()) / kLeast * kLeast, kLeast, kRows);
    const std::size_t groups = (pattern_.rows() + rows - 1) / rows;
    parallel_chunks(groups, std::max<std::uint64_t>(1, kEntriesPerChunk * groups / nnz),
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      std::array<std::vector<Index>, kRows> columns;
                      for (std::size_t g = begin; g < end; ++g) {
                        const std::size_t first = g * rows;
                        fill_rows<kRows>(static_cast<Index>(first), std::min(rows, pattern_.rows() - first), columns,
                                         generate);
                      }
                    });
  }

  template <std::size_t kRows, class Generate>
  void fill_rows(Index first, std::size_t count, std::array<std::vector<Index>, kRows>& columns,
                 const Generate& generate) const {
    std::array<T*, kRows> at{};
    std::array<T*, kRows> end{};
    for (std::size_t k = 0; k < count; ++k) {
      at[k] = values_.data() + begin_[first + k];
      end[k] = values_.data() + begin_[first + k + 1];
    }
    if (at[0] == end[count - 1]) return;
    bool is_whole = true;
    // As long as the rows are the whole guaranteed rows, there is nothing to look up.
    generate(first, count, [&](std::size_t k, Index, double value) {
      if (at[k] < end[k]) {
        *at[k]++ = rounded<T>(value);
      } else {
        is_whole = false;
      }
    });
    if (is_whole && std::equal(at.begin(), at.begin() + count, end.begin())) return;
    std::array<std::vector<Index>::const_iterator, kRows> next{};
    for (std::size_t k = 0; k < count; ++k) {
      columns[k].clear();
      pattern_.row(static_cast<Index>(first + k)).for_each([&](Index column) { columns[k].push_back(column); });
      next[k] = columns[k].begin();
      at[k] = values_.data() + begin_[first + k];
    }
    generate(first, count, [&](std::size_t k, Index column, double value) {
      if (next[k] == columns[k].end() || column != *next[k]) return;
      *at[k]++ = rounded<T>(value);
      ++next[k];
    });
    for (std::size_t k = 0; k < count; ++k) {
      if (next[k] != columns[k].end())
        throw std::invalid_argument("the pattern has an entry that its operator cannot have");
    }
  }

  const Pattern& pattern_;
  std::span<T> values_;
  std::vector<std::uint64_t> begin_;
};

}  // namespace

std::vector<double> softmax_cross_entropy_gradient(std::span<const double> output, std::size_t label) {
  if (label >= output.size()) {
    throw std::invalid_argument(fmt::format("the label is {}, accepted are 0 to {}: the network has {} outputs", label,
                                            output.size() - 1, output.size()));
  }
  const double largest = *std::max_element(output.begin(), output.end());
  std::vector<double> gradient(output.size());
  double sum = 0;
  for (std::size_t i = 0; i < output.size(); ++i) sum += gradient[i] = std::exp(output[i] - largest);
  for (double& value : gradient) value /= sum;
  gradient[label] -= 1;
  return gradient;
}

template <class T>
void fill_jacobian_values(const Operator& op, const OperatorWeights& weights,
                          std::span<const std::span<const double>> inputs, std::size_t input, const Pattern& pattern,
                          std::span<T> values) {
  if (inputs[input].size() != pattern.rows() || values.size() != pattern.nnz()) {
    throw std::invalid_argument("the input or the values of " + op.name + " have the wrong length");
  }
  const RowFiller<T> filler(pattern, values);
  with_rows(op, weights, inputs, input, [&](const auto& rows) { filler.fill(rows); });
}

template <class T>
void fill_jacobian_values(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                          const Pattern& pattern, std::span<T> values) {
  fill_jacobian_values(op, weights, std::span(&x, 1), 0, pattern, values);
}

template <class T>
NumericChain<T> chain_without_values(const Network& network, JacobianChain structure,
                                     std::span<const double> gradient) {
  if (gradient.size() != structure.gradient_length || structure.jacobians.size() != network.links().size()) {
    throw std::invalid_argument("the gradient, the network and the chain do not belong together");
  }
  NumericChain<T> chain{std::move(structure), {}, {}};
  try {
    for (const double value : gradient) chain.gradient.push_back(rounded<T>(value));
  } catch (const std::overflow_error& error) {
    const Operator& op = network.operators()[network.links().back()];
    throw OperatorError(network.links().back(), fmt::format("{} '{}': an element of the loss gradient: {}",
                                                            kind_name(op.kind), op.name, error.what()));
  }
  chain.values.resize(chain.structure.jacobians.size());
  return chain;
}

template <class T>
void fill_link(const Network& network, const NetworkWeights& weights, const std::vector<std::vector<double>>& inputs,
               std::size_t link, NumericChain<T>& chain) {
  if (network.link(link).is_block) {
    fill_block(network, weights, block_activations(network, weights, link, inputs[link]), link, chain);
    return;
  }
  const std::size_t i = network.links().size() - 1 - link;  // a[i + 1] belongs to the link i places before the last
  const std::size_t o = network.links()[link];
  const Operator& op = network.operators()[o];
  const Pattern& pattern = *chain.structure.jacobians[i];
  chain.values[i].resize(pattern.nnz());
  try {
    fill_jacobian_values<T>(op, weights[o], inputs[link], pattern, chain.values[i]);
  } catch (const std::overflow_error& error) {
    throw OperatorError(o, fmt::format("{} '{}': a derivative: {}", kind_name(op.kind), op.name, error.what()));
  }
}

template <class T>
void fill_block(const Network& network, const NetworkWeights& weights,
                const std::vector<std::vector<double>>& activations, std::size_t link, NumericChain<T>& chain) {
  const std::size_t i = network.links().size() - 1 - link;
  const BlockPlan* plan = chain.structure.block(i);
  if (plan == nullptr)
    throw std::invalid_argument("the chain has no plan of this block, accepted is a network's chain");
  try {
    const std::vector<double> values = block_values(network, weights, link, *plan, activations);
    chain.values[i].resize(values.size());
    parallel_chunks(values.size(), kEntriesPerChunk, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t e = begin; e < end; ++e) chain.values[i][e] = rounded<T>(values[e]);
    });
  } catch (const std::overflow_error& error) {
    const std::size_t output = network.link(link).output();
    const Operator& op = network.operators()[output];
    throw OperatorError(output, fmt::format("{} '{}': a derivative of the block that ends here: {}", kind_name(op.kind),
                                            op.name, error.what()));
  }
}

template <class T>
NumericChain<T> numeric_chain(const Network& network, const NetworkWeights& weights,
                              const std::vector<std::vector<double>>& inputs, JacobianChain structure,
                              std::span<const double> gradient) {
  if (inputs.size() != network.links().size() + 1) {
    throw std::invalid_argument("the inputs and the network do not belong together");
  }
  NumericChain<T> chain = chain_without_values<T>(network, std::move(structure), gradient);
  for (std::size_t link = 0; link < network.links().size(); ++link) fill_link(network, weights, inputs, link, chain);
  return chain;
}

template void fill_jacobian_values<float>(const Operator&, const OperatorWeights&, std::span<const double>,
                                          const Pattern&, std::span<float>);
template void fill_jacobian_values<double>(const Operator&, const OperatorWeights&, std::span<const double>,
                                           const Pattern&, std::span<double>);
template void fill_jacobian_values<float>(const Operator&, const OperatorWeights&,
                                          std::span<const std::span<const double>>, std::size_t, const Pattern&,
                                          std::span<float>);
template void fill_jacobian_values<double>(const Operator&, const OperatorWeights&,
                                           std::span<const std::span<const double>>, std::size_t, const Pattern&,
                                           std::span<double>);
template NumericChain<float> chain_without_values<float>(const Network&, JacobianChain, std::span<const double>);
template NumericChain<double> chain_without_values<double>(const Network&, JacobianChain, std::span<const double>);
template void fill_link<float>(const Network&, const NetworkWeights&, const std::vector<std::vector<double>>&,
                               std::size_t, NumericChain<float>&);
template void fill_link<double>(const Network&, const NetworkWeights&, const std::vector<std::vector<double>>&,
                                std::size_t, NumericChain<double>&);
template void fill_block<float>(const Network&, const NetworkWeights&, const std::vector<std::vector<double>>&,
                                std::size_t, NumericChain<float>&);
template void fill_block<double>(const Network&, const NetworkWeights&, const std::vector<std::vector<double>>&,
                                 std::size_t, NumericChain<double>&);
template NumericChain<float> numeric_chain<float>(const Network&, const NetworkWeights&,
                                                  const std::vector<std::vector<double>>&, JacobianChain,
                                                  std::span<const double>);
template NumericChain<double> numeric_chain<double>(const Network&, const NetworkWeights&,
                                                    const std::vector<std::vector<double>>&, JacobianChain,
                                                    std::span<const double>);

}  // namespace upsweep
