#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/sparse/pattern.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// A step that forms a matrix G: the transposed Jacobian of the block's output with respect to one of its activations.
struct BlockStep {
  enum class Kind : std::uint8_t {
    identity,  ///< G of the block's output
    part,      ///< what a concat hands to one of its inputs: rows of G
    product,   ///< what any other operator hands to its input: J^T · G
    sum,       ///< of two parts of G of an activation that feeds several operators
  };
  Kind kind = Kind::identity;
  std::size_t op = 0;                                 ///< position of the operator of a product or part
  std::size_t source = 0;                             ///< step that makes the G it reads
  std::size_t added = 0;                              ///< step that makes the second summand
  Index first_row = 0;                                ///< of a part
  bool is_selection = false;                          ///< rows of the identity: a product with it is a copy
  Index rows = 0;                                     ///< elements of the activation
  std::uint64_t nnz = 0;                              ///< of the G it makes
  std::uint64_t products = 0;                         ///< matched pairs of a product; 0 where it is a copy
  std::uint64_t additions = 0;                        ///< of a sum: entries that both summands have; of a move
  std::shared_ptr<const Pattern> made = nullptr;      ///< the G it makes; kept under StepPatterns::keep
  std::shared_ptr<const Pattern> jacobian = nullptr;  ///< of the operator of a product; kept alike
  std::size_t input = 0;                              ///< of a product: which of the operator's inputs
  bool is_move = false;                               ///< product with an index map: rows are copied, or added up
  std::uint64_t jacobian_nnz = 0;                     ///< of a product: entries of the operator's Jacobian
  std::uint64_t max_row_nnz = 0;                      ///< of it, the most in a row
  ProductSteps work = {};                             ///< of a product, a copy too

  /// FLOPs of the step: 2 for a matched pair, 1 for an addition. Throws CountOverflow.
  [[nodiscard]] std::uint64_t flops() const;
};

/// What the Jacobian of a block is, and what forming it costs.
struct BlockFormation {
  std::shared_ptr<const Pattern> pattern;  ///< the transposed Jacobian
  std::uint64_t products = 0;              ///< matched pairs
  std::uint64_t product_flops = 0;         ///< 2 for each
  std::uint64_t additions = 0;             ///< of entries that both summands have
  std::uint64_t addition_flops = 0;        ///< 1 for each
  std::uint64_t peak_bytes = 0;            ///< of all G in use at a time, as CSR in fp64, identity and its rows apart
};

/// How the Jacobian of a block is formed, step by step; the steps depend on the network alone, not on patterns.
struct BlockPlan {
  std::vector<BlockStep> steps;  ///< each after those it reads; the last makes the block's Jacobian
  /// Of the operators' Jacobians, by place in ChainLink::operators and by input; empty without.
  std::vector<std::vector<VectorCounts>> operators;
  BlockFormation formation;
  double roundings = 0;  ///< on a path through the block, at most; the rounding to the type of the chain not included
};

/// Whether the patterns of the steps are kept, which numbers need.
enum class StepPatterns : std::uint8_t { drop, keep };

/// Hands out the pattern of the transposed Jacobian of the operator at a position, neither view nor join, with respect
/// to one of its inputs.
using PatternSource = std::function<std::shared_ptr<const Pattern>(std::size_t position, std::size_t input)>;

/// Forms the transposed Jacobian of block `link` of the network: the sum over all its paths of the products of their
/// transposed Jacobians; I + J_branch^T of a residual block.
///
/// Reverse accumulation, in this order: G of the output is I; the operators follow from the last position to the first,
/// each with its inputs from the first to the last, and hand J^T · G to each; what arrives at an activation is added to
/// the sum of what came before. Views and adds hand on G itself, a concat the rows of its inputs. Products follow the
/// counting rule, those with I or with rows of it are copies and cost nothing; what an index map hands back is copied,
/// or added up where several outputs took one element: one FLOP for each entry that is not the first; a sum costs one
/// FLOP for every entry that both summands have. The structure is that of multiply() and unite(): no cancellation.
/// Patterns that no later step reads are freed at once under StepPatterns::drop. `form`: what those of the operators
/// are kept by; so is the I that it starts from. Throws std::invalid_argument where the link is no block,
/// CountOverflow, OperatorError without the memory for a step.
[[nodiscard]] BlockPlan form_block(const Network& network, std::size_t link, const PatternSource& pattern_of,
                                   StepPatterns patterns, PatternForm form = PatternForm::rows);

/// The error of an operator whose Jacobian, or a matrix that it is formed into, finds no memory.
[[nodiscard]] OperatorError no_room(const Network& network, std::size_t op, const OutOfRoom& room);

/// Step by step the number of later steps that read it; one more for the last.
[[nodiscard]] std::vector<std::uint32_t> reads_of(const std::vector<BlockStep>& steps);

}  // namespace upsweep
