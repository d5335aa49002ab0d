#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/order/link_chain.hpp"

namespace upsweep {

/// A chain of a table, with what the table says of its shortest orders.
struct OrderInstance {
  LinkChain chain;
  std::uint64_t id = 0;  ///< the row's number from 0, where the table has no ids
  /// By the number of machines, from 1 on: the shortest makespan published. Empty where the table has none.
  std::vector<std::uint64_t> published = {};
  std::vector<std::uint64_t> published_proven = {};  ///< 1 where it is said to be the shortest, else 0
};

/// Reads a table of scheduled Jacobian chains, CSV, plain or packed by gzip: `sizes` (d_0 ... d_q) and `edges`
/// (e_1 ... e_q), numbers from 1 on with blanks between them, are required; `length` (q), `id`, `best` and `proven` (of
/// 1 ... q machines) may stand beside them. Throws InputError, "FILE:LINE: ...", for anything else and for costs that
/// exceed 64 bits.
[[nodiscard]] std::vector<OrderInstance> load_order_table(const std::string& path);

}  // namespace upsweep
