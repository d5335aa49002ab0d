#pragma once

#include <cstdint>
#include <string_view>

namespace upsweep {

/// Uniform numbers by position: number i of a stream does not depend on the numbers before it.
///
/// The same (seed, stream, i) gives the same number on every machine: splitmix64's finaliser over a counter, and
/// operations that IEEE 754 rounds correctly.
class UniformStream {
 public:
  /// Streams of different names are independent, e. g. one per parameter.
  UniformStream(std::uint64_t seed, std::string_view stream);

  /// Number i of the stream, in (0, 1): 52 random bits, centred in their cells.
  [[nodiscard]] double operator()(std::uint64_t i) const;

 private:
  std::uint64_t key_;
};

/// Standard normal numbers by position: number i of a stream does not depend on the numbers before it.
///
/// The same (seed, stream, i) gives the same fp32 number on every machine: a counter-based generator (splitmix64's
/// finaliser) and a transform built from +, -, *, / and square root alone, which IEEE 754 rounds correctly.
class NormalStream {
 public:
  /// Streams of different names are independent, e. g. one per operator.
  NormalStream(std::uint64_t seed, std::string_view stream);

  /// Number i of the stream.
  [[nodiscard]] float operator()(std::uint64_t i) const;

 private:
  std::uint64_t key_;
};

/// The quantile of the standard normal distribution at p in (0, 1).
///
/// Source: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988); relative error about 1e-16.
[[nodiscard]] double normal_quantile(double p);

}  // namespace upsweep
