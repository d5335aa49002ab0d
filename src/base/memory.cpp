#include "upsweep/base/memory.hpp"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory_limits.hpp"

namespace upsweep {
namespace {

/// How much more is taken before the system is asked again what it has left.
constexpr std::uint64_t kStep = std::uint64_t{1} << 26;
/// Of the memory of the machine, the share that is left to others.
constexpr std::uint64_t kReserve = 16;

std::atomic<std::uint64_t> held{0};
std::atomic<std::uint64_t> ceiling{MemoryLimit::kNoLimit};

/// Of those that live the smallest holds.
struct Ceilings {
  std::mutex mutex;
  std::multiset<std::uint64_t> live;
};

Ceilings& ceilings() {
  static Ceilings all;
  return all;
}

/// What this process may have and what is left of it, of all that limits it.
MemoryLimit limit_now() {
  static const std::vector<MemoryGroup> groups = memory_groups();
  return smaller(machine_limit(), smaller(group_limit(groups), address_limit()));
}

}  // namespace

std::uint64_t machine_memory() {
  static const std::uint64_t memory = limit_now().most;
  return memory;
}

std::uint64_t available_memory() {
  const MemoryLimit limit = limit_now();
  return std::min(limit.most, limit.left);
}

std::string memory_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number < 0x1p30 ? fmt::format("{:.1f} MiB", number / 0x1p20) : fmt::format("{:.1f} GiB", number / 0x1p30);
}

void return_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

OutOfRoom::OutOfRoom(std::uint64_t held, std::uint64_t most)
    : std::length_error(
          fmt::format("its patterns need more than {}, accepted is at most {}", memory_text(held), memory_text(most))),
      held_(held),
      most_(most) {}

HeldMemory::HeldMemory(HeldMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}

HeldMemory& HeldMemory::operator=(HeldMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void HeldMemory::add(std::size_t bytes) {
  const std::uint64_t before = held.fetch_add(bytes);
  const std::uint64_t now = before + bytes;
  const std::uint64_t most = std::min(ceiling.load(), machine_memory());
  const auto refuse = [&](std::uint64_t accepted) {
    held.fetch_sub(bytes);
    throw OutOfRoom(now, accepted);
  };
  if (now > most) refuse(most);
  // What others take in the meantime is not known: the system is asked now and then.
  if (before / kStep != now / kStep && available_memory() < bytes + machine_memory() / kReserve) refuse(before);
  bytes_ += bytes;
}

void HeldMemory::release() noexcept { held.fetch_sub(std::exchange(bytes_, 0)); }

std::uint64_t held_memory() { return held; }

std::uint64_t memory_left() {
  const std::uint64_t most = std::min(ceiling.load(), machine_memory());
  const std::uint64_t free = available_memory();
  return std::min(most - std::min(most, held.load()), free - std::min(free, machine_memory() / kReserve));
}

MemoryCeiling::MemoryCeiling(std::uint64_t bytes) : bytes_(bytes) {
  Ceilings& all = ceilings();
  const std::lock_guard lock(all.mutex);
  all.live.insert(bytes);
  ceiling = *all.live.begin();
}

MemoryCeiling::~MemoryCeiling() {
  Ceilings& all = ceilings();
  const std::lock_guard lock(all.mutex);
  all.live.erase(all.live.find(bytes_));
  ceiling = all.live.empty() ? MemoryLimit::kNoLimit : *all.live.begin();
}

}  // namespace upsweep
