#include "upsweep/jacobian/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/union.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

using Kind = BlockStep::Kind;

/// The steps of a block in their order, without patterns.
class StepList {
 public:
  StepList(const Network& network, const ChainLink& link) : network_(network), link_(link) {
    // Positions of a block are consecutive; place 0 is the activation that enters it.
    steps_of_.assign(link.operators.size() + 1, kNone);
    steps_of_.back() = append({Kind::identity});
    for (std::size_t place = link.operators.size(); place-- > 0;)
      hand_back(link.operators[place], steps_of_[place + 1]);
  }

  [[nodiscard]] std::vector<BlockStep> take() { return std::move(steps_); }

 private:
  std::size_t append(BlockStep step) {
    steps_.push_back(std::move(step));
    return steps_.size() - 1;
  }

  [[nodiscard]] std::size_t place_of(std::size_t position) const {
    return position == link_.input ? 0 : position - link_.operators.front() + 1;
  }

  /// Steps by which operator `o`, whose output has the G of step `source`, hands it to its inputs.
  void hand_back(std::size_t o, std::size_t source) {
    const OperatorKind& kind = network_.operators()[o].kind;
    std::uint64_t first_row = 0;
    std::size_t which = 0;
    for (const std::size_t input : network_.inputs_of(o)) {
      std::size_t step = source;
      if (joins_parts(kind)) {
        step = append({Kind::part, o, source, 0, static_cast<Index>(first_row)});
        first_row += elements(network_.shape_of(input));
      } else if (!is_view(kind) && !is_join(kind)) {
        step = append({Kind::product, o, source});
        steps_[step].input = which++;
        steps_[step].is_move = is_moving(kind);
      }
      steps_[step].rows = static_cast<Index>(elements(network_.shape_of(input)));
      std::size_t& sum = steps_of_[place_of(input)];
      sum = sum == kNone ? step : append({Kind::sum, o, sum, step});
      steps_[sum].rows = steps_[step].rows;
    }
  }

  const Network& network_;
  const ChainLink& link_;
  std::vector<BlockStep> steps_;
  std::vector<std::size_t> steps_of_;  // by place of the activation: the step that makes its G so far
};

/// Calls visit(step) for the steps that `step` reads.
template <class Visit>
void for_each_read(const BlockStep& step, Visit visit) {
  if (step.kind == Kind::identity) return;
  visit(step.source);
  if (step.kind == Kind::sum) visit(step.added);
}

/// Forms the patterns of the steps, one after the other.
class Former {
 public:
  Former(const Network& network, const PatternSource& pattern_of, std::shared_ptr<const Pattern> identity,
         StepPatterns patterns, BlockPlan& plan)
      : network_(network),
        pattern_of_(pattern_of),
        identity_(std::move(identity)),
        patterns_(patterns),
        plan_(plan),
        reads_(reads_of(plan.steps)),
        roundings_(plan.steps.size()) {}

