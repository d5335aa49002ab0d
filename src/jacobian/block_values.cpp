#include "upsweep/jacobian/block_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep {
namespace {

using Kind = BlockStep::Kind;

// Fewer entries than this are not worth waking another thread.
constexpr std::uint64_t kBlockEntriesPerChunk = 1 << 14;

/// Place of an activation among those of a block.
std::size_t place_of(const ChainLink& block, std::size_t position) {
  return position == block.input ? 0 : position - block.operators.front() + 1;
}

/// A pattern with numbers, row by row.
struct Numbers {
  const Pattern* pattern = nullptr;
  std::vector<double> values;
  std::vector<std::size_t> begin;  // of every row in values; length rows + 1

  explicit Numbers(const Pattern& of) : pattern(&of), values(of.nnz()), begin(of.rows() + std::size_t{1}) {
    for (Index r = 0; r < of.rows(); ++r) begin[r + std::size_t{1}] = begin[r] + of.row(r).nnz();
  }

  /// Adds factor times row r to `sums`, which has a number per column.
  void add_row(Index r, double factor, double* sums) const {
    const double* value = values.data() + begin[r];
    pattern->row(r).for_each([&](Index column) { sums[column] += factor * *value++; });
  }
  /// Moves the sums of row r here, and sets them to 0.
  void take_row(Index r, double* sums) {
    double* value = values.data() + begin[r];
    pattern->row(r).for_each([&](Index column) { *value++ = std::exchange(sums[column], 0); });
  }
};

/// Calls fill(row, sums) for every row of `result`, with zeros for every column that it leaves zeros again.
template <class Fill>
void for_each_row(const Numbers& result, const Fill& fill) {
  const Pattern& pattern = *result.pattern;
  const std::uint64_t nnz = std::max<std::uint64_t>(1, pattern.nnz());
  const std::uint64_t grain = std::max<std::uint64_t>(1, kBlockEntriesPerChunk * pattern.rows() / nnz);
  std::vector<std::vector<double>> sums(parallel_slots());
  parallel_chunks(pattern.rows(), grain, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    sums[slot].resize(pattern.cols());
    for (std::size_t r = begin; r < end; ++r) fill(static_cast<Index>(r), sums[slot].data());
  });
}

Numbers product(const Numbers& x, const Numbers& y, const Pattern& pattern) {
  Numbers result(pattern);
  for_each_row(result, [&](Index r, double* sums) {
    const double* factor = x.values.data() + x.begin[r];
    x.pattern->row(r).for_each([&](Index k) { y.add_row(k, *factor++, sums); });
    result.take_row(r, sums);
  });
  return result;
}

Numbers sum(const Numbers& a, const Numbers& b, const Pattern& pattern) {
  Numbers result(pattern);
  for_each_row(result, [&](Index r, double* sums) {
    a.add_row(r, 1, sums);
    b.add_row(r, 1, sums);
    result.take_row(r, sums);
  });
  return result;
}

Numbers part(const Numbers& whole, Index first_row, const Pattern& pattern) {
  Numbers result(pattern);
  std::copy_n(whole.values.begin() + static_cast<std::ptrdiff_t>(whole.begin[first_row]), result.values.size(),
              result.values.begin());
  return result;
}

Numbers ones(const Pattern& pattern) {
  Numbers result(pattern);
  std::fill(result.values.begin(), result.values.end(), 1.0);
  return result;
}

/// Replays the steps of a plan.
class Replay {
 public:
  Replay(const Network& network, const NetworkWeights& weights, std::size_t link, const BlockPlan& plan,
         const std::vector<std::vector<double>>& activations)
      : network_(network),
        weights_(weights),
        block_(network.link(link)),
        plan_(plan),
        activations_(activations),
        reads_(reads_of(plan.steps)) {}

  [[nodiscard]] std::vector<double> run() {
    for (const BlockStep& step : plan_.steps) {
      made_.push_back(make(step));
      if (step.kind == Kind::identity) continue;
      release(step.source);
      if (step.kind == Kind::sum) release(step.added);
    }
    return std::move(made_.back().values);
  }

 private:
  [[nodiscard]] Numbers make(const BlockStep& step) const {
    switch (step.kind) {
      case Kind::identity:
        return ones(*step.made);
      case Kind::part:
        return part(made_[step.source], step.first_row, *step.made);
      case Kind::product:
        break;
      case Kind::sum:
        return sum(made_[step.source], made_[step.added], *step.made);
    }
    Numbers jacobian(*step.jacobian);
    std::vector<std::span<const double>> inputs;
    for (const std::size_t read : network_.inputs_of(step.op))
      inputs.emplace_back(activations_[place_of(block_, read)]);
    fill_jacobian_values<double>(network_.operators()[step.op], weights_[step.op], inputs, step.input, *step.jacobian,
                                 jacobian.values);
    if (plan_.steps[step.source].kind == Kind::identity) return jacobian;
    return product(jacobian, made_[step.source], *step.made);
  }

  void release(std::size_t s) {
    if (--reads_[s] == 0) made_[s].values = {};
  }

  const Network& network_;
  const NetworkWeights& weights_;
  const ChainLink& block_;
  const BlockPlan& plan_;
  const std::vector<std::vector<double>>& activations_;
  std::vector<std::uint32_t> reads_;
  std::vector<Numbers> made_;
};

}  // namespace

std::vector<std::vector<double>> block_activations(const Network& network, const NetworkWeights& weights,
                                                   std::size_t link, std::span<const double> x) {
  const ChainLink& block = network.link(link);
  std::vector<std::vector<double>> made;
  made.emplace_back(x.begin(), x.end());
  for (const std::size_t o : block.operators) {
    const Operator& op = network.operators()[o];
    std::vector<std::span<const double>> inputs;
    for (const std::size_t input : network.inputs_of(o)) inputs.emplace_back(made[place_of(block, input)]);
    made.push_back(forward(op, weights[o], inputs));
    for (std::size_t i = 0; i < made.back().size(); ++i) {
      if (std::isfinite(made.back()[i])) continue;
      throw OperatorError(o, fmt::format("{} '{}': element {} of its output is {}, accepted are finite numbers",
                                         kind_name(op.kind), op.name, i, made.back()[i]));
    }
  }
  return made;
}

std::vector<double> block_values(const Network& network, const NetworkWeights& weights, std::size_t link,
                                 const BlockPlan& plan, const std::vector<std::vector<double>>& activations) {
  if (activations.size() != network.link(link).operators.size() + 1) {
    throw std::invalid_argument(fmt::format("{} activations of a block, accepted are its input and the outputs of {}",
                                            activations.size(), network.link(link).operators.size()));
  }
  for (const BlockStep& step : plan.steps) {
    if (step.made && (step.kind != Kind::product || step.jacobian)) continue;
    throw std::invalid_argument("the plan of a block has no patterns of its steps, accepted is one that keeps them");
  }
  return Replay(network, weights, link, plan, activations).run();
}

}  // namespace upsweep
