#include "product_list.hpp"

namespace upsweep::bench {

ProductList matrix_products(const Schedule& schedule) {
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  ProductList list{schedule.length, schedule.values(), {}};
  std::vector<std::size_t> last_step(schedule.values(), 0);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    if (ranges[combine.earlier].first == 0) continue;  // a vector
    const std::size_t step = list.steps.size();
    list.steps.push_back({combine.earlier, combine.later, schedule.value_of(id), {}});
    last_step[combine.earlier] = last_step[combine.later] = last_step[schedule.value_of(id)] = step;
  }
  for (const ProductStep& step : list.steps) list.steps[last_step[step.result]].releases.push_back(step.result);
  return list;
}

}  // namespace upsweep::bench
