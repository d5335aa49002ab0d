#include "upsweep/base/unfinished_path.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

namespace upsweep {
namespace {

// What a signal handler may look at: lock-free atomics, and bytes that are written before is_set says that they are. A
// slot that another thread frees and takes again meanwhile might be read half written; slots are taken in turn, so that
// this takes 32 paths within one unlink().
struct Slot {
  std::atomic<bool> is_taken = false;
  std::atomic<bool> is_set = false;
  std::array<char, PATH_MAX> path{};
};

std::array<Slot, 32> slots;
std::atomic<std::size_t> next_slot = 0;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

UnfinishedPath::UnfinishedPath(const std::string& path) : slot_(slots.size()) {
  if (path.size() + 1 > PATH_MAX) return;
  const std::size_t first = next_slot++;
  std::size_t tried = 0;
  while (tried < slots.size() && slots.at((first + tried) % slots.size()).is_taken.exchange(true)) ++tried;
  if (tried == slots.size()) return;
  slot_ = (first + tried) % slots.size();
  Slot& slot = slots.at(slot_);
  path.copy(slot.path.data(), path.size());
  slot.path.at(path.size()) = '\0';
  slot.is_set = true;
}

UnfinishedPath::~UnfinishedPath() {
  if (slot_ == slots.size()) return;
  Slot& slot = slots.at(slot_);
  slot.is_set = false;
  slot.is_taken = false;
}

void remove_unfinished_paths() noexcept {
  for (Slot& slot : slots) {
    if (slot.is_set) unlink(slot.path.data());
  }
  for (Slot& slot : slots) {
    if (slot.is_set) rmdir(slot.path.data());
  }
}

}  // namespace upsweep
