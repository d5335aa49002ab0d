#pragma once

#include <cstdint>
#include <stdexcept>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// A product of Jacobians that takes more work or memory than it may.
class RefusedProduct : public std::runtime_error {
 public:
  RefusedProduct(ValueRange range, bool is_memory, std::uint64_t amount)
      : std::runtime_error("a product takes too much"), range_(range), is_memory_(is_memory), amount_(amount) {}

  /// What it covers of the scan array.
  [[nodiscard]] ValueRange range() const { return range_; }
  /// Whether it is memory of which it takes too much, else steps.
  [[nodiscard]] bool is_memory() const { return is_memory_; }
  /// Bytes or steps, about; at least what was accepted.
  [[nodiscard]] std::uint64_t amount() const { return amount_; }

 private:
  ValueRange range_;
  bool is_memory_;
  std::uint64_t amount_;
};

}  // namespace upsweep
