#include "buffer_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

/// A larger block than this beyond what was asked for stays free for what needs it.
constexpr std::uint64_t kMostWaste = std::uint64_t{1} << 20;

}  // namespace

BufferCache::Block::Block(Block&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)),
      buffer_(std::move(other.buffer_)),
      bytes_(other.bytes_),
      use_(other.use_) {}

BufferCache::Block& BufferCache::Block::operator=(Block&& other) noexcept {
  std::swap(cache_, other.cache_);
  std::swap(buffer_, other.buffer_);
  std::swap(bytes_, other.bytes_);
  std::swap(use_, other.use_);
  return *this;
}

BufferCache::Block::~Block() {
  if (cache_ != nullptr) cache_->give_back(*this);
}

BufferCache::Block BufferCache::take(std::uint64_t bytes, MemoryUse use) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  Block block;
  const auto fit = free_.lower_bound(bytes);
  if (fit != free_.end() && fit->first - bytes <= bytes / 4 + kMostWaste) {
    block.buffer_ = std::move(fit->second);
    free_.erase(fit);
  } else {
    block.buffer_ = allocate(bytes);
  }
  block.cache_ = this;
  block.bytes_ = bytes;
  block.use_ = use;
  std::uint64_t& current = current_[static_cast<std::size_t>(use)];
  current += bytes;
  peak_[static_cast<std::size_t>(use)] = std::max(peak(use), current);
  return block;
}

DeviceBuffer BufferCache::allocate(std::uint64_t bytes) {
  const auto above_limit = [&] { return limit_ != 0 && (bytes > limit_ || allocated_ > limit_ - bytes); };
  const auto free_bytes = [] {
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return std::uint64_t{free};
  };
  if (above_limit() || bytes > free_bytes()) {
    for (const auto& [size, buffer] : free_) allocated_ -= size;
    free_.clear();  // waits for the work that uses them
  }
  if (above_limit()) {
    throw NotEnoughMemory(fmt::format("{} bytes of device memory beside the {} in use, the memory limit is {} bytes",
                                      bytes, allocated_, limit_));
  }
  if (const std::uint64_t free = free_bytes(); bytes > free) {
    throw NotEnoughMemory(
        fmt::format("{} bytes of device memory beside the {} in use, {} bytes are free", bytes, allocated_, free));
  }
  try {
    DeviceBuffer buffer(bytes);
    allocated_ += bytes;
    return buffer;
  } catch (const BackendError& error) {  // free, but in pieces
    throw NotEnoughMemory(error.what());
  }
}

void BufferCache::give_back(Block& block) noexcept {
  current_[static_cast<std::size_t>(block.use_)] -= block.bytes_;
  const std::uint64_t size = block.buffer_.bytes();
  try {
    free_.emplace(size, std::move(block.buffer_));
  } catch (...) {  // no memory for the note that it is free: then it is freed
    allocated_ -= size;
  }
}

}  // namespace upsweep::kernels
