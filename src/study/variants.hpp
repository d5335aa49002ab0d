#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// Which model or machine of a study it is.
struct VariantKey {
  std::uint64_t number = 0;         ///< mixed radix of the places on the axes that change it
  std::uint64_t replaced = 0;       ///< bits of the number that replaces a place, and
  std::uint64_t replaced_axis = 0;  ///< 1 + that axis; 0 where nothing is replaced
  bool has_numbers = false;         ///< of a model: whether it has the values of its weights

  friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

struct VariantKeyHash {
  std::size_t operator()(const VariantKey& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: spreads neighbours
    std::uint64_t hash = (key.number + (key.has_numbers ? 1 : 0)) * kOdd;
    hash = (std::rotl(hash, 31) ^ key.replaced ^ key.replaced_axis) * kOdd;
    return hash ^ (hash >> 32);
  }
};

/// The model of a study with these values; what they do not make is its error. std::bad_alloc comes out.
[[nodiscard]] ModelVariant make_model(const StudyFile& study, std::span<const PathValue> values, bool has_numbers,
                                      SeededMasks& masks);

/// The machine of a study with these values; neither machine nor error where a study has none.
[[nodiscard]] MachineVariant make_machine(const StudyFile& study, std::span<const PathValue> values);

/// About the memory that a variant takes, bytes.
[[nodiscard]] std::uint64_t weight_of(const ModelVariant& variant);
[[nodiscard]] std::uint64_t weight_of(const MachineVariant& variant);

}  // namespace upsweep
