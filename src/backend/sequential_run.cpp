#include "sequential_run.hpp"

namespace upsweep {

std::vector<std::optional<std::size_t>> last_uses(const Schedule& schedule) {
  std::vector<std::optional<std::size_t>> uses(schedule.values());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    uses[schedule.combines[id].earlier] = id;
    uses[schedule.combines[id].later] = id;
  }
  return uses;
}

}  // namespace upsweep
