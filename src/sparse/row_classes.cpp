#include "upsweep/sparse/row_classes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/runs.hpp"
#include "window_accumulator.hpp"

namespace upsweep {

bool is_run(const WindowRow& row, const ImageShape& cols) {
  if (row.nnz <= kShortRun) return false;
  const Index plane = cols.height * cols.width;
  if (row.bits == nullptr) {
    // All channels of a part of the image.
    return cols.channels == 1 ? row.height == 1 || row.width == cols.width : row.height * row.width == plane;
  }
  Index first = ~Index{0};
  Index last = 0;
  const auto see = [&](std::size_t channel, Index dy, Index dx) {
    const auto column = static_cast<Index>(channel * plane + std::size_t{dy} * cols.width + dx);
    first = std::min(first, column);
    last = std::max(last, column);
  };
  const std::size_t words = bitmap_words(cols.channels);
  const std::uint64_t* bits = row.bits;
  for (Index dy = 0; dy < row.height; ++dy) {
    for (Index dx = 0; dx < row.width; ++dx, bits += words) {
      std::size_t low = 0;
      while (low < words && bits[low] == 0) ++low;
      if (low == words) continue;
      std::size_t high = words - 1;
      while (bits[high] == 0) --high;
      see(low * 64 + static_cast<unsigned>(std::countr_zero(bits[low])), dy, dx);
      see(high * 64 + 63 - static_cast<unsigned>(std::countl_zero(bits[high])), dy, dx);
    }
  }
  if (row.beside.is_there()) see(row.beside.channel, row.beside.dy, row.beside.dx);
  return is_run(first, last, row.nnz);
}
namespace {

constexpr std::size_t kClassesPerChunk = 64;

/// Positions of each class.
std::vector<std::uint64_t> class_sizes(const AxisClasses& axis) {
  std::vector<std::uint64_t> sizes(axis.classes);
  for (const Index c : axis.class_of) ++sizes[c];
  return sizes;
}

std::vector<std::vector<Repeats>> class_repeats(const AxisClasses& axis) {
  std::vector<std::uint64_t> uses(axis.twin_of.size());
  std::vector<Index> class_of(axis.twin_of.size());
  for (std::size_t i = 0; i < axis.twin_of.size(); ++i) {
    ++uses[axis.twin_of[i]];
    class_of[axis.twin_of[i]] = axis.class_of[i];
  }
  std::vector<std::vector<Repeats>> repeats(axis.classes);
  for (std::size_t twin = 0; twin < uses.size(); ++twin) {
    if (uses[twin] == 0) continue;
    std::vector<Repeats>& mine = repeats[class_of[twin]];
    const auto known = std::ranges::find(mine, uses[twin], &Repeats::uses);
    if (known == mine.end()) {
      mine.push_back({uses[twin], 1});
    } else {
      ++known->count;
    }
  }
  return repeats;
}

/// The first position of every class.
std::vector<Index> first_positions(const AxisClasses& axis) {
  std::vector<Index> first(axis.classes);
  for (std::size_t i = axis.class_of.size(); i-- > 0;) first[axis.class_of[i]] = static_cast<Index>(i);
  return first;
}

}  // namespace

AxisClasses AxisClasses::each(Index positions) {
  AxisClasses axis{std::vector<Index>(positions), std::vector<std::int64_t>(positions), {}, positions};
  std::iota(axis.class_of.begin(), axis.class_of.end(), Index{0});
  axis.twin_of = axis.class_of;
  return axis;
}

AxisClasses AxisClasses::one(Index positions) {
  AxisClasses axis = each(positions);
  std::fill(axis.class_of.begin(), axis.class_of.end(), Index{0});
  axis.classes = 1;
  return axis;
}

RowPartition::RowPartition(std::array<AxisClasses, 3> axes) : axes_(std::move(axes)) {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    sizes_[a] = class_sizes(axes_[a]);
    repeats_[a] = class_repeats(axes_[a]);
  }
}

std::array<Index, 3> RowPartition::classes_at(std::size_t place) const {
  const std::size_t x = place % axes_[2].classes;
  const std::size_t y = place / axes_[2].classes % axes_[1].classes;
  const std::size_t channel = place / axes_[2].classes / axes_[1].classes;
  return {static_cast<Index>(channel), static_cast<Index>(y), static_cast<Index>(x)};
}

std::uint64_t RowPartition::rows_of(std::size_t place) const {
  const std::array<Index, 3> classes = classes_at(place);
  return sizes_[0][classes[0]] * sizes_[1][classes[1]] * sizes_[2][classes[2]];
}

std::vector<Repeats> RowPartition::repeats_of(std::size_t place) const {
  const std::array<Index, 3> classes = classes_at(place);
  std::vector<Repeats> all;
  for (const Repeats& c : repeats_[0][classes[0]]) {
    for (const Repeats& y : repeats_[1][classes[1]]) {
      for (const Repeats& x : repeats_[2][classes[2]])
        all.push_back({c.uses * y.uses * x.uses, c.count * y.count * x.count});
    }
  }
  return all;
}

std::size_t RowPartition::memory() const {
  std::size_t bytes = 0;
  for (const AxisClasses& axis : axes_) {
    bytes += axis.class_of.size() * (2 * sizeof(Index) + sizeof(std::int64_t));
    bytes += axis.classes * (sizeof(std::uint64_t) + sizeof(std::vector<Repeats>) + sizeof(Repeats));
  }
  return bytes;
}

