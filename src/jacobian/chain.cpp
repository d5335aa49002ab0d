#include "upsweep/jacobian/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "drawn_activations.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep {
namespace {

/// Memory of the tables of windows along the axes.
double axis_memory(const Operator& op) {
  constexpr double kPerPosition = 64;
  double positions = 0;
  for (const Shape* shape : {&op.in_shape, &op.out_shape}) {
    if (shape->size() == 3) positions += static_cast<double>((*shape)[1]) + static_cast<double>((*shape)[2]);
  }
  return positions * kPerPosition;
}

/// Memory that grows with the sizes alone: the row table, and the tables of windows.
double size_memory(const Operator& op) {
  return static_cast<double>(elements(op.in_shape)) * sizeof(Row) + axis_memory(op);
}

/// Share of the weights that are not pruned.
double kept_share(const OperatorWeights& weights) {
  if (weights.kept.empty()) return 1;
  const auto kept = std::count_if(weights.kept.begin(), weights.kept.end(), [](std::uint8_t k) { return k != 0; });
  return static_cast<double>(kept) / static_cast<double>(weights.kept.size());
}

/// While its rows are made, a convolution or masked linear also lists its nonzero weights, 8 bytes each.
double weight_list_memory(const Operator& op, const OperatorWeights& weights) {
  const auto shape = weight_shape(op.kind, op.in_shape);
  return shape ? 8 * kept_share(weights) * static_cast<double>(elements(*shape)) : 0;
}

/// About the memory of the entries of a guaranteed pattern, as lists or as bitmaps, whichever is smaller, and of making
/// them.
double entry_memory(const Operator& op, const OperatorWeights& weights) {
  const auto rows = static_cast<double>(elements(op.in_shape));
  const auto cols = static_cast<double>(elements(op.out_shape));
  if (structure_of(op.kind) == Structure::contraction && weights.kept.empty()) return cols;  // rows are shared
  if (is_mixing(op.kind))
    return 4.0 * std::max(rows, cols) * static_cast<double>(op.other_shapes.size() + 1);  // shared
  const double nnz = kept_share(weights) * static_cast<double>(unpruned_nnz(op));
  return std::min(nnz * sizeof(Index), rows * cols / 8) + weight_list_memory(op, weights);
}

/// Mean entries of a row of the guaranteed pattern.
double row_entries(const Operator& op, const OperatorWeights& weights) {
  return kept_share(weights) * static_cast<double>(unpruned_nnz(op)) / static_cast<double>(elements(op.in_shape));
}

/// About the memory of the matrices that forming a block makes, by position of the operator that hands them back.
std::vector<double> formation_memory(const Network& network, const NetworkWeights& weights, const ChainLink& block) {
  const std::size_t front = block.operators.front();
  const auto cols = static_cast<double>(elements(network.shape_of(block.output())));
  std::vector<double> entries(block.operators.size() + 1);  // of a row of G, by place; place 0 is the block's input
  std::vector<double> memory(block.operators.size());
  entries.back() = 1;
  for (std::size_t place = block.operators.size(); place-- > 0;) {
    const std::size_t o = front + place;
    const Operator& op = network.operators()[o];
    const bool is_copy = is_view(op.kind) || is_join(op.kind);
    const double mine = is_copy ? entries[place + 1] : entries[place + 1] * row_entries(op, weights[o]);
    for (const std::size_t input : network.inputs_of(o)) {
      const auto rows = static_cast<double>(elements(network.shape_of(input)));
      const auto bytes = [&](double of_a_row) {
        return rows * (std::min(of_a_row * sizeof(Index), cols / 8) + sizeof(Row));
      };
      if (!is_copy) memory[place] += bytes(mine);
      double& sum = entries[input == block.input ? 0 : input - front + 1];
      if (sum > 0) memory[place] += bytes(sum + mine);
      sum = std::min(cols, sum + mine);
    }
  }
  return memory;
}

/// What `make` gives. Where it finds no memory, the error names operator `o`.
template <class Make>
auto with_room(const Network& network, std::size_t o, const Make& make) {
  try {
    return make();
  } catch (const OutOfRoom& room) {
    throw no_room(network, o, room);
  }
}

/// By operator whether it is a link of its own that has a weight: of these, rows at a concrete input are still shifts
/// of each other.
std::vector<bool> weighted_links(const Network& network) {
  std::vector<bool> is_one(network.operators().size());
  for (std::size_t link = 0; link < network.links().size(); ++link) {
    const std::size_t o = network.links()[link];
    is_one[o] =
        !network.link(link).is_block && weight_shape(network.operators()[o].kind, network.operators()[o].in_shape);
  }
  return is_one;
}

/// The patterns of every operator that is the same at all inputs; none for views and joins.
std::vector<std::vector<std::shared_ptr<const Pattern>>> fixed_patterns(const Network& network,
                                                                        const NetworkWeights& weights,
                                                                        PatternForm form) {
  std::vector<std::vector<std::shared_ptr<const Pattern>>> patterns(network.operators().size());
  std::vector<bool> has_classes(patterns.size());
  if (form == PatternForm::at_input) has_classes = weighted_links(network);
  for (std::size_t o = 0; o < patterns.size(); ++o) {
    const Operator& op = network.operators()[o];
    if (is_view(op.kind) || is_join(op.kind) || depends_on_input(op.kind)) continue;
    for (std::size_t input = 0; input <= op.other_shapes.size(); ++input) {
      patterns[o].push_back(with_room(network, o, [&] {
        return std::make_shared<Pattern>(
            guaranteed_pattern(op, weights[o], has_classes[o] ? PatternForm::classes : PatternForm::rows, input));
      }));
    }
  }
  return patterns;
}

/// What the plan of a block depends on, where no weight is pruned; else nothing.
std::string plan_key(const Network& network, const NetworkWeights& weights, const ChainLink& block) {
  std::string key;
  for (const std::size_t o : block.operators) {
    const Operator& op = network.operators()[o];
    if (!weights[o].kept.empty()) return "";
    key += canonical_text(op.kind) + to_string(op.out_shape);
    for (const std::size_t input : network.inputs_of(o)) {
      key += input == block.input ? " input" : fmt::format(" {}", input - block.operators.front());
      key += to_string(network.shape_of(input));
    }
    key += ';';
  }
  return key;
}

/// The links in scan order: last one first. `key_of`: blocks of one key, which is not empty, have one plan.
JacobianChain in_scan_order(const Network& network, const PatternSource& make, StepPatterns steps, PatternForm form,
                            const std::function<std::string(const ChainLink&)>& key_of) {
  const PatternSource pattern_of = [&](std::size_t o, std::size_t input) {
    return with_room(network, o, [&] { return make(o, input); });
  };
  std::map<std::string, std::shared_ptr<const BlockPlan>> known;
  JacobianChain chain;
  const std::size_t links = network.links().size();
  chain.gradient_length = elements(network.operators().back().out_shape);
  if (network.has_blocks()) chain.blocks.resize(links);
  for (std::size_t link = links; link-- > 0;) {
    if (!network.link(link).is_block) {
      chain.jacobians.push_back(pattern_of(network.links()[link], 0));
      continue;
    }
    const std::string key = key_of(network.link(link));
    std::shared_ptr<const BlockPlan> plan = key.empty() ? nullptr : known[key];
    if (!plan) plan = std::make_shared<BlockPlan>(form_block(network, link, pattern_of, steps, form));
    if (!key.empty()) known[key] = plan;
    chain.jacobians.push_back(plan->formation.pattern);
    chain.blocks[links - 1 - link] = std::move(plan);
  }
  check_chain(chain);
  return chain;
}

}  // namespace

