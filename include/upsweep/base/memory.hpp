#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace upsweep {

/// Memory that this process may have at most, bytes: that of the machine or, if smaller, what a control group (of a
/// container, say) or the limit of its address space leaves it.
[[nodiscard]] std::uint64_t machine_memory();

/// Memory that is left of it now, bytes: what the system could give without taking it from other programs, and all of
/// these limits allow.
[[nodiscard]] std::uint64_t available_memory();

/// "3.5 GiB" or, below one, "12.0 MiB".
[[nodiscard]] std::string memory_text(std::uint64_t bytes);

/// Hands free memory of this process back to the system, where the C library knows how.
void return_free_memory();

/// Patterns would take more memory than there is, or than a MemoryCeiling leaves.
class OutOfRoom : public std::length_error {
 public:
  /// `held`: bytes that patterns hold; `most`: that they may hold.
  OutOfRoom(std::uint64_t held, std::uint64_t most);

  [[nodiscard]] std::uint64_t held() const { return held_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  std::uint64_t held_;
  std::uint64_t most_;
};

/// A share of the memory that patterns of this process hold; given back when it dies.
class HeldMemory {
 public:
  HeldMemory() = default;
  ~HeldMemory() { release(); }
  HeldMemory(HeldMemory&& other) noexcept;
  HeldMemory& operator=(HeldMemory&& other) noexcept;
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  /// Before memory is taken. Throws OutOfRoom where that would be past the ceiling, or where the machine has nearly
  /// none left; nothing has changed then.
  void add(std::size_t bytes);
  void release() noexcept;

 private:
  std::size_t bytes_ = 0;
};

/// Bytes that all HeldMemory of this process comes to.
[[nodiscard]] std::uint64_t held_memory();

/// Bytes by which that may grow now: to the ceiling, and by what the machine has left but for a reserve.
[[nodiscard]] std::uint64_t memory_left();

/// Limits held_memory() while it lives, to `bytes`; without one it is machine_memory(). Of several at a time,
/// the smallest holds for all.
class MemoryCeiling {
 public:
  explicit MemoryCeiling(std::uint64_t bytes);
  ~MemoryCeiling();
  MemoryCeiling(const MemoryCeiling&) = delete;
  MemoryCeiling& operator=(const MemoryCeiling&) = delete;

 private:
  std::uint64_t bytes_;
};

}  // namespace upsweep
