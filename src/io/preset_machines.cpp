#include "upsweep/io/preset_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "named_file.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/embedded_files.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep {

const std::vector<PresetMachine>& presets() {
  static const std::vector<PresetMachine> all = [] {
    std::vector<PresetMachine> read;
    for (const EmbeddedFile& file : embedded_machines()) {
      std::istringstream in(file.text);
      read.push_back({file.name, file.text, load_machine(parse_yaml(in, file.name + ".yaml"))});
    }
    return read;
  }();
  return all;
}

const std::vector<Machine>& preset_machines() {
  static const std::vector<Machine> machines = [] {
    std::vector<Machine> all;
    for (const PresetMachine& preset : presets()) all.push_back(preset.machine);
    return all;
  }();
  return machines;
}

const PresetMachine* preset_of(const std::string& name) {
  const auto found = std::ranges::find_if(
      presets(), [&](const PresetMachine& preset) { return preset.name == name || preset.machine.name == name; });
  return found == presets().end() ? nullptr : &*found;
}

std::string preset_hint(const std::string& name) {
  std::vector<std::string> names;
  for (const PresetMachine& preset : presets()) names.push_back(preset.name);
  return hint_of(name, names);
}

YamlDocument machine_document(const std::string& file_or_preset, const std::string& beside_file) {
  if (const auto path = named_file(file_or_preset, beside_file)) return read_yaml(*path);
  const PresetMachine* preset = preset_of(file_or_preset);
  if (preset == nullptr) {
    throw std::invalid_argument(fmt::format(
        "no such file and no preset{}, accepted is a YAML file or one of those that `upsweep machines` lists",
        preset_hint(file_or_preset)));
  }
  std::istringstream in(preset->text);
  return parse_yaml(in, preset->name);
}

Machine named_machine(const std::string& file_or_preset) {
  try {
    return load_machine(machine_document(file_or_preset));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file_or_preset, error.what()));
  }
}

}  // namespace upsweep