void require_pattern_memory(const Network& network, const NetworkWeights& weights, std::uint64_t memory_limit,
                            PatternForm form) {
  const auto available = static_cast<double>(memory_limit);
  double total = 0;
  const auto add = [&](std::size_t o, double bytes) {
    total += bytes;
    if (total <= available) return;
    const Operator& op = network.operators()[o];
    constexpr double kGiB = 1 << 30;
    throw OperatorError(o,
                        fmt::format("{} '{}': the Jacobian patterns up to here need about {:.1f} GiB, accepted is at "
                                    "most {:.1f} GiB",
                                    kind_name(op.kind), op.name, total / kGiB, available / kGiB));
  };
  std::vector<bool> has_classes(network.operators().size());
  if (form == PatternForm::at_input) has_classes = weighted_links(network);
  for (std::size_t link = 0; link < network.links().size(); ++link) {
    const ChainLink& part = network.link(link);
    for (const std::size_t o : part.operators) {
      const Operator& op = network.operators()[o];
      if (is_view(op.kind) || is_join(op.kind)) continue;
      if (form == PatternForm::classes || has_classes[o]) {
        add(o, axis_memory(op));
        if (const auto classes = operator_classes(op, weights[o])) {
          add(o, classes->memory() + weight_list_memory(op, weights[o]));
          continue;
        }
      }
      add(o, size_memory(op));  // the sizes come first: counting entries needs the tables of windows
      add(o, entry_memory(op, weights[o]));
    }
    if (!part.is_block || form == PatternForm::classes) continue;
    const std::vector<double> formation = formation_memory(network, weights, part);
    for (std::size_t place = formation.size(); place-- > 0;) add(part.operators[place], formation[place]);
  }
}

