#pragma once

#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// A file of configs/machines as it was when the program was built.
struct PresetMachine {
  std::string name;  ///< of the file, without its ending: "rtx-4090"
  std::string text;
  Machine machine;
};

/// All of them, in the order of their files.
[[nodiscard]] const std::vector<PresetMachine>& presets();

/// Their machines.
[[nodiscard]] const std::vector<Machine>& preset_machines();

/// The preset of that name, or of the name that its file states; null without.
[[nodiscard]] const PresetMachine* preset_of(const std::string& name);

/// ", perhaps rtx-4090" where a preset's name is near, else nothing.
[[nodiscard]] std::string preset_hint(const std::string& name);

/// The machine of a file or, where there is no such file, of a preset. Throws InputError, also where neither is there.
[[nodiscard]] Machine named_machine(const std::string& file_or_preset);

}  // namespace upsweep
