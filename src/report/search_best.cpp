#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "search_parts.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

/// "30.66 % more"; "427.5x as much" from ten times on.
std::string more_text(double more) {
  return more < 9 ? fmt::format("{:.4g} % more", 100 * more) : short_ratio(1 + more) + " as much";
}

std::string score_text(const SearchResult& result, double score) {
  if (result.options.in_seconds()) return short_seconds(score);
  return score == std::floor(score) ? fmt::format("{:.0f}", score) : fmt::format("{}", score);
}

/// "depth 3" or the name of another way.
std::string place_text(const Candidate& candidate) {
  return candidate.depth ? fmt::format("depth {}", *candidate.depth) : candidate.schedule;
}

std::string capitalized(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// The feasible candidate with other figures than the best that comes next, if any.
const Candidate* next_different(const SearchResult& result) {
  const Candidate& best = result.candidates[*result.best];
  const Candidate* next = nullptr;
  for (const Candidate& c : result.candidates) {
    if (!c.feasible || &c == &best || (best.depth && c.same_as == best.depth)) continue;
    if (next == nullptr || *c.score < *next->score) next = &c;
  }
  return next;
}

/// The depth that would be better than the best, were there no limit on memory; null: there is none.
const Candidate* too_large(const SearchResult& result) {
  const Candidate* cheaper = nullptr;
  for (const Candidate& c : result.candidates) {
    if (c.feasible || !c.score || *c.score >= *result.candidates[*result.best].score) continue;
    if (cheaper == nullptr || *c.score < *cheaper->score) cheaper = &c;
  }
  return cheaper;
}

/// The best depth, or best of all ways, and what comes next.
std::string best_text(const SearchReport& report) {
  const SearchResult& result = report.result;
  if (!result.best) {
    const char* what = result.linear().depth ? "depth" : "way";
    const std::optional<std::uint64_t>& limit = result.options.memory_limit;
    return gave_up(result) ? fmt::format("No best {} is known: a simulation gave up.", what)
                           : fmt::format("No {} fits into the memory limit{}.", what,
                                         limit ? " of " + short_bytes(static_cast<double>(*limit)) : "");
  }
  const Candidate& best = result.candidates[*result.best];
  const bool is_open = std::ranges::any_of(
      result.uncounted, [&](const Uncounted& u) { return u.depth && (!u.bound || *u.bound < *best.score); });
  std::string text = fmt::format("{}: {}{} with the smallest {}, {}.", is_open ? "Best so far" : "Best",
                                 place_text(best), best.depth ? fmt::format(" ({})", best.schedule) : "",
                                 score_name(result.options), score_text(result, *best.score));
  if (const Candidate* next = next_different(result); next != nullptr && *best.score > 0) {
    const double more = *next->score / *best.score - 1;
    text += more > 0 ? fmt::format(" Next is {} with {}.", place_text(*next), more_text(more))
                     : fmt::format(" {} takes as much.", capitalized(place_text(*next)));
  }
  if (const Candidate* cheaper = too_large(result); cheaper != nullptr && cheaper->depth) {
    text += fmt::format(" Depth {} would be {}, but does not fit into the memory limit.", *cheaper->depth,
                        beside_text(result.options.objective, cheaper->score, plain_score(report), report.plain));
  }
  return text;
}

/// The best of depths and schemes, and what the best depth has instead; empty where there are no others.
std::string best_scheme_text(const SearchReport& report) {
  const SearchResult& result = report.result;
  if (!report.no_schemes.empty() || result.schemes.empty()) return "";
  if (!result.best_scheme) return gave_up(result) ? "" : "No other scheme fits either.";
  const Candidate& best = result.at(*result.best_scheme);
  const double plain = plain_score(report);
  const std::string ratio =
      plain == 0 ? "" : ", " + beside_text(result.options.objective, best.score, plain, report.plain);
  const bool is_proven = is_best_proven(result);
  if (best.depth) {
    return fmt::format("No other scheme{} does better than depth {} ({}){}.", is_proven ? "" : " that was counted",
                       *best.depth, best.schedule, ratio);
  }
  const std::string binding = binding_text(report, best);
  std::string text =
      fmt::format("Best of all{}: {} with {}{}{}{}", is_proven ? "" : " that were counted", best.schedule,
                  score_text(result, *best.score), ratio, binding.empty() ? "" : "; ", binding);
  if (result.best) {
    const Candidate& depth = result.candidates[*result.best];
    text += fmt::format("; the best depth is {} with {}", *depth.depth, score_text(result, *depth.score));
    if (*best.score > 0) text += ", " + more_text(*depth.score / *best.score - 1);
  }
  return text + ".";
}

/// Names of schedules that were not counted, those that are ruled out or the others.
std::string uncounted_names(const SearchResult& result, bool loses) {
  std::vector<std::string> names;
  for (const Uncounted& mine : result.uncounted) {
    if (mine.loses == loses) names.push_back(mine.schedule);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Names of some candidates.
std::string names_of(const SearchResult& result, const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  for (const std::size_t i : places) names.push_back(result.at(i).schedule);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string binding_text(const SearchReport& report, const Candidate& candidate) {
  return report.result.options.in_seconds() && candidate.binding ? binds_text(to_string(*candidate.binding)) : "";
}

std::vector<std::string> best_sentences(const SearchReport& report) {
  return {best_text(report), best_scheme_text(report)};
}

std::string uncounted_sentence(const SearchReport& report) {
  const std::string out = uncounted_names(report.result, true);
  const std::string left = uncounted_names(report.result, false);
  std::string text;
  if (!out.empty()) text = fmt::format("Not counted, as what is known of them rules them out: {}.", out);
  if (left.empty()) return text;
  return fmt::format("{}{}Left out, as counting them takes too much: {}; whether they do better is not known.", text,
                     text.empty() ? "" : " ", left);
}

std::vector<std::string> uncertainty_sentences(const SearchReport& report, const Verdict& verdict) {
  std::vector<std::string> sentences;
  if (const std::vector<std::size_t> rivals = report.result.rivals(); !rivals.empty()) {
    sentences.push_back(fmt::format("Within the uncertainty of the estimates {} may be as good as {}.",
                                    names_of(report.result, rivals),
                                    report.result.at(*report.result.best_scheme).schedule));
  }
  for (const Baseline& baseline : verdict.baselines) {
    if (!baseline.scan_interval || !baseline.is_estimate) continue;
    const auto text = [&](double score) {
      return baseline.is_seconds ? short_seconds(score) : short_count(score) + " FLOPs";
    };
    const bool is_open = baseline.is_within_uncertainty();
    sentences.push_back(fmt::format("{} is estimated, {} to {} (95 %) beside {} of {}: {}.", baseline.best_scan,
                                    text(baseline.scan_interval->low), text(baseline.scan_interval->high),
                                    text(baseline.score), baseline.name,
                                    is_open ? "within the uncertainty, so that the comparison may turn"
                                            : "it does not turn within the uncertainty"));
  }
  return sentences;
}

}  // namespace upsweep
