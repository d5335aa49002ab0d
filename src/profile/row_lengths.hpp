#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "range_products.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/row_walk.hpp"

namespace upsweep {

/// How many entries each row of a product has: what the products cost that it is the earlier operand of. Kept as long
/// as one of these is to come.
class RowLengths {
 public:
  /// `keeps`: until the end.
  RowLengths(const WalkedChain& chain, const ProductPlan& plan, bool keeps);

  /// Whether some product to come asks for the lengths of a range, of two elements or more.
  [[nodiscard]] bool is_asked(ValueRange range) const;

  /// Keeps them: by row of the last element, 64 · bitmap_words(rows) numbers; `runs` those of rows that are runs, see
  /// is_run(), and 0 of the others, or empty. Throws OutOfRoom.
  void keep(ValueRange range, std::vector<std::uint32_t> lengths, std::vector<std::uint32_t> runs = {});

  /// Null where they are not known; of an element they are. An identity has none: see RowReader::lengths().
  [[nodiscard]] const std::uint32_t* of(ValueRange range) const;
  /// Those of rows that are runs; null where none is, or they are not known.
  [[nodiscard]] const std::uint32_t* runs_of(ValueRange range) const;
  /// Whether every row has one entry, in its own place.
  [[nodiscard]] bool is_identity(ValueRange range) const;

  /// After one of the products that asked for them.
  void release(ValueRange range);

 private:
  struct Kept {
    std::size_t uses = 0;
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint32_t> runs;
    HeldMemory held;
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  const WalkedChain& chain_;
  bool keeps_;
  std::map<Key, Kept> kept_;  // by first and last position
};

}  // namespace upsweep
