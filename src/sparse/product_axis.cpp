#include "product_axis.hpp"

#include <map>

namespace upsweep {

ProductAxis::ProductAxis(const RowClasses& x, const RowClasses& y, std::size_t axis) {
  const AxisClasses& of_x = x.axis(axis);
  const AxisClasses& of_y = y.axis(axis);
  const std::size_t positions = of_x.class_of.size();
  classes.twin_of = of_x.twin_of;
  classes.class_of.resize(positions);
  classes.offset.resize(positions);
  std::map<std::vector<std::int64_t>, Index> known;
  std::vector<std::int64_t> signature;
  std::vector<Step> mine;
  for (std::size_t i = 0; i < positions; ++i) {
    const Reach& reach = x.reach(axis, of_x.class_of[i]);
    bool has_base = false;
    std::int64_t base = 0;
    mine.clear();
    signature.assign(1, of_x.class_of[i]);
    for (std::int64_t at = reach.begin; at < reach.end; ++at) {
      const auto k = static_cast<std::size_t>(of_x.offset[i] + at);
      const Index y_class = of_y.class_of[k];
      if (y.reach(axis, y_class).is_empty()) {
        mine.push_back({kNothing, 0});
      } else {
        if (!has_base) base = of_y.offset[k];
        has_base = true;
        mine.push_back({y_class, of_y.offset[k] - base});
      }
      signature.push_back(mine.back().y_class);
      signature.push_back(mine.back().shift);
    }
    const auto [found, is_new] = known.emplace(signature, classes.classes);
    if (is_new) {
      ++classes.classes;
      x_class.push_back(of_x.class_of[i]);
      begin.push_back(steps.size());
      steps.insert(steps.end(), mine.begin(), mine.end());
    }
    classes.class_of[i] = found->second;
    classes.offset[i] = base;
  }
}

}  // namespace upsweep
