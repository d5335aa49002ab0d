#include "merge_classes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "window_accumulator.hpp"

namespace upsweep {
namespace {

/// True where classes `a` and `b` along an axis have the same rows, all of them full or empty.
bool are_alike(const RowPartition& partition, const std::vector<WindowRow>& rows, std::size_t axis, Index a, Index b) {
  const std::array<Index, 3> classes{partition.axis(0).classes, partition.axis(1).classes, partition.axis(2).classes};
  // The classes along the axes inside of this one, and those outside.
  const std::size_t inner = axis == 0 ? std::size_t{classes[1]} * classes[2] : axis == 1 ? classes[2] : 1;
  const std::size_t outer = rows.size() / inner / classes[axis];
  for (std::size_t o = 0; o < outer; ++o) {
    const WindowRow* const of_a = rows.data() + (o * classes[axis] + a) * inner;
    const WindowRow* const of_b = rows.data() + (o * classes[axis] + b) * inner;
    for (std::size_t i = 0; i < inner; ++i) {
      if (of_a[i].bits != nullptr || of_b[i].bits != nullptr || of_a[i].nnz != of_b[i].nnz) return false;
      if (of_a[i].nnz > 0 && !(window_of(of_a[i]) == window_of(of_b[i]))) return false;
    }
  }
  return true;
}

}  // namespace

void merge_classes(std::size_t axis, RowPartition& partition, std::vector<WindowRow>& rows) {
  constexpr std::size_t kMostKinds = 4;  // of full rows that are looked for
  const AxisClasses& along = partition.axis(axis);
  std::vector<Index> kept;
  std::vector<Index> full;
  std::vector<Index> number_of(along.classes);
  for (Index c = 0; c < along.classes; ++c) {
    const auto known =
        std::ranges::find_if(full, [&](Index other) { return are_alike(partition, rows, axis, kept[other], c); });
    number_of[c] = known != full.end() ? *known : static_cast<Index>(kept.size());
    if (known != full.end()) continue;
    kept.push_back(c);
    if (full.size() < kMostKinds && are_alike(partition, rows, axis, c, c)) full.push_back(number_of[c]);
  }
  if (kept.size() == along.classes) return;
  std::array<AxisClasses, 3> axes{partition.axis(0), partition.axis(1), partition.axis(2)};
  for (Index& c : axes[axis].class_of) c = number_of[c];
  axes[axis].classes = static_cast<Index>(kept.size());
  RowPartition merged(std::move(axes));
  std::vector<WindowRow> left;
  left.reserve(merged.size());
  for (std::size_t place = 0; place < merged.size(); ++place) {
    std::array<Index, 3> at = merged.classes_at(place);
    at[axis] = kept[at[axis]];
    left.push_back(rows[partition.place(at[0], at[1], at[2])]);
  }
  partition = std::move(merged);
  rows = std::move(left);
}

}  // namespace upsweep
