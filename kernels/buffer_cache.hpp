#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "device_resources.hpp"
#include "upsweep/backend/backend.hpp"

namespace upsweep::kernels {

/// There is not enough memory for one way to compute something; another way may need less.
class NotEnoughMemory : public BackendError {
 public:
  using BackendError::BackendError;
};

/// What device memory is used for.
enum class MemoryUse : std::uint8_t { structure, inputs, values, workspace };

/// Device memory for work in one stream: what is given back is kept and handed out again, so that from the second
/// iteration on nothing is allocated. Not thread-safe; must outlive its blocks.
class BufferCache {
 public:
  /// Units: `limit` in bytes for all that is allocated; 0: no limit.
  explicit BufferCache(std::uint64_t limit) : limit_(limit) {}

  /// A block on loan; goes back when it is destroyed. Work that uses it must be in the stream by then.
  class Block {
   public:
    Block() = default;
    Block(Block&& other) noexcept;
    Block& operator=(Block&& other) noexcept;
    ~Block();

    template <class V>
    [[nodiscard]] V* as() const {
      return buffer_.as<V>();
    }

   private:
    friend class BufferCache;
    BufferCache* cache_ = nullptr;  // null where there is nothing to give back
    DeviceBuffer buffer_;
    std::uint64_t bytes_ = 0;
    MemoryUse use_ = MemoryUse::workspace;
  };

  /// A block of at least `bytes`, and of at least one byte. Throws NotEnoughMemory that states both figures.
  [[nodiscard]] Block take(std::uint64_t bytes, MemoryUse use);

  /// The most bytes that were on loan at a time for this use.
  [[nodiscard]] std::uint64_t peak(MemoryUse use) const { return peak_[static_cast<std::size_t>(use)]; }

 private:
  void give_back(Block& block) noexcept;
  [[nodiscard]] DeviceBuffer allocate(std::uint64_t bytes);

  std::uint64_t limit_;
  std::uint64_t allocated_ = 0;
  std::array<std::uint64_t, 4> current_{};
  std::array<std::uint64_t, 4> peak_{};
  std::multimap<std::uint64_t, DeviceBuffer> free_;  // by size
};

}  // namespace upsweep::kernels
