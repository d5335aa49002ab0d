#include "memory_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace upsweep {
namespace {

constexpr std::uint64_t kNoLimit = MemoryLimit::kNoLimit;

/// The number after `key` in a file of the system, or its first one without a key; nothing where there is none.
std::optional<std::uint64_t> system_number(const std::string& file, std::string_view key = "") {
  std::ifstream stream(file);
  std::string word;
  while (!key.empty() && stream >> word && word != key) {
  }
  std::uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t bytes_of_pages(std::uint64_t pages) { return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE)); }

std::uint64_t difference(std::uint64_t most, std::uint64_t taken) { return most - std::min(most, taken); }

/// Adds the folders of a group and of all above it, as far as they are there.
void add_path(const std::string& mount, const std::string& path, bool is_second_version,
              std::vector<MemoryGroup>& groups) {
  namespace fs = std::filesystem;
  std::error_code error;
  // "/../.." is a group above what this process may see.
  for (fs::path part = fs::path(path).relative_path(); !path.starts_with("/.."); part = part.parent_path()) {
    if (part.empty()) break;
    if (const fs::path folder = fs::path(mount) / part; fs::is_directory(folder, error))
      groups.push_back({folder.string(), is_second_version});
  }
  if (fs::is_directory(mount, error)) groups.push_back({mount, is_second_version});
}

/// The limit of one group.
MemoryLimit limit_of(const MemoryGroup& group) {
  const auto number = [&](const char* file, std::string_view key = "") {
    return system_number(group.folder + "/" + file, key);
  };
  // "max" is no number, and the first version says a number of nearly 2^63 where there is no limit.
  constexpr std::uint64_t kNearlyAll = std::uint64_t{1} << 62;
  std::uint64_t most = group.is_second_version
                           ? std::min(number("memory.max").value_or(kNoLimit), number("memory.high").value_or(kNoLimit))
                           : number("memory.limit_in_bytes").value_or(kNoLimit);
  if (most >= kNearlyAll) return {};
  const auto taken = number(group.is_second_version ? "memory.current" : "memory.usage_in_bytes");
  if (!taken) return {most, most};
  const std::uint64_t files =
      number("memory.stat", group.is_second_version ? "inactive_file" : "total_inactive_file").value_or(0);
  return {most, difference(most, difference(*taken, files))};
}

}  // namespace

MemoryLimit smaller(const MemoryLimit& a, const MemoryLimit& b) {
  return {std::min(a.most, b.most), std::min(a.left, b.left)};
}

std::vector<MemoryGroup> memory_groups(const std::string& root) {
  std::vector<MemoryGroup> groups;
  std::ifstream lines(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  // "4:memory:/path" is of the first version, "0::/path" of the second.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    if (controllers.str().empty()) {
      add_path(mount, path, true, groups);
      add_path(mount + "/unified", path, true, groups);
    }
    for (std::string controller; std::getline(controllers, controller, ',');) {
      if (controller == "memory") add_path(mount + "/memory", path, false, groups);
    }
  }
  return groups;
}

MemoryLimit group_limit(const std::vector<MemoryGroup>& groups) {
  MemoryLimit limit;
  for (const MemoryGroup& group : groups) limit = smaller(limit, limit_of(group));
  return limit;
}

MemoryLimit address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const std::uint64_t most = limit.rlim_cur;
  return {most, difference(most, bytes_of_pages(system_number("/proc/self/statm").value_or(0)))};
}

MemoryLimit machine_limit() {
  constexpr std::uint64_t kKibibyte = 1024;
  const auto free = system_number("/proc/meminfo", "MemAvailable:");
  return {bytes_of_pages(static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES))), free ? *free * kKibibyte : kNoLimit};
}

}  // namespace upsweep
