#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "point_rules.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_op.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/chain_search.hpp"

namespace upsweep {
namespace {

PointSchedule score_scheme(const HomogeneousChain& chain, const std::string& name, const PointRules& rules) {
  const ScheduleProfile profile =
      profile_homogeneous_schedule(make_schedule(parse_schedule(name), chain.length()), chain, rules.value_bytes);
  return score_counted(*counted(profile, rules.value_bytes), rules);
}

/// Throws where schemes without closed forms are asked for that cannot be counted combine by combine.
void check_schemes(const HomogeneousChain& chain, const PointSettings& settings) {
  if (!chain.is_exact()) {
    throw std::invalid_argument(
        fmt::format("the schedule is {} and the chain uniform, accepted of such chains are best, linear, blelloch and "
                    "hybrid:L",
                    settings.schedule));
  }
  if (chain.elements > kMostSchemeElements) {
    throw std::invalid_argument(
        fmt::format("the schedule is {} and the chain has {} elements, accepted are at most {}, or best, linear, "
                    "blelloch and hybrid:L",
                    settings.schedule, chain.elements, kMostSchemeElements));
  }
}

/// Scores one depth of the chain.
using DepthScorer = std::function<PointSchedule(std::uint32_t depth, const PointRules& rules)>;

PointFigures score_chain(const HomogeneousChain& chain, unsigned value_bytes, const Machine* machine,
                         const PointSettings& settings, const DepthScorer& scorer) {
  const PointRules rules = rules_of(settings, chain.length(), value_bytes, machine);
  PointFigures figures = chain_figures(chain, rules);
  const AskedSchedules asked = asked_schedules(settings, chain.length(), rules.workers);
  if (!asked.schemes.empty()) check_schemes(chain, settings);
  figures.plain = scorer(0, rules);
  std::vector<PointSchedule> scored;
  scored.reserve(asked.end_depth - asked.first_depth + asked.schemes.size());
  for (std::uint32_t depth = asked.first_depth; depth < asked.end_depth; ++depth)
    scored.push_back(depth == 0 ? figures.plain : scorer(depth, rules));
  for (const std::string& name : asked.schemes) scored.push_back(score_scheme(chain, name, rules));
  choose_schedules(scored, figures);
  return figures;
}

}  // namespace

PointFigures chain_figures(const HomogeneousChain& chain, const PointRules& rules) {
  PointFigures figures;
  figures.is_in_seconds = rules.machine != nullptr;
  figures.is_exact = chain.is_exact();
  figures.workers = rules.workers;
  figures.elements = chain.elements;
  figures.chain_build_values =
      static_cast<double>(checked_mul(homogeneous_reference(chain, rules.value_bytes).build_values, rules.batch));
  for (std::size_t k = 0; k < chain.kinds.size() && k < chain.elements; ++k) {
    OpRun run;  // a combine of a vector and the element
    run.count = 1;
    run.is_mv = true;
    run.later = {chain.kinds[k], chain.half_bandwidth, chain.density};
    const OpProfile op = homogeneous_op(chain, run, rules.value_bytes);
    figures.largest_jacobian_bytes = std::max(figures.largest_jacobian_bytes, static_cast<double>(op.right_bytes));
  }
  figures.largest_vector_bytes = static_cast<double>(checked_mul(chain.size, rules.value_bytes));
  return figures;
}

const HomogeneousProfile& ProfiledChain::at(std::uint32_t depth) {
  if (profiles_.size() <= depth) profiles_.resize(depth + std::size_t{1});
  std::optional<HomogeneousProfile>& profile = profiles_[depth];
  if (!profile) profile = profile_homogeneous(chain_, depth, value_bytes_);
  return *profile;
}

PointFigures score_point(ProfiledChain& chain, const Machine* machine, const PointSettings& settings) {
  return score_chain(
      chain.chain(), chain.value_bytes(), machine, settings,
      [&](std::uint32_t depth, const PointRules& rules) { return score_counted(*counted(chain.at(depth)), rules); });
}

PointFigures score_point(const HomogeneousChain& chain, unsigned value_bytes, const Machine* machine,
                         const PointSettings& settings) {
  return score_chain(chain, value_bytes, machine, settings, [&](std::uint32_t depth, const PointRules& rules) {
    return score_counted(*counted(profile_homogeneous(chain, depth, value_bytes)), rules);
  });
}

}  // namespace upsweep
