#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace upsweep {

/// What a limit allows, bytes; kNoLimit in both without one.
struct MemoryLimit {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t most = kNoLimit;  ///< that may be taken at all
  std::uint64_t left = kNoLimit;  ///< of it, what nobody has taken; contents of files that nobody uses count as left

  friend bool operator==(const MemoryLimit&, const MemoryLimit&) = default;
};

/// The smaller of each.
[[nodiscard]] MemoryLimit smaller(const MemoryLimit& a, const MemoryLimit& b);

/// A control group that may limit memory: its folder, and which of the two interfaces of Linux it has.
struct MemoryGroup {
  std::string folder;
  bool is_second_version = false;

  friend bool operator==(const MemoryGroup&, const MemoryGroup&) = default;
};

/// The control groups of this process, from its own up to the root, of both versions. `root`: the folder in which the
/// system's files are looked for, "" for those of the system.
///
/// Source: cgroups(7); a group whose folder is not there, as in a container that sees its own alone, is left out.
[[nodiscard]] std::vector<MemoryGroup> memory_groups(const std::string& root = "");

/// The smallest limit of control groups: memory.max and memory.high, or memory.limit_in_bytes.
[[nodiscard]] MemoryLimit group_limit(const std::vector<MemoryGroup>& groups);

/// What the limit of the address space (ulimit -v) allows.
[[nodiscard]] MemoryLimit address_limit();

/// What the machine has: all of it, and what it could give without taking it from other programs.
[[nodiscard]] MemoryLimit machine_limit();

}  // namespace upsweep
