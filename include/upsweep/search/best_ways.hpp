#pragma once

#include <cstddef>

#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// Place, by SearchResult::at(), of plain back-propagation with the smallest score; the first of equal ones, and scores
/// that differ by roundings are equal. One that is not feasible only where none is.
[[nodiscard]] std::size_t plain_place(const SearchResult& result);
[[nodiscard]] inline const Candidate& best_plain(const SearchResult& result) { return result.at(plain_place(result)); }

/// The feasible scan with the smallest score, of all depths and schemes, ties as above; null without one.
[[nodiscard]] const Candidate* best_scan(const SearchResult& result);

}  // namespace upsweep
