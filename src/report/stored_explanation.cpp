#include "upsweep/report/stored_explanation.hpp"

#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/report/explain_report.hpp"
#include "upsweep/report/replayed_run.hpp"

namespace upsweep {
namespace {

/// Explained in some tenths of a second.
constexpr std::size_t kMostOps = 1 << 12;

/// Of the elements of the chain, from the input on; empty where blocks stand for several operators.
std::vector<std::string> link_names(const RunDetails& run) {
  std::vector<std::string> names;
  for (const StoredOperator& op : run.operators) {
    if (op.rows) names.push_back(op.name);
  }
  return names.size() + 1 == run.run.length ? names : std::vector<std::string>();
}

}  // namespace

std::vector<std::string> stored_explanation(const RunDetails& schedule, const RunDetails& plain) {
  if (schedule.ops.size() > kMostOps || plain.ops.size() > kMostOps) return {};
  try {
    const ScheduleProfile mine = stored_profile(schedule);
    const ScheduleProfile against = stored_profile(plain);
    const Explanation explanation = explain(mine, against, {schedule.run.workers, 1, nullptr, 4});
    // What a file says is a product of matrices may be none: one that reads the gradient covers more than the links.
    for (const FillIn& product : explanation.products) {
      if (product.last_link + std::size_t{1} >= mine.schedule.length) return {};
    }
    VerdictFrame frame;
    frame.workers = schedule.run.workers;
    frame.execution = to_string(Execution::level);
    frame.pattern = schedule.run.pattern;
    return explanation_sentences(
        {schedule.run.model, "network", schedule.run.pattern, frame, explanation, link_names(schedule)});
  } catch (const std::invalid_argument&) {
    return {};  // of an older version, or edited
  } catch (const CountOverflow&) {
    return {};
  }
}

}  // namespace upsweep
