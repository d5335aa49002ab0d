#include "upsweep/base/near_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "upsweep/base/edit_distance.hpp"

namespace upsweep {

std::string near_file(const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path = file;
  constexpr std::size_t kMostNames = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator at(path.has_parent_path() ? path.parent_path() : ".", error);
  for (; !error && at != fs::directory_iterator() && names.size() < kMostNames; at.increment(error)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return hint_of(path.stem().string(), names);
}

}  // namespace upsweep