RowClasses::RowClasses(ImageShape rows, ImageShape cols, RowPartition partition, std::vector<Index> numbers,
                       std::shared_ptr<const WindowStore> store)
    : rows_(rows),
      cols_(cols),
      partition_(std::move(partition)),
      numbers_(std::move(numbers)),
      store_(std::move(store)) {
  for (std::size_t a = 1; a < reach_.size(); ++a) reach_[a].resize(axis(a).classes);
  for (std::size_t place = 0; place < numbers_.size(); ++place) {
    const WindowRow mine = row(place);
    if (mine.nnz == 0) continue;
    const Window window = window_of(mine);
    const std::array<Index, 3> classes = partition_.classes_at(place);
    reach_[1][classes[1]] = joined(reach_[1][classes[1]], window.y);
    reach_[2][classes[2]] = joined(reach_[2][classes[2]], window.x);
  }
}

std::size_t RowClasses::memory() const {
  return store_->memory() + numbers_.capacity() * sizeof(Index) + partition_.memory();
}

std::optional<SingleEntries> single_entries(const RowClasses& classes) {
  const RowPartition& partition = classes.partition();
  std::array<std::vector<std::int64_t>, 3> of_class;  // before the shift
  std::array<std::vector<bool>, 3> known;
  for (std::size_t a = 0; a < 3; ++a) {
    of_class[a].resize(partition.axis(a).classes);
    known[a].assign(partition.axis(a).classes, false);
  }
  const auto entry_of = [&](const WindowRow& row) {
    std::int64_t channel = 0;
    for (std::size_t w = 0; row.bits != nullptr && w < bitmap_words(classes.cols().channels); ++w) {
      if (row.bits[w] != 0) channel = static_cast<std::int64_t>(w * 64) + std::countr_zero(row.bits[w]);
    }
    return std::array<std::int64_t, 3>{channel, row.y, row.x};
  };
  for (std::size_t place = 0; place < partition.size(); ++place) {
    const WindowRow row = classes.row(place);
    if (row.nnz == 0 || partition.rows_of(place) == 0) continue;
    const std::array<Index, 3> at = partition.classes_at(place);
    const std::array<std::int64_t, 3> entry = entry_of(row);
    for (std::size_t a = 0; a < 3; ++a) {
      if (known[a][at[a]] && of_class[a][at[a]] != entry[a]) return std::nullopt;
      known[a][at[a]] = true;
      of_class[a][at[a]] = entry[a];
    }
  }
  for (std::size_t place = 0; place < partition.size(); ++place) {
    const std::array<Index, 3> at = partition.classes_at(place);
    const bool expected = known[0][at[0]] && known[1][at[1]] && known[2][at[2]];
    if (partition.rows_of(place) > 0 && expected != (classes.row(place).nnz == 1)) return std::nullopt;
  }
  SingleEntries entries;
  for (std::size_t a = 0; a < 3; ++a) {
    const AxisClasses& axis = partition.axis(a);
    for (std::size_t i = 0; i < axis.class_of.size(); ++i) {
      const Index c = axis.class_of[i];
      entries.target[a].push_back(known[a][c] ? of_class[a][c] + axis.offset[i] : SingleEntries::kNone);
    }
  }
  return entries;
}

RowClasses build_classes(ImageShape rows, ImageShape cols, RowPartition partition, const RowWriter& write) {
  const std::array<std::vector<Index>, 3> first{first_positions(partition.axis(0)), first_positions(partition.axis(1)),
                                                first_positions(partition.axis(2))};
  const std::size_t classes = partition.size();
  struct Worker {
    RowSink sink;
    WindowAccumulator accumulator;
    std::vector<Index> columns = {};
  };
  std::vector<Worker> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w)
    workers.push_back({RowSink(cols.channels, std::size_t{1} << 14), WindowAccumulator(cols.channels)});
  std::vector<WindowRow> stored(classes);
  const std::uint64_t plane = std::uint64_t{cols.height} * cols.width;
  const auto make = [&](std::size_t place, Worker& worker) {
    const std::array<Index, 3> at = partition.classes_at(place);
    const Index channel = first[0][at[0]];
    const Index y = first[1][at[1]];
    const Index x = first[2][at[2]];
    worker.columns.clear();
    write((channel * rows.height + y) * rows.width + x, worker.columns);
    Window bounds;
    const auto position = [&](Index column) {
      const std::uint64_t in_plane = column % plane;
      return std::pair(static_cast<std::int64_t>(in_plane / cols.width) - partition.axis(1).offset[y],
                       static_cast<std::int64_t>(in_plane % cols.width) - partition.axis(2).offset[x]);
    };
    for (const Index column : worker.columns) {
      const auto [at_y, at_x] = position(column);
      bounds = {joined(bounds.y, {at_y, at_y + 1}), joined(bounds.x, {at_x, at_x + 1})};
    }
    worker.accumulator.start(bounds);
    for (const Index column : worker.columns) {
      const auto [at_y, at_x] = position(column);
      worker.accumulator.set(static_cast<Index>(column / plane), at_y, at_x);
    }
    stored[place] = stored_row(worker.accumulator.finish(), cols.channels, worker.sink);
  };
  parallel_chunks(classes, kClassesPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    for (std::size_t place = begin; place < end; ++place) make(place, workers[slot]);
  });
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (Worker& worker : workers) bytes += worker.sink.release(blocks);
  std::vector<Index> numbers(classes);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (std::size_t place = 0; place < classes; ++place) {
    if (stored[place].nnz == 0) numbers[place] = RowClasses::kNoRow;
  }
  return {rows, cols, std::move(partition), std::move(numbers),
          std::make_shared<WindowStore>(std::move(stored), std::move(blocks), bytes)};
}

}  // namespace upsweep