  void run() {
    std::size_t last_op = plan_.steps.back().op;  // that handed a matrix back: a sum adds it
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].kind == Kind::product) last_op = plan_.steps[s].op;
      try {
        form(s);
      } catch (const OutOfRoom& room) {
        throw no_room(network_, last_op, room);
      }
      count(s);
    }
    plan_.roundings = roundings_.back();
    plan_.formation.pattern = plan_.steps.back().made;
  }

 private:
  void form(std::size_t s) {
    BlockStep& step = plan_.steps[s];
    switch (step.kind) {
      case Kind::identity:
        step.made = std::move(identity_);
        step.is_selection = true;
        break;
      case Kind::part:
        step.made = std::make_shared<Pattern>(row_range(*made(step.source), step.first_row, step.rows));
        step.is_selection = plan_.steps[step.source].is_selection;
        roundings_[s] = roundings_[step.source];
        break;
      case Kind::product:
        multiply_step(s);
        break;
      case Kind::sum: {
        Union sum = unite(made(step.source), made(step.added));
        step.additions = sum.common;
        step.made = std::move(sum.pattern);
        roundings_[s] = std::max(roundings_[step.source], roundings_[step.added]) + 1;
        break;
      }
    }
    step.nnz = step.made->nnz();
  }

  /// Products and structure of J^T · G. Where G is full, so is every row of it that has an entry of J^T: nothing is
  /// multiplied.
  [[nodiscard]] Product product_with(const std::shared_ptr<const Pattern>& jacobian,
                                     const std::shared_ptr<const Pattern>& g) {
    // Rows of a move that has no classes are few entries of many kinds.
    if (g->classes() && !jacobian->classes() && jacobian->max_row_nnz() <= 1)
      return multiply(jacobian, std::make_shared<Pattern>(in_rows(*g)), Keep::structure);
    if (!is_full(*g) || jacobian->nonempty_rows() < jacobian->rows()) return multiply(jacobian, g, Keep::structure);
    Product product;
    product.products = checked_mul(jacobian->nnz(), g->cols());
    product.steps = steps_with_full(*jacobian, g->cols());
    product.pattern =
        g->rows() == jacobian->rows() ? g : std::make_shared<Pattern>(full_pattern(jacobian->rows(), g->cols()));
    return product;
  }

  void multiply_step(std::size_t s) {
    BlockStep& step = plan_.steps[s];
    step.jacobian = pattern_of_(step.op, step.input);
    const Product product = product_with(step.jacobian, made(step.source));
    step.made = product.pattern;
    step.jacobian_nnz = step.jacobian->nnz();
    step.max_row_nnz = step.jacobian->max_row_nnz();
    step.work = product.steps;
    if (step.is_move) {
      step.additions = product.products - step.made->nnz();
      step.is_selection = plan_.steps[step.source].is_selection && step.jacobian->max_row_nnz() <= 1;
    } else if (!plan_.steps[step.source].is_selection) {
      step.products = product.products;
    }
    // One for the multiplication, and one for each addition of the longest sum.
    roundings_[s] = roundings_[step.source] + 1 + step.jacobian->max_row_nnz();
  }

  /// Adds up what the step cost, and frees what no later one reads.
  void count(std::size_t s) {
    BlockStep& step = plan_.steps[s];
    BlockFormation& formation = plan_.formation;
    add_to(formation.products, step.products);
    add_to(formation.product_flops, flops_of_products(step.products));
    add_to(formation.additions, step.additions);
    add_to(formation.addition_flops, step.additions);
    add_to(live_bytes_, bytes(step));
    formation.peak_bytes = std::max(formation.peak_bytes, live_bytes_);
    for_each_read(step, [&](std::size_t read) {
      if (--reads_[read] > 0) return;
      live_bytes_ -= bytes(plan_.steps[read]);
      if (patterns_ == StepPatterns::drop) plan_.steps[read].made.reset();
    });
    if (patterns_ == StepPatterns::drop) step.jacobian.reset();
  }

  [[nodiscard]] static std::uint64_t bytes(const BlockStep& step) {
    return step.is_selection ? 0 : csr_bytes(step.rows, step.nnz, sizeof(double));
  }
  [[nodiscard]] const std::shared_ptr<const Pattern>& made(std::size_t s) const { return plan_.steps[s].made; }

  const Network& network_;
  const PatternSource& pattern_of_;
  std::shared_ptr<const Pattern> identity_;  // of the output; handed on to the first step
  StepPatterns patterns_;
  BlockPlan& plan_;
  std::vector<std::uint32_t> reads_;
  std::vector<double> roundings_;  // by step: on a path to an entry of its G
  std::uint64_t live_bytes_ = 0;
};

}  // namespace

OperatorError no_room(const Network& network, std::size_t op, const OutOfRoom& room) {
  const Operator& at = network.operators()[op];
  return {op,
          fmt::format("{} '{}': with what it adds, patterns of Jacobians take more than {}, accepted is at most {}: a "
                      "smaller image, fewer channels or more memory",
                      kind_name(at.kind), at.name, memory_text(room.held()), memory_text(room.most()))};
}

std::uint64_t BlockStep::flops() const { return checked_add(flops_of_products(products), additions); }

std::vector<std::uint32_t> reads_of(const std::vector<BlockStep>& steps) {
  std::vector<std::uint32_t> reads(steps.size());
  for (const BlockStep& step : steps) for_each_read(step, [&](std::size_t read) { ++reads[read]; });
  ++reads.back();
  return reads;
}

BlockPlan form_block(const Network& network, std::size_t link, const PatternSource& pattern_of, StepPatterns patterns,
                     PatternForm form) {
  const ChainLink& block = network.link(link);
  if (!block.is_block) throw std::invalid_argument("form_block: the link is a single operator, accepted is a block");
  BlockPlan plan;
  plan.steps = StepList(network, block).take();
  plan.steps.front().rows = static_cast<Index>(elements(network.shape_of(block.output())));
  plan.operators.resize(block.operators.size());
  const PatternSource counted = [&](std::size_t position, std::size_t input) {
    std::shared_ptr<const Pattern> pattern = pattern_of(position, input);
    plan.operators[position - block.operators.front()].push_back(vector_counts(*pattern));
    return pattern;
  };
  const Shape& shape = network.shape_of(block.output());
  auto identity = std::make_shared<Pattern>(guaranteed_pattern({"identity", Relu{}, shape, shape}, {}, form));
  Former(network, counted, std::move(identity), patterns, plan).run();
  return plan;
}

}  // namespace upsweep
