#include "upsweep/io/preset_machines.hpp"

#include <sstream>
#include <string>

#include "upsweep/io/machine_file.hpp"

namespace upsweep {

/// All machine files, each after a line "=== NAME"; embedded by the build.
[[nodiscard]] const std::string& preset_machines_text();

const std::vector<Machine>& preset_machines() {
  static const std::vector<Machine> machines = [] {
    std::vector<Machine> all;
    std::istringstream lines(preset_machines_text());
    std::string name;
    std::string text;
    const auto finish = [&] {
      if (name.empty()) return;
      std::istringstream in(text);
      all.push_back(load_machine(parse_yaml(in, name)));
      text.clear();
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("=== ")) {
        finish();
        name = line.substr(4);
      } else {
        text += line + '\n';
      }
    }
    finish();
    return all;
  }();
  return machines;
}

}  // namespace upsweep
