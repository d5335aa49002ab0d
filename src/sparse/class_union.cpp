#include "class_union.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "row_sums.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kSumsPerChunk = 512;  // rows at one position, which may share their bits, are mostly in one

/// An axis of a sum.
struct SumAxis {
  AxisClasses classes;                // of the sum
  std::vector<Index> a_class;         // by class of the sum
  std::vector<Index> b_class;         // likewise
  std::vector<std::int64_t> a_shift;  // from the sum's offset to that of a
  std::vector<std::int64_t> b_shift;

  SumAxis(const RowClasses& a, const RowClasses& b, std::size_t axis);
};

SumAxis::SumAxis(const RowClasses& a, const RowClasses& b, std::size_t axis) {
  const AxisClasses& of_a = a.axis(axis);
  const AxisClasses& of_b = b.axis(axis);
  const bool is_channels = axis == 0;
  std::map<std::tuple<Index, Index, std::int64_t, std::int64_t>, Index> known;
  std::map<std::pair<Index, Index>, Index> twins;
  for (std::size_t i = 0; i < of_a.class_of.size(); ++i) {
    const Index in_a = of_a.class_of[i];
    const Index in_b = of_b.class_of[i];
    // The offset of rows without entries says nothing.
    const bool has_a = is_channels || !a.reach(axis, in_a).is_empty();
    const bool has_b = is_channels || !b.reach(axis, in_b).is_empty();
    const std::int64_t offset = has_a ? of_a.offset[i] : has_b ? of_b.offset[i] : 0;
    const std::int64_t shift_a = has_a ? of_a.offset[i] - offset : 0;
    const std::int64_t shift_b = has_b ? of_b.offset[i] - offset : 0;
    const auto [found, is_new] = known.emplace(std::tuple(in_a, in_b, shift_a, shift_b), classes.classes);
    if (is_new) {
      ++classes.classes;
      a_class.push_back(in_a);
      b_class.push_back(in_b);
      a_shift.push_back(shift_a);
      b_shift.push_back(shift_b);
    }
    classes.class_of.push_back(found->second);
    classes.offset.push_back(offset);
    const auto position = static_cast<Index>(i);
    classes.twin_of.push_back(twins.emplace(std::pair(of_a.twin_of[i], of_b.twin_of[i]), position).first->second);
  }
}

bool has_empty_rows(const RowClasses& classes) {
  for (std::size_t place = 0; place < classes.partition().size(); ++place) {
    if (classes.row(place).nnz == 0 && classes.partition().rows_of(place) > 0) return true;
  }
  return false;
}

bool has_twins(const RowClasses& classes) {
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<Index> twins = classes.axis(a).twin_of;
    std::ranges::sort(twins);
    if (std::ranges::adjacent_find(twins) != twins.end()) return true;
  }
  return false;
}

}  // namespace

std::optional<RowClasses> unite_classes(const RowClasses& a, const RowClasses& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::nullopt;
  if ((has_empty_rows(a) && has_twins(b)) || (has_empty_rows(b) && has_twins(a))) return std::nullopt;
  const std::array<SumAxis, 3> axes{SumAxis(a, b, 0), SumAxis(a, b, 1), SumAxis(a, b, 2)};
  RowPartition partition({axes[0].classes, axes[1].classes, axes[2].classes});
  std::vector<RowSums> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w) workers.emplace_back(a.cols().channels);
  std::vector<WindowRow> rows(partition.size());
  const auto row_of_a = [&](const std::array<Index, 3>& at) {
    const std::size_t place =
        a.partition().place(axes[0].a_class[at[0]], axes[1].a_class[at[1]], axes[2].a_class[at[2]]);
    return ShiftedRow{a.row(place), axes[1].a_shift[at[1]], axes[2].a_shift[at[2]]};
  };
  const auto row_of_b = [&](const std::array<Index, 3>& at) {
    const std::size_t place =
        b.partition().place(axes[0].b_class[at[0]], axes[1].b_class[at[1]], axes[2].b_class[at[2]]);
    return ShiftedRow{b.row(place), axes[1].b_shift[at[1]], axes[2].b_shift[at[2]]};
  };
  // Position by position, at each the channels, whose rows have shifts in common.
  const std::size_t channel_classes = axes[0].classes.classes;
  const std::size_t positions = channel_classes == 0 ? 0 : rows.size() / channel_classes;
  parallel_chunks(rows.size(), kSumsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    RowSums& sums = workers[slot];
    sums.start();
    for (std::size_t i = begin; i < end; ++i) {
      if (i % channel_classes == 0) sums.start();
      const std::size_t place = i % channel_classes * positions + i / channel_classes;
      if (partition.rows_of(place) == 0) continue;
      const std::array<Index, 3> at = partition.classes_at(place);
      rows[place] = sums.sum(row_of_a(at), row_of_b(at));
    }
  });
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (RowSums& sums : workers) bytes += sums.sink().release(blocks);
  std::vector<Index> numbers(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place)
    numbers[place] = rows[place].nnz == 0 ? RowClasses::kNoRow : static_cast<Index>(place);
  return RowClasses(a.rows(), a.cols(), std::move(partition), std::move(numbers),
                    std::make_shared<WindowStore>(std::move(rows), std::move(blocks), bytes));
}

std::optional<RowClasses> class_range(const RowClasses& classes, Index first, Index count) {
  const ImageShape& image = classes.rows();
  const std::uint64_t plane = std::uint64_t{image.height} * image.width;
  if (first % plane != 0 || count % plane != 0) return std::nullopt;
  const auto begin = static_cast<std::size_t>(first / plane);
  const auto channels = static_cast<Index>(count / plane);
  AxisClasses part;
  part.classes = classes.axis(0).classes;
  std::map<Index, Index> twins;
  for (Index c = 0; c < channels; ++c) {
    part.class_of.push_back(classes.axis(0).class_of[begin + c]);
    part.offset.push_back(0);
    part.twin_of.push_back(twins.emplace(classes.axis(0).twin_of[begin + c], c).first->second);
  }
  RowPartition partition({std::move(part), classes.axis(1), classes.axis(2)});
  std::vector<Index> numbers = classes.numbers();
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    if (partition.rows_of(place) == 0) numbers[place] = RowClasses::kNoRow;
  }
  return RowClasses({channels, image.height, image.width}, classes.cols(), std::move(partition), std::move(numbers),
                    classes.store());
}

}  // namespace upsweep
