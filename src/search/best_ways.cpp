#include "upsweep/search/best_ways.hpp"

#include "smaller_score.hpp"

namespace upsweep {

std::size_t plain_place(const SearchResult& result) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (!c.is_plain || !c.feasible || !c.score) continue;
    if (!result.at(best).feasible || is_smaller_score(*c.score, *result.at(best).score)) best = i;
  }
  return best;
}

const Candidate* best_scan(const SearchResult& result) {
  const Candidate* best = nullptr;
  for (std::size_t i = 1; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (!c.score || !c.is_scan() || !c.feasible) continue;
    if (best == nullptr || is_smaller_score(*c.score, *best->score)) best = &c;
  }
  return best;
}

}  // namespace upsweep
