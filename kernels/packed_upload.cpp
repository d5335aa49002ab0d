#include "packed_upload.hpp"

#include "cuda_check.hpp"
#include "upsweep/backend/arena.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep::kernels {

std::uint64_t PackedUpload::add_bytes(std::span<const std::byte> data) {
  const std::uint64_t offset = bytes_;
  pieces_.push_back({data, offset});
  bytes_ = checked_add(bytes_, (data.size() + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
  return offset;
}

DeviceBuffer PackedUpload::upload() const {
  DeviceBuffer block(bytes_);
  for (const Piece& piece : pieces_) {
    if (piece.data.empty()) continue;
    cuda_check(cudaMemcpy(block.data() + piece.offset, piece.data.data(), piece.data.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy to the device");
  }
  // A small copy may return before it arrives, and our streams do not wait for the default stream.
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
  return block;
}

}  // namespace upsweep::kernels
