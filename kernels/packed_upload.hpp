#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device_resources.hpp"

namespace upsweep::kernels {

/// Arrays of the host that go to the device as one block; its size is known before it is allocated.
class PackedUpload {
 public:
  /// Adds an array, which must live until upload(). Returns its offset in the block, bytes.
  template <class V>
  std::uint64_t add(std::span<const V> array) {
    return add_bytes(std::as_bytes(array));
  }

  /// Size of the block so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Allocates and fills the block; returns when the data is there. Throws BackendError.
  [[nodiscard]] DeviceBuffer upload() const;

 private:
  struct Piece {
    std::span<const std::byte> data;
    std::uint64_t offset;
  };
  std::uint64_t add_bytes(std::span<const std::byte> data);

  std::vector<Piece> pieces_;
  std::uint64_t bytes_ = 0;
};

}  // namespace upsweep::kernels
