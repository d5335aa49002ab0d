#pragma once

#include <string>
#include <vector>

namespace upsweep {

/// A file that the program carries: one of configs/machines, configs/links or configs/templates.
struct EmbeddedFile {
  std::string name;  ///< without ".yaml"
  std::string text;
};

/// Machine files by name.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_machines();

/// Link files by name.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_links();

/// Commented files to start from, one for each kind of file that a command takes.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_templates();

}  // namespace upsweep
