#include <utility>
#include <vector>

#include "recorder.hpp"
#include "upsweep/scan/builders.hpp"

// The scan as a system of equations: unknown i is unknown i - 1 ⋄ a[i], and unknown 0 is a[0].

namespace upsweep {
namespace {

using Unknowns = std::vector<std::int64_t>;

/// By level: (left, right) of the combines.
using Levels = std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>;

/// Splits a system, in which each unknown is coupled with the one before it in the list, into that of every second
/// unknown and that of the others.
void split(const Unknowns& unknowns, std::size_t level, Levels& levels) {
  if (unknowns.size() < 2) return;
  if (levels.size() <= level) levels.emplace_back();
  Unknowns halves[2];
  for (std::size_t j = 0; j < unknowns.size(); ++j) halves[j % 2].push_back(unknowns[j]);
  // Unknown j, coupled with j - 1, is now coupled with j - 2; from the right, so that a coefficient is read before it
  // changes.
  for (std::size_t j = unknowns.size(); j-- > 1;) levels[level].emplace_back(unknowns[j - 1], unknowns[j]);
  split(halves[0], level + 1, levels);
  split(halves[1], level + 1, levels);
}

/// Solves the system of the unknowns 0, stride, 2 stride, ... below n.
void reduce(Recorder& a, std::int64_t n, std::int64_t stride) {
  if (stride >= n) return;  // unknown 0 alone, which is known
  a.start_level(Phase::up);
  for (std::int64_t i = 2 * stride; i < n; i += 2 * stride) a.join(i - stride, i);
  reduce(a, n, 2 * stride);
  a.start_level(Phase::down);
  for (std::int64_t i = stride; i < n; i += 2 * stride) a.join(i - stride, i);
}

}  // namespace

Schedule recursive_doubling_schedule(std::size_t length) {
  Recorder a(length);
  Unknowns all;
  for (std::int64_t i = 0; i + 1 < static_cast<std::int64_t>(length); ++i) all.push_back(i);
  Levels levels;
  split(all, 0, levels);
  for (const auto& level : levels) {
    a.start_level(Phase::up);
    for (const auto& [left, right] : level) a.join(left, right);
  }
  return a.finish_prefixes("recursive-doubling");
}

Schedule cyclic_reduction_schedule(std::size_t length) {
  Recorder a(length);
  reduce(a, static_cast<std::int64_t>(length) - 1, 1);
  return a.finish_prefixes("cyclic-reduction");
}

}  // namespace upsweep
