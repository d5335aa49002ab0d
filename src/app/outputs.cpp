#include "outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "upsweep/app/session.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"

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

}  // namespace

void check_ending(const std::string& out, const std::string& ending) {
  if (!out.ends_with(ending) || out.size() == ending.size())
    throw RequestError("out", fmt::format("is '{}', accepted is a name that ends with {}", out, ending));
}

void check_output(const OutputFile& output, const std::vector<NamedFile>& others, bool force) {
  for (const NamedFile& other : others) {
    if (other.path.empty() || output.path.empty() || !is_same_file(output.path, other.path)) continue;
    throw RequestError(output.field, fmt::format("is {}, the same file as `{}` {}, accepted is another file",
                                                 output.path, other.field, other.path));
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
