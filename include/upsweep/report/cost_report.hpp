#pragma once

#include "upsweep/document/document.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/cost_table.hpp"

namespace upsweep {

/// What a report of costs shows; refers to values that live elsewhere.
struct CostReport {
  const Network& network;
  const CostTable& costs;
  bool is_asked_for = false;  ///< people see all of it, and CSV is it; else people see a line
};

/// Costs of a network by operator, by module and in total, and what the conventions leave out; its fields, below
/// "network_costs", are listed in docs/conventions.md. People see up to 100 operators or modules, else their number.
[[nodiscard]] Document document(const CostReport& report);

}  // namespace upsweep
