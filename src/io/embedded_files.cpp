#include "upsweep/io/embedded_files.hpp"

#include <filesystem>
#include <sstream>

namespace upsweep {

// The files of a folder, each after a line "=== NAME"; embedded by the build.
[[nodiscard]] const std::string& machines_text();
[[nodiscard]] const std::string& links_text();
[[nodiscard]] const std::string& templates_text();

namespace {

std::vector<EmbeddedFile> split(const std::string& joined) {
  std::vector<EmbeddedFile> files;
  std::istringstream lines(joined);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      files.push_back({std::filesystem::path(line.substr(4)).stem().string(), ""});
    } else {
      files.back().text += line + '\n';
    }
  }
  return files;
}

}  // namespace

const std::vector<EmbeddedFile>& embedded_machines() {
  static const std::vector<EmbeddedFile> files = split(machines_text());
  return files;
}

const std::vector<EmbeddedFile>& embedded_links() {
  static const std::vector<EmbeddedFile> files = split(links_text());
  return files;
}

const std::vector<EmbeddedFile>& embedded_templates() {
  static const std::vector<EmbeddedFile> files = split(templates_text());
  return files;
}

}  // namespace upsweep
