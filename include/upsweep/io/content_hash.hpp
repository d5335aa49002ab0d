#pragma once

#include <xxhash.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "upsweep/base/content_key.hpp"

namespace upsweep {

/// Hash over a sequence of named parts (XXH3, 128 bits): equal parts in equal order give equal text on every machine of
/// the same byte order.
class ContentHash {
 public:
  ContentHash();

  /// Adds a part; its length is hashed too, so that parts cannot run into each other.
  void add(std::string_view name, std::span<const std::byte> bytes);
  void add(std::string_view name, std::string_view text) { add(name, std::as_bytes(std::span(text))); }

  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  /// The same as bytes.
  [[nodiscard]] ContentKey digest() const;

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace upsweep
