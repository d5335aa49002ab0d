#include "upsweep/grid/answers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

namespace upsweep {
namespace {

/// Where bisection gives up on a tolerance that numbers cannot reach, as near 0.
constexpr std::size_t kMostEvaluations = 200;

/// The figure of a key as something to be small; NaN where there is none.
double small_key(const PointBrief& brief, PointKey by) {
  switch (by) {
    case PointKey::score:
      return brief.score;
    case PointKey::speedup:
      return -brief.speedup();
    case PointKey::memory:
      return brief.best_bytes;
  }
  throw std::logic_error("unknown key of points");
}

/// Whether seconds are what scores are compared in: where some are seconds, those in FLOPs are not.
bool compares_seconds(const std::vector<PointBrief>& points) {
  return std::ranges::any_of(points, [](const PointBrief& brief) { return brief.is_in_seconds; });
}

struct Ranked {
  double key;
  std::uint64_t position;
};

bool is_earlier(const Ranked& a, const Ranked& b) {
  return a.key < b.key || (a.key == b.key && a.position < b.position);
}

/// A number between two, in their middle or that of their logarithms; one of the two where there is none.
double middle(double low, double high, bool is_whole) {
  const double mid = low > 0 ? std::sqrt(low) * std::sqrt(high) : low / 2 + high / 2;
  return is_whole ? std::clamp(std::floor(mid), low + 1, high - 1) : mid;
}

bool is_narrow(double low, double high, bool is_whole, double tolerance) {
  return high - low <= tolerance * std::abs(high) || (is_whole && high - low <= 1);
}

}  // namespace

std::vector<Bracket> changes_along(const std::vector<PointBrief>& points, std::uint64_t first, std::uint64_t stride,
                                   std::span<const std::size_t> places, const PointPredicate& predicate) {
  std::vector<Bracket> changes;
  std::optional<bool> held;
  std::size_t before = 0;
  for (const std::size_t place : places) {
    const std::optional<bool> holds = predicate(points[first + place * stride]);
    if (!holds) continue;
    if (held && *held != *holds) changes.push_back({before, place, *holds});
    held = holds;
    before = place;
  }
  return changes;
}

std::optional<bool> scan_is_faster(const PointBrief& brief) {
  if (std::isnan(brief.plain_score) || std::isnan(brief.scan_score)) return std::nullopt;
  return brief.speedup() > 1;
}

double bytes_of(const PointBrief& brief, MemoryOf of) {
  switch (of) {
    case MemoryOf::best:
      return brief.best_bytes;
    case MemoryOf::plain:
      return brief.plain_bytes;
    case MemoryOf::scan:
      return brief.scan_bytes;
    case MemoryOf::bppsa:
      return brief.bppsa_bytes;
    case MemoryOf::pipeline:
      return brief.pipeline_bytes;
  }
  throw std::logic_error("unknown kind of memory");
}

std::optional<bool> fits(const PointBrief& brief, const Question& question) {
  const double limit = question.memory_bytes ? static_cast<double>(*question.memory_bytes) : brief.memory_limit;
  const double bytes = bytes_of(brief, question.of);
  // Without a best schedule there are no bytes of it, and yet it is known that none fits.
  const bool none_fits =
      question.of == MemoryOf::best && brief.status == PointStatus::infeasible && limit <= brief.memory_limit;
  if (std::isnan(bytes) && none_fits) return false;
  if (std::isnan(bytes) || std::isnan(limit)) return std::nullopt;
  return bytes <= limit;
}

std::vector<std::uint64_t> top_points(const std::vector<PointBrief>& points, PointKey by, std::uint64_t count) {
  const bool in_seconds = compares_seconds(points);
  std::vector<Ranked> best;  // a heap, its worst in front: of a large grid only `count` points are held
  for (std::uint64_t position = 0; position < points.size() && count > 0; ++position) {
    const Ranked ranked{small_key(points[position], by), position};
    if (std::isnan(ranked.key)) continue;
    if (by == PointKey::score && points[position].is_in_seconds != in_seconds) continue;
    if (best.size() == count) {
      if (!is_earlier(ranked, best.front())) continue;
      std::ranges::pop_heap(best, is_earlier);
      best.pop_back();
    }
    best.push_back(ranked);
    std::ranges::push_heap(best, is_earlier);
  }
  std::ranges::sort_heap(best, is_earlier);
  std::vector<std::uint64_t> positions;
  positions.reserve(best.size());
  for (const Ranked& ranked : best) positions.push_back(ranked.position);
  return positions;
}

std::vector<std::uint64_t> pareto_front(const std::vector<PointBrief>& points) {
  const bool in_seconds = compares_seconds(points);
  std::vector<std::uint64_t> positions;
  for (std::uint64_t position = 0; position < points.size(); ++position) {
    const PointBrief& point = points[position];
    if (!std::isnan(point.score) && !std::isnan(point.best_bytes) && point.is_in_seconds == in_seconds)
      positions.push_back(position);
  }
  std::ranges::sort(positions, [&points](std::uint64_t a, std::uint64_t b) {
    const PointBrief& left = points[a];
    const PointBrief& right = points[b];
    if (left.score != right.score) return left.score < right.score;
    if (left.best_bytes != right.best_bytes) return left.best_bytes < right.best_bytes;
    return a < b;
  });
  std::vector<std::uint64_t> front;
  for (const std::uint64_t position : positions) {
    if (front.empty() || points[position].best_bytes < points[front.back()].best_bytes) front.push_back(position);
  }
  return front;
}

std::vector<std::uint64_t> wins_by_schedule(const std::vector<PointBrief>& points) {
  std::vector<std::uint64_t> wins;
  for (const PointBrief& brief : points) {
    if (brief.status != PointStatus::done) continue;
    if (brief.schedule >= wins.size()) wins.resize(brief.schedule + std::size_t{1});
    ++wins[brief.schedule];
  }
  return wins;
}

Narrowed bisect(double low, double high, bool is_whole, double tolerance,
                const std::function<std::optional<bool>(double x)>& side) {
  assert(low < high);
  assert(!is_whole || (std::nearbyint(low) == low && std::nearbyint(high) == high));
  Narrowed narrowed{low, high};
  while (!is_narrow(narrowed.low, narrowed.high, is_whole, tolerance) && narrowed.evaluations < kMostEvaluations) {
    const double mid = middle(narrowed.low, narrowed.high, is_whole);
    if (!(narrowed.low < mid && mid < narrowed.high)) break;  // neighbours among the numbers of the computer
    const std::optional<bool> is_high = side(mid);
    ++narrowed.evaluations;
    if (!is_high) {
      narrowed.is_blocked = true;
      break;
    }
    (*is_high ? narrowed.high : narrowed.low) = mid;
  }
  return narrowed;
}

}  // namespace upsweep
