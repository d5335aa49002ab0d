#include "upsweep/io/preset_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

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
  const std::string* const meant = meant_name(name, names);
  return meant == nullptr ? "" : fmt::format(", perhaps {}", *meant);
}

Machine named_machine(const std::string& file_or_preset) {
  std::error_code failure;
  const bool is_there = std::filesystem::exists(file_or_preset, failure) || failure;
  // What looks like a path is one.
  const bool is_name = file_or_preset.find_first_of("/.") == std::string::npos;
  if (is_there || !is_name) return load_machine(read_yaml(file_or_preset));
  if (const PresetMachine* preset = preset_of(file_or_preset)) return preset->machine;
  throw InputError(fmt::format(
      "{}: no such file and no preset{}, accepted is a YAML file or one of those that `upsweep machines` lists",
      file_or_preset, preset_hint(file_or_preset)));
}

}  // namespace upsweep
