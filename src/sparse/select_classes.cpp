#include <array>
#include <utility>
#include <vector>

#include "class_product.hpp"

namespace upsweep {

std::optional<RowClasses> select_classes(const RowClasses& x, const RowClasses& y) {
  const std::optional<SingleEntries> entries = single_entries(x);
  if (!entries) return std::nullopt;
  std::array<AxisClasses, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    const AxisClasses& of_y = y.axis(a);
    const std::vector<std::int64_t>& target = entries->target[a];
    // One class more than Y has, of the positions without an entry.
    axes[a].classes = of_y.classes + 1;
    std::vector<Index> first_twin(of_y.twin_of.size(), RowClasses::kNoRow);
    for (std::size_t i = 0; i < target.size(); ++i) {
      const auto position = static_cast<Index>(i);
      if (target[i] == SingleEntries::kNone) {
        axes[a].class_of.push_back(of_y.classes);
        axes[a].offset.push_back(0);
        axes[a].twin_of.push_back(position);
        continue;
      }
      const auto k = static_cast<std::size_t>(target[i]);
      Index& first = first_twin[of_y.twin_of[k]];
      if (first == RowClasses::kNoRow) first = position;
      axes[a].class_of.push_back(of_y.class_of[k]);
      axes[a].offset.push_back(of_y.offset[k]);
      axes[a].twin_of.push_back(first);
    }
  }
  RowPartition partition(std::move(axes));
  std::vector<Index> numbers(partition.size(), RowClasses::kNoRow);
  for (std::size_t place = 0; place < y.partition().size(); ++place) {
    const std::array<Index, 3> at = y.partition().classes_at(place);
    const std::size_t mine = partition.place(at[0], at[1], at[2]);
    if (partition.rows_of(mine) > 0) numbers[mine] = y.numbers()[place];
  }
  return RowClasses(x.rows(), y.cols(), std::move(partition), std::move(numbers), y.store());
}

}  // namespace upsweep
