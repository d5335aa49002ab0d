#include "outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "upsweep/app/session.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

namespace fs = std::filesystem;

/// A path without links and detours, also of a file that is not there.
fs::path resolved(const std::string& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::absolute(path, error).lexically_normal() : canonical;
}

/// By name, by a link of either kind, or both not there yet.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || resolved(a) == resolved(b);
}

/// One is in the other, a folder.
bool is_inside(const std::string& file, const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && fs::exists(file, error) && resolved(file).parent_path() == resolved(folder);
}

void add_paths(const YamlDocument& document, const YamlNode& node, const std::string& field,
               std::vector<NamedFile>& found) {
  std::error_code error;
  if (node.kind == YamlNode::Kind::scalar && !node.text.empty()) {
    std::string path = beside(document.file, node.text);
    if (fs::exists(path, error)) found.push_back({field, std::move(path)});
  }
  for (const auto& child : node.children) add_paths(document, *child, field, found);
}

}  // namespace

std::vector<NamedFile> arrays_of(const std::string& field, const std::string& model_file) {
  std::vector<NamedFile> found;
  if (model_file.ends_with(".onnx")) return found;
  try {
    const YamlDocument document = read_yaml(model_file);
    add_paths(document, *document.root, field, found);
  } catch (const InputError&) {
  }
  return found;
}

void check_ending(const std::string& out, const std::string& ending) {
  if (!out.ends_with(ending) || out.size() == ending.size())
    throw RequestError("out", fmt::format("is '{}', accepted is a name that ends with {}", out, ending));
}

void check_output(const OutputFile& output, const std::vector<NamedFile>& others, bool force) {
  for (const NamedFile& other : others) {
    if (other.path.empty() || output.path.empty() ||
        !(is_same_file(output.path, other.path) || is_inside(output.path, other.path)))
      continue;
    throw RequestError(output.field, fmt::format("is {}, {} `{}` {}, accepted is another file", output.path,
                                                 is_inside(output.path, other.path) ? "inside" : "the same file as",
                                                 other.field, other.path));
  }
  require_text_file(output.path);
  std::error_code error;
  if (force || !fs::exists(output.path, error) || fs::is_empty(output.path, error)) return;
  if (is_own_file(output.path, output.mark)) return;
  throw RequestError(output.field,
                     fmt::format("is {}, a file that upsweep did not write, accepted is another name, or `force`, "
                                 "which replaces it",
                                 output.path));
}

}  // namespace upsweep
