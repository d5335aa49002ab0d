#include "sealed_bytes.hpp"

#include <cstddef>
#include <span>

#include "upsweep/io/content_hash.hpp"

namespace upsweep {
namespace {

constexpr std::string_view kSeal = "UPS5";
constexpr std::string_view kOlder = "UPSA";  // how an analysis itself begins

std::string checksum(const ContentKey& key, std::string_view bytes) {
  ContentHash hash;
  hash.add("key", std::as_bytes(std::span(key)));
  hash.add("bytes", bytes);
  const ContentKey digest = hash.digest();
  return {digest.begin(), digest.end()};
}

}  // namespace

std::string seal(const ContentKey& key, std::string_view bytes) {
  return std::string(kSeal).append(checksum(key, bytes)).append(bytes);
}

Unsealed unseal(const ContentKey& key, std::string_view sealed) {
  constexpr std::size_t kBefore = kSeal.size() + std::tuple_size_v<ContentKey>;
  if (sealed.starts_with(kOlder)) return {std::nullopt, true};
  if (sealed.size() < kBefore || !sealed.starts_with(kSeal)) return {};
  const std::string_view bytes = sealed.substr(kBefore);
  if (checksum(key, bytes) != sealed.substr(kSeal.size(), kBefore - kSeal.size())) return {};
  return {bytes, false};
}

}  // namespace upsweep
