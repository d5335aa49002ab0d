#pragma once

#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// A machine and what a user calls it.
struct NamedMachine {
  std::string name;
  const Machine* machine = nullptr;
};

/// What each of them can do at most and what is known of it; of machines that outlive the document.
[[nodiscard]] Document machines_document(const std::vector<NamedMachine>& machines);

}  // namespace upsweep
