#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "upsweep/network/shape.hpp"

namespace upsweep {

// An operator names its settings once, in settings(self, in), by their keys in model files (PyTorch's names). The
// reader of model files, the canonical text and with it the content hash come from there. `in` has
//   required(key, field)           a size, or one per axis, of at least 1 and without a default
//   setting(key, field, bounds)    its default is what the field is initialised with
//   setting_or(key, field, other)  sizes of at least 1; its default is another setting
//   choice(key, field, texts)      a text; the field is its position
//   ignored(key, default, bounds)  checked, but without a meaning here: no field, no part of the content hash
//   only(key, text, why)           one value alone is modelled
//   input_size(key)                where it is stated, the size of the input's first axis

/// Sizes stay far from the limits of 64 bits, so that sums of a few of them cannot wrap around.
inline constexpr std::uint64_t kMaxSetting = 0x7fffffff;

/// Bounds of sizes; those above are kMaxSetting.
struct AtLeast {
  std::uint64_t size = 1;
};

/// Bounds of numbers, inclusive.
struct Between {
  double least = -1e300;
  double most = 1e300;
};

/// Stands for a field in field_count().
struct AnyField {
  template <class T>
  requires(!requires(T field) { field.has_value(); })  // an optional takes what its value takes
  operator T() const;  // NOLINT(google-explicit-constructor): converts to what a field is
};

/// Number of fields of an aggregate.
template <class K, class... Fields>
consteval std::size_t field_count() {
  if constexpr (requires { K{Fields{}..., AnyField{}}; }) {
    return field_count<K, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

/// Counts the settings that have a field.
struct SettingCounter {
  std::size_t count = 0;

  constexpr void required(const char*, const auto&) { ++count; }
  constexpr void setting(const char*, const auto&, const auto&...) { ++count; }
  constexpr void setting_or(const char*, const auto&, const auto&) { ++count; }
  constexpr void choice(const char*, const auto&, std::initializer_list<const char*>) { ++count; }
  constexpr void ignored(const char*, const auto&, const auto&...) {}
  constexpr void only(const char*, const char*, const char*) {}
  constexpr void input_size(const char*) {}
};

/// Room for an operator whose fields are named, not read: some have fields that no constant may have.
template <class K>
union Unread {
  char nothing = 0;
  K kind;

  constexpr Unread() {}   // NOLINT(modernize-use-equals-default): K may have a constructor
  constexpr ~Unread() {}  // NOLINT(modernize-use-equals-default): and a destructor
};

template <class K>
consteval std::size_t setting_count() {
  SettingCounter counter;
  Unread<K> room;
  K::settings(room.kind, counter);
  return counter.count;
}

}  // namespace upsweep
