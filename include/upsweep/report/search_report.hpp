#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/binding.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {

/// What a search report shows; refers to values that live elsewhere.
struct SearchReport {
  const std::string& model_name;
  const NetworkProfile& network_profile;
  const SearchResult& result;
  std::string pattern;               ///< "guaranteed" or "sample"
  const Network* network = nullptr;  ///< where given and it has blocks, back-propagation over its graph stands beside
  std::vector<std::optional<Binding>> bindings =
      {};  ///< what limits each candidate, as result.at(); empty without a machine
};

/// The object that `search --format json` prints; its fields are listed in docs/reading-a-search.md.
[[nodiscard]] Json to_json(const SearchReport& report);

/// The table of candidates and, after them, schemes: with an empty depth.
[[nodiscard]] std::string to_csv(const SearchReport& report);

/// A table for people, the best depth and why, and the best of all.
[[nodiscard]] std::string to_text(const SearchReport& report, const TextStyle& style = {});

}  // namespace upsweep
