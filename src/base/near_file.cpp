#include "upsweep/base/near_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "upsweep/base/edit_distance.hpp"

namespace upsweep {
namespace {

/// Whether a file of that name may be meant: its ending is the same, or none was asked for.
bool is_same_kind(const std::filesystem::path& name, const std::filesystem::path& asked) {
  const auto kind = [](const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".yml" ? ".yaml" : ending;
  };
  return !asked.has_extension() || kind(name) == kind(asked);
}

}  // namespace

std::string near_file(const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path = file;
  constexpr std::size_t kMostNames = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator at(path.has_parent_path() ? path.parent_path() : ".", error);
  for (; !error && at != fs::directory_iterator() && names.size() < kMostNames; at.increment(error)) {
    std::error_code unknown;
    if (is_same_kind(at->path(), path) && at->is_regular_file(unknown)) names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return hint_of(path.stem().string(), names);
}

}  // namespace upsweep
