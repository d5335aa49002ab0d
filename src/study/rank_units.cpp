#include "rank_units.hpp"

#include <algorithm>

namespace upsweep {
namespace {

constexpr std::size_t kFirstRankPiece = 4;
constexpr std::size_t kLargestRankPiece = 256;

}  // namespace

RankUnits::RankUnits(const PointFactory& factory, const std::vector<bool>& is_open, std::size_t ranks)
    : has_networks_(factory.has_networks()),
      chains_(factory, has_networks_ ? std::vector<bool>() : is_open),
      size_(kFirstRankPiece, kLargestRankPiece),
      ranks_(ranks) {
  if (has_networks_) sort_by_model(factory, is_open);
}

void RankUnits::sort_by_model(const PointFactory& factory, const std::vector<bool>& is_open) {
  for (std::size_t i = 0; i < is_open.size(); ++i) {
    if (is_open[i]) by_model_.emplace_back(factory.model_number(i), i);
  }
  std::sort(by_model_.begin(), by_model_.end());
  for (std::size_t begin = 0; begin < by_model_.size(); begin = models_.back().end) {
    std::size_t end = begin;
    while (end < by_model_.size() && by_model_[end].first == by_model_[begin].first) ++end;
    models_.push_back({.begin = begin, .end = end});
  }
}

// What a unit of the first rank took beyond its points is what another one needs before its own; the whole first unit
// is more than that.
double RankUnits::worth_sharing(const ModelPoints& model) const {
  const auto left = static_cast<double>(model.end - model.begin);
  return left * model.seconds_per_point - model.first_seconds;
}

std::size_t RankUnits::model_for(const Rank& rank) {
  if (rank.model != kNone && models_[rank.model].begin < models_[rank.model].end) return rank.model;
  if (unopened_ < models_.size()) return unopened_++;
  std::size_t best = kNone;
  for (const Rank& other : ranks_) {  // whoever has begun a model keeps it until its points are handed out
    if (other.model == kNone || worth_sharing(models_[other.model]) <= 0) continue;
    if (best == kNone || worth_sharing(models_[other.model]) > worth_sharing(models_[best])) best = other.model;
  }
  return best;
}

std::vector<std::uint64_t> RankUnits::next(std::size_t rank) {
  if (!has_networks_) return chains_.next();
  Rank& mine = ranks_.at(rank);
  const std::size_t chosen = model_for(mine);
  if (chosen == kNone) return {};
  if (chosen != mine.model) mine = {.model = chosen};
  ModelPoints& model = models_[chosen];
  // Whoever counts a model hands it in soon: others may want it.
  const std::size_t most = mine.has_counted ? size_.points() : std::min(kFirstRankPiece, size_.points());
  const std::size_t end = std::min(model.end, model.begin + most);
  std::vector<std::uint64_t> positions;
  for (; model.begin < end; ++model.begin) positions.push_back(by_model_[model.begin].second);
  return positions;
}

void RankUnits::took(std::size_t rank, std::size_t points, double seconds) {
  if (!has_networks_) return chains_.took(points, seconds);
  Rank& mine = ranks_.at(rank);
  if (points == 0 || mine.model == kNone) return;
  ModelPoints& model = models_[mine.model];
  if (mine.has_counted) {
    model.seconds_per_point = seconds / static_cast<double>(points);
    size_.took(points, seconds);
  } else if (!model.has_begun) {
    model.has_begun = true;
    model.first_seconds = seconds;
  }
  mine.has_counted = true;
}

}  // namespace upsweep
