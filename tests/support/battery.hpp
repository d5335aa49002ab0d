#pragma once

#include <functional>
#include <string>
#include <vector>

#include "upsweep/sparse/pattern.hpp"

namespace upsweep::testing {

/// An awkward pattern with its name.
struct NamedPattern {
  std::string name;
  Pattern pattern;
};

/// A pattern from a rule on (row, column).
[[nodiscard]] inline Pattern pattern_where(Index rows, Index cols, const std::function<bool(Index, Index)>& has_entry) {
  return build_pattern(rows, cols, 0, [&](Index r, std::vector<Index>& columns) {
    for (Index c = 0; c < cols; ++c) {
      if (has_entry(r, c)) columns.push_back(c);
    }
  });
}

/// Square patterns of one size that have broken sparse products before: every pair of them can be multiplied.
[[nodiscard]] inline std::vector<NamedPattern> battery(Index n) {
  const auto shuffled = [n](Index r) { return (r * 37 + 11) % n; };  // a permutation where gcd(37, n) = 1
  return {
      {"no entry", pattern_where(n, n, [](Index, Index) { return false; })},
      {"diagonal", Pattern::diagonal(n)},
      {"diagonal with gaps", pattern_where(n, n, [](Index r, Index c) { return r == c && r % 3 != 0; })},
      {"permutation", pattern_where(n, n, [&](Index r, Index c) { return c == shuffled(r); })},
      {"dense", pattern_where(n, n, [](Index, Index) { return true; })},
      {"half full", pattern_where(n, n, [](Index r, Index c) { return (r * 31 + c * 17) % 7 < 4; })},
      {"one full row", pattern_where(n, n, [&](Index r, Index) { return r == n / 2; })},
      {"one full column", pattern_where(n, n, [&](Index, Index c) { return c == n / 2; })},
      {"first and last column", pattern_where(n, n, [&](Index, Index c) { return c == 0 || c == n - 1; })},
      {"empty rows and columns",
       pattern_where(n, n, [](Index r, Index c) { return r % 4 != 1 && c % 5 != 2 && (r + c) % 6 == 0; })},
      {"three bands", pattern_where(n, n, [](Index r, Index c) { return r == c || r + 1 == c || c + 1 == r; })},
      {"equal rows", pattern_where(n, n, [](Index r, Index c) { return c % 9 == r / 8 % 9; })},
      {"one dense row among sparse ones",
       pattern_where(n, n, [&](Index r, Index c) { return r == 3 || c == shuffled(r); })},
  };
}

}  // namespace upsweep::testing
