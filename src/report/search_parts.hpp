#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/search/best_ways.hpp"
#include "upsweep/search/graph_scores.hpp"
#include "upsweep/sim/dense_time.hpp"

// Parts of the report of a search and of its verdict.

namespace upsweep {

/// Whether the score of a way that fits is not known.
[[nodiscard]] bool gave_up(const SearchResult& result);

/// Whether no schedule that was not counted might have a smaller score than the best of all.
[[nodiscard]] bool is_best_proven(const SearchResult& result);

/// Whether branches make blocks of several operators.
[[nodiscard]] bool has_blocks(const SearchReport& report);

/// Of a network with blocks, by the objective and batch of the search; nothing without blocks, and where not known.
[[nodiscard]] std::optional<GraphScores> graph_scores_of(const SearchReport& report);

/// The best scans beside the baselines, and whether they tell; no sentences yet.
[[nodiscard]] Verdict compared_scans(const SearchReport& report);

/// The baseline of ops that workers share, or null.
[[nodiscard]] inline const Baseline* shared_of(const Verdict& verdict) {
  const auto found = std::ranges::find(verdict.baselines, true, &Baseline::is_of_shared_ops);
  return found == verdict.baselines.end() ? nullptr : &*found;
}
[[nodiscard]] inline bool has_shared(const Verdict& verdict) { return shared_of(verdict) != nullptr; }

/// The best depth and the best of all schemes, and what comes next; empty ones where there is no such thing.
[[nodiscard]] std::vector<std::string> best_sentences(const SearchReport& report);

/// What was not counted, and what follows from that; empty where all was.
[[nodiscard]] std::string uncounted_sentence(const SearchReport& report);

/// Which candidates estimates do not tell apart, and which comparisons they might turn; empty where nothing.
[[nodiscard]] std::vector<std::string> uncertainty_sentences(const SearchReport& report, const Verdict& verdict);

/// "latency binds", of a candidate on a machine; else empty.
[[nodiscard]] std::string binding_text(const SearchReport& report, const Candidate& candidate);

/// A sentence for each other usual setting (execution, batch, how kernels are started) under which the comparison with
/// the first baseline would end otherwise, which its parts keep; empty ones where it would not.
[[nodiscard]] std::vector<std::string> turned_sentences(const SearchReport& report, Verdict& verdict);

/// A score without a fraction where it has none.
[[nodiscard]] Value score_value(const SearchResult& result, double score);

/// Rows of candidates (with a depth) or of schemes: counted ones and, by depth, the others.
[[nodiscard]] std::vector<CandidateRow> candidate_rows(const SearchResult& result, bool has_depth);

/// The same fields of each; `name` as of Table.
[[nodiscard]] Table candidates_table(const SearchReport& report, std::vector<CandidateRow> rows,
                                     const std::string& name = "");

/// How scores stand to each other, in speed: "1.307x faster than plain BP"; of work "at 2.1x the FLOPs of plain BP";
/// "not comparable with plain BP" where one is missing or nothing.
[[nodiscard]] std::string beside_text(Objective objective, const std::optional<double>& a, double b,
                                      const std::string& other);

/// A count of one input, of the whole batch. Throws CountOverflow.
[[nodiscard]] inline std::uint64_t of_batch(const SearchReport& report, std::uint64_t count) {
  return checked_mul(count, report.result.options.batch);
}

/// Of plain back-propagation, the first candidate.
[[nodiscard]] inline double plain_score(const SearchReport& report) { return report.result.linear().score.value(); }

/// Dense back-propagation of a network over the batch, or over `samples`, where scores are seconds of a processor or
/// GPU that says enough.
[[nodiscard]] std::optional<DenseBackprop> dense_of(const SearchReport& report,
                                                    std::optional<std::uint64_t> samples = std::nullopt);

/// The same of the batch on another machine.
[[nodiscard]] std::optional<DenseBackprop> dense_on(const SearchReport& report, const Machine& machine);

/// What scores are compared with in dense back-propagation: its FLOPs, or seconds as scores are; 0 where unknown.
[[nodiscard]] double baseline_score(const SearchReport& report);

}  // namespace upsweep
