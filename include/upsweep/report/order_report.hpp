#pragma once

#include <span>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/io/order_table.hpp"
#include "upsweep/order/chain_order.hpp"

namespace upsweep {

/// A chain of a table and its shortest order.
struct SolvedOrder {
  OrderInstance instance;
  ChainOrder order;
  std::uint64_t one_machine = 0;  ///< the shortest makespan on one machine: the least work, fused multiply-adds
};

/// Orders of a table's chains as the command gives them; `solved` outlives the document.
[[nodiscard]] Document orders_document(const std::string& file, std::size_t machines, double seconds,
                                       std::span<const SolvedOrder> solved);

}  // namespace upsweep
