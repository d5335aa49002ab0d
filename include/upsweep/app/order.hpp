#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/report/order_report.hpp"

namespace upsweep {

/// Find the shortest orders in which machines make the Jacobians of a table's chains.
struct OrderRequest {
  std::string file;          ///< as load_order_table() reads
  std::size_t machines = 1;  ///< identical ones, at least 1
  double seconds = 10;       ///< of search for a chain, above 0; then the best order so far stands, with its bound
};

/// What came of it.
struct OrderOutcome {
  OrderRequest request;
  std::vector<SolvedOrder> solved;  ///< in the table's order
};

[[nodiscard]] Document document(const OrderOutcome& outcome);

/// Throws RequestError, InputError, Interrupted.
[[nodiscard]] OrderOutcome run(const OrderRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
