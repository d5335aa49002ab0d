#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "refused_product.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// Structures of products over ranges of one chain, each computed once, from the operands that make it cheap, and kept
/// while something still needs it.
///
/// Ranges that differ by elements that only rename or select rows (diagonals, poolings without overlap) share the
/// structure of their core. All ranges are announced first: need() for each use, then choose_splits(), then as many
/// take() or summary() as there were uses. With each range the operands of one of its splits are to be announced.
/// Which rows share their storage can depend on the operands where a product happens to select rows; entries do not.
/// Taken by ascending ends and, with one end, the shorter first, few structures are kept at a time.
class RangeStructures {
 public:
  explicit RangeStructures(const JacobianChain& chain) : chain_(chain) {}

  /// Announces one use of a range.
  void need(ValueRange range);
  /// Chooses how each structure is computed, once everything is announced.
  void choose_splits();

  /// The structure over a range; one use. Products are counted by `meter`, where given. Throws RefusedProduct where it
  /// or one that it is made of takes too much; the use is over then, too.
  [[nodiscard]] std::shared_ptr<const Pattern> take(ValueRange range, WorkMeter* meter);
  /// A use that is none after all.
  void forgo(ValueRange range);

  /// Entries of the value over a range, the most in a row, and its steps with a dense vector.
  struct Summary {
    std::uint64_t nnz = 0;
    std::uint64_t max_row_nnz = 0;
    ProductSteps vector_steps;
  };
  /// The same without the structure, which is not made where nothing else needs it; one use.
  [[nodiscard]] Summary summary(ValueRange range, WorkMeter* meter);

 private:
  struct Node {
    ValueRange range;
    std::uint32_t uses = 0;
    std::uint32_t split = 0;  // last position of the earlier operand
    std::shared_ptr<const Pattern> structure;
    bool is_made = false;  // or was tried: its operands were used
    std::optional<RefusedProduct> refusal;
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(ValueRange range) { return {range.first, range.last}; }

  [[nodiscard]] const std::shared_ptr<const Pattern>& element(std::uint32_t position) const;
  [[nodiscard]] ValueRange core(ValueRange range) const;
  [[nodiscard]] bool is_there(ValueRange core) const;
  Product compute(Node& node, Keep keep, WorkMeter* meter);
  void release(Node& node);

  const JacobianChain& chain_;
  std::map<Key, Node> nodes_;  // cores of two elements or more
};

}  // namespace upsweep
