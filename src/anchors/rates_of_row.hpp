#pragma once

#include <optional>
#include <string>

#include "anchor_work.hpp"
#include "upsweep/anchors/anchors.hpp"

namespace upsweep {

/// What prices a row.
struct RowRates {
  const Machine* machine = nullptr;
  std::optional<PublishedRates> rates;  ///< nothing: the machine's own model alone
  bool is_own = false;                  ///< the machine's, of the row's library
};

/// The machine of a device, or null with the reason.
[[nodiscard]] const Machine* machine_of(const AnchorRow& row, const AnchorMachines& machines, std::string& skipped);

/// What prices a row on its machine: rates of the same library and algorithm, of the library, carried over from another
/// machine, or of a class of libraries. Nothing, with the reason, where there are none and the work needs some.
[[nodiscard]] std::optional<RowRates> rates_of_row(const AnchorRow& row, AnchorWork work, const Machine& machine,
                                                   const AnchorMachines& machines, std::string& skipped);

/// Seconds of a row by rates on a machine that launches as the row says; nothing where the library fails. Throws
/// std::invalid_argument for a recurrent layer that the machine cannot predict.
[[nodiscard]] std::optional<double> seconds_of(const AnchorRow& row, AnchorWork work, const RowRates& by);

/// The same by the datasheet alone.
[[nodiscard]] double bound_seconds(const AnchorRow& row, AnchorWork work, const Machine& machine);

/// The machine with the launches of the row; as it is where its file does not say enough for that.
[[nodiscard]] Machine launched_as(const AnchorRow& row, const Machine& machine);

/// Of rates for a row: whether a fit of this row would make them.
[[nodiscard]] bool are_for(const PublishedRates& rates, const AnchorRow& row, AnchorWork work);

}  // namespace upsweep
