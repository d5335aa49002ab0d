#pragma once

#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"
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

/// ": did you mean rtx-4090?" where a preset's name is near, else nothing.
[[nodiscard]] std::string preset_hint(const std::string& name);

/// The document of a machine that a user or the file `beside_file` names: of a file, relative to that one, or else of a
/// preset. Throws InputError; std::invalid_argument where neither is there, which says what is near.
[[nodiscard]] YamlDocument machine_document(const std::string& file_or_preset, const std::string& beside_file = "");

/// The machine of a file or, where there is no such file, of a preset. Throws InputError, also where neither is there.
[[nodiscard]] Machine named_machine(const std::string& file_or_preset);

}  // namespace upsweep
