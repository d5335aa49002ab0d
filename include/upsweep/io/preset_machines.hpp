#pragma once

#include <vector>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// The machines of configs/machines, in the order of their files, as they were when the program was built.
[[nodiscard]] const std::vector<Machine>& preset_machines();

}  // namespace upsweep
