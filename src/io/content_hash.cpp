#include "upsweep/io/content_hash.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <new>

namespace upsweep {

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void ContentHash::add(std::string_view name, std::span<const std::byte> bytes) {
  const std::uint64_t lengths[] = {name.size(), bytes.size()};
  XXH3_128bits_update(state_.get(), lengths, sizeof(lengths));
  XXH3_128bits_update(state_.get(), name.data(), name.size());
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::array<std::uint8_t, 16> ContentHash::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return std::to_array(canonical.digest);
}

std::string ContentHash::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace upsweep
