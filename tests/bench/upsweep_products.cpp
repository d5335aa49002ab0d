#include "upsweep_products.hpp"

#include <memory>

#include "upsweep/base/parallel.hpp"
#include "upsweep/profile/profile.hpp"

namespace upsweep::bench {

Task upsweep_products(JacobianChain chain, std::vector<Schedule> schedules, std::size_t threads) {
  struct State {
    JacobianChain chain;
    std::vector<Schedule> schedules;
    ThreadLimit limit;
    std::vector<ScheduleProfile> profiles;
  };
  // Not make_shared: ThreadLimit can neither be copied nor moved, and aggregates need braces.
  const std::shared_ptr<State> state(new State{std::move(chain), std::move(schedules), ThreadLimit(threads), {}});
  Task task;
  task.run = [state] { state->profiles = profile_schedules(state->schedules, state->chain, 4); };
  task.counts = [state] {
    Counts nnz;
    for (const ScheduleProfile& profile : state->profiles) {
      for (const OpProfile& op : profile.ops) {
        if (!op.is_mv) nnz.push_back(op.nnz);
      }
    }
    return nnz;
  };
  return task;
}

}  // namespace upsweep::bench
