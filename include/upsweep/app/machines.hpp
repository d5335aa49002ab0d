#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/preset_machines.hpp"

namespace upsweep {

/// List the machines that the program knows by name, or write the file of one, to change it.
struct MachinesRequest {
  std::optional<std::string> name = std::nullopt;  ///< that one alone
  std::optional<std::string> out = std::nullopt;   ///< where its file is written
  bool force = false;                              ///< replace a file of that name that upsweep did not write, too
};

/// What there is; it points to presets(), which stay.
struct MachinesOutcome {
  std::vector<const PresetMachine*> machines;
  std::optional<std::string> written;  ///< where the file is
};

[[nodiscard]] Document document(const MachinesOutcome& outcome);

/// Throws RequestError for a name that no preset has, and for a file without a name; InputError where it cannot be
/// written.
[[nodiscard]] MachinesOutcome run(const MachinesRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
