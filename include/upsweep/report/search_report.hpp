#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// A row of a table of candidates: one that was counted or one that was not.
struct CandidateRow {
  const Candidate* counted;
  const Uncounted* uncounted;
  std::size_t place;  ///< SearchResult::at() of the counted one

  [[nodiscard]] const std::string& schedule() const { return counted ? counted->schedule : uncounted->schedule; }
  [[nodiscard]] std::optional<std::uint32_t> depth() const { return counted ? counted->depth : uncounted->depth; }
};
using CandidateField = Field<CandidateRow>;

/// A search of any kind of model, as it is shown; refers to values that live elsewhere.
struct SearchReport {
  std::string model;             ///< its name
  std::string kind = "network";  ///< "network", "recurrent", "stack" or "chain"
  std::string head;              ///< what was searched, in a line: the model and how it is counted
  const SearchResult& result;
  std::string pattern = "guaranteed";
  bool is_exact = true;                              ///< false: counts are expectations
  std::string input = "input";                       ///< what one of a batch is: "sequence" of recurrent models
  std::string plain = "plain BP";                    ///< what the first candidate is
  std::string priced_by = "pram";                    ///< what made scores of counts: "pram", "roofline" or "kernels"
  std::uint64_t linear_flops = 0;                    ///< of plain back-propagation of one input, a sum over the inputs
  std::optional<std::uint64_t> baseline_flops = {};  ///< of dense back-propagation, likewise; nothing where unknown
  const Network* network = nullptr;                  ///< with blocks, back-propagation over its graph stands beside
  const NetworkProfile* network_profile = nullptr;   ///< of that network
  std::string no_schemes = {};                ///< why there are no other schemes, a sentence; empty where there may be
  std::string remarks = {};                   ///< sentences at the end, each a line
  bool has_overtaking = false;                ///< whether `overtaking` was looked for
  std::optional<Overtaking> overtaking = {};  ///< fewest workers with which a hybrid scan wins
  std::vector<CandidateField> more = {};      ///< what only this kind has
};

/// The search as a document without the verdict, with the same names for every kind of model; see
/// docs/reading-a-search.md. CSV: the candidates and, after them, schemes, with an empty depth, and what was not
/// counted.
[[nodiscard]] Document document(const SearchReport& report);

/// The same without what people read.
[[nodiscard]] Document search_figures(const SearchReport& report);

/// Whether the best of the candidates is a scan that is better than plain back-propagation.
[[nodiscard]] bool scan_pays(const SearchResult& result);

/// "makespan in FLOPs (dag execution)", ...: what a search minimises.
[[nodiscard]] std::string score_name(const SearchOptions& options);

/// The best candidate, what comes next, and whether the best scan pays beside the best way that is none: over the
/// graph where the network has branches.
[[nodiscard]] Verdict search_verdict(const SearchReport& report);
/// The last of these alone, for a profile: of a result with plain back-propagation and one schedule.
[[nodiscard]] Verdict profile_verdict(const SearchReport& report);

}  // namespace upsweep
