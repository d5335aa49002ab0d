#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep::testing {

/// A generator for randomised tests: its seed is printed with every failure, and UPSWEEP_TEST_SEED repeats it.
class SeededTest : public ::testing::Test {
 protected:
  SeededTest()
      : seed_(choose()), random_(seed_), trace_(__FILE__, __LINE__, "UPSWEEP_TEST_SEED=" + std::to_string(seed_)) {
    RecordProperty("seed", std::to_string(seed_));
  }

  /// Uniform in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }

  /// A pattern in which every entry is there with the given probability.
  Pattern random_pattern(Index rows, Index cols, double density) {
    CsrPattern csr{rows, cols, {0}, {}};
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) {
        if (chance(density)) csr.indices.push_back(c);
      }
      csr.indptr.push_back(csr.indices.size());
    }
    return Pattern::from_csr(csr);
  }

 private:
  static std::uint64_t choose() {
    const char* given = std::getenv("UPSWEEP_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  ::testing::ScopedTrace trace_;
};

}  // namespace upsweep::testing