void check_chain(const JacobianChain& chain) {
  if (chain.jacobians.empty()) throw std::invalid_argument("the chain has no Jacobian, expected at least one");
  std::uint64_t size = chain.gradient_length;
  for (std::size_t i = 0; i < chain.jacobians.size(); ++i) {
    const Pattern& pattern = *chain.jacobians[i];
    if (pattern.cols() != size) {
      throw std::invalid_argument(
          fmt::format("a[{}] is {} x {}, expected {} columns, the length of what stands before it", i + 1,
                      pattern.rows(), pattern.cols(), size));
    }
    size = pattern.rows();
  }
}

JacobianChain guaranteed_chain(const Network& network, const NetworkWeights& weights, StepPatterns steps,
                               PatternForm form) {
  const PatternSource pattern_of = [&](std::size_t o, std::size_t input) {
    return std::make_shared<Pattern>(guaranteed_pattern(network.operators()[o], weights[o], form, input));
  };
  // Steps that are kept name the operators of their own block.
  return in_scan_order(network, pattern_of, steps, form, [&](const ChainLink& block) {
    return steps == StepPatterns::drop ? plan_key(network, weights, block) : std::string();
  });
}

SampleChains::SampleChains(const Network& network, const NetworkWeights& weights, PatternForm form)
    : network_(network), weights_(weights), form_(form), fixed_(fixed_patterns(network, weights, form)) {}

JacobianChain SampleChains::at(const SampleInputs& sample, std::size_t i, StepPatterns steps) const {
  if (!sample.is_drawn()) return at(sample.at(i), steps);
  const DrawnActivations drawn = drawn_activations(network_, sample, i);
  return at(drawn.input, drawn.outputs, steps);
}

JacobianChain SampleChains::at(std::span<const double> x, StepPatterns steps) const {
  return at(x, activations(network_, weights_, x), steps);
}

JacobianChain SampleChains::at(std::span<const double> x, const std::vector<std::vector<double>>& outputs,
                               StepPatterns steps) const {
  const PatternSource pattern_of = [&](std::size_t o, std::size_t which) {
    if (!fixed_[o].empty()) return fixed_[o][which];
    const std::size_t input = network_.inputs_of(o)[0];
    const std::span<const double> at = input == kNetworkInput ? x : outputs[input];
    return std::shared_ptr<const Pattern>(
        std::make_shared<Pattern>(sample_pattern(network_.operators()[o], weights_[o], at)));
  };
  JacobianChain chain =
      in_scan_order(network_, pattern_of, steps, PatternForm::rows, [](const ChainLink&) { return std::string(); });
  chain.is_at_input = form_ == PatternForm::at_input;
  return chain;
}

}  // namespace upsweep
