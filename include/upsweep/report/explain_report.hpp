#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/document/document.hpp"
#include "upsweep/search/explanation.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Why one schedule is faster than another, as it is shown; refers to values that live elsewhere.
struct ExplainReport {
  std::string model;  ///< its name
  std::string kind;   ///< as SearchReport::kind
  std::string pattern;
  VerdictFrame frame;  ///< level execution
  const Explanation& explanation;
  std::vector<std::string> links = {};  ///< names of elements of the chain, from the input on; empty: they have none
};

/// See docs/explaining.md; without the verdict. CSV: the levels, with the columns of each account.
[[nodiscard]] Document document(const ExplainReport& report);

/// Of many people see these.
inline constexpr std::size_t kMostLevelsShown = 60;
inline constexpr std::size_t kMostProductsShown = 8;

/// Levels with the columns of each account, the first `most` of them.
[[nodiscard]] Table levels_table(const Explanation& explanation, std::size_t most = SIZE_MAX);

/// Products of matrices, the `most` most expensive ones, with the names of the `links` that they cover; `name` as of
/// Table.
[[nodiscard]] Table products_table(const Explanation& explanation, const std::vector<std::string>& links,
                                   const std::string& name = "", std::size_t most = SIZE_MAX);

/// From the whole to the op, a sentence each.
[[nodiscard]] std::vector<std::string> explanation_sentences(const ExplainReport& report);

}  // namespace upsweep
