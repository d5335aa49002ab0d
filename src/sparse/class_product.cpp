#include "class_product.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "bit_kernels.hpp"
#include "product_steps.hpp"
#include "upsweep/base/parallel.hpp"
#include "window_accumulator.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kPlacesPerChunk = 16;
constexpr std::size_t kWindowsPerChunk = 256;
constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

/// The first `count` rows of a pattern without classes, columns as channels of one position.
std::shared_ptr<const WindowStore> as_windows(const Pattern& pattern, Index count) {
  const std::size_t words = bitmap_words(pattern.cols());
  std::vector<RowSink> sinks;
  for (std::size_t w = 0; w < parallel_slots(); ++w) sinks.emplace_back(pattern.cols(), kBlockBytes);
  std::vector<WindowRow> rows(count);
  parallel_chunks(count, kWindowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    for (std::size_t r = begin; r < end; ++r) {
      const Row row = pattern.row(static_cast<Index>(r));
      if (row.nnz() == 0) continue;
      rows[r] = {0, 0, 1, 1, row.nnz()};
      if (row.nnz() == pattern.cols()) continue;
      std::uint64_t* bits = sinks[slot].allocate_words(words);
      if (row.is_bitmap()) {
        std::copy_n(row.words(), words, bits);
      } else {
        std::fill_n(bits, words, std::uint64_t{0});
        for (const Index c : row.list()) bits[c / 64] |= std::uint64_t{1} << (c % 64);
      }
      rows[r].bits = bits;
    }
  });
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (RowSink& sink : sinks) bytes += sink.release(blocks);
  return std::make_shared<WindowStore>(std::move(rows), std::move(blocks), bytes);
}

/// A pattern as classes over an image of rows, each row a class of its own, or one for all.
std::shared_ptr<const RowClasses> as_classes(const Pattern& pattern, const ImageShape& rows) {
  if (pattern.classes()) return pattern.classes()->rows() == rows ? pattern.classes() : nullptr;
  if (rows.elements() != pattern.rows() || pattern.rows() == 0) return nullptr;
  bool is_each = true;
  bool is_one = pattern.row_number(0) != Pattern::kEmptyRow;
  for (Index r = 0; r < pattern.rows(); ++r) {
    is_each = is_each && pattern.row_number(r) == r;
    is_one = is_one && pattern.row_number(r) == pattern.row_number(0);
  }
  if (!is_each && !is_one) return nullptr;
  std::array<AxisClasses, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    axes[a] = is_one ? AxisClasses::one(rows.along(a)) : AxisClasses::each(rows.along(a));
    if (is_one) axes[a].twin_of.assign(rows.along(a), 0);
  }
  const Index stored = is_one ? 1 : pattern.rows();
  std::vector<Index> numbers(stored);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (Index r = 0; r < stored; ++r) {
    if (pattern.row(r).nnz() == 0) numbers[r] = RowClasses::kNoRow;
  }
  return std::make_shared<RowClasses>(rows, ImageShape{pattern.cols(), 1, 1}, RowPartition(std::move(axes)),
                                      std::move(numbers), as_windows(pattern, stored));
}

/// An image axis of a product X·Y.
struct ProductAxis {
  /// Where a position of X's columns leads: the class of Y there, and what is added to its columns' positions.
  struct Step {
    Index y_class;
    std::int64_t shift;
  };
  static constexpr Index kNothing = ~Index{0};  // a position whose rows of Y have no entry

  AxisClasses classes;             // of C
  std::vector<Index> x_class;      // by class of C
  std::vector<std::size_t> begin;  // by class of C: its first step
  std::vector<Step> steps;         // of the positions that X reaches, class by class

  ProductAxis(const RowClasses& x, const RowClasses& y, std::size_t axis);
};

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

/// What the rows of Y are that one image position of X's columns leads to, whatever the channel.
class RowsAtPosition {
 public:
  explicit RowsAtPosition(const RowClasses& y);

  /// Entries of the row of each channel; length 64 · bitmap_words(channels).
  [[nodiscard]] const std::uint32_t* lengths(Index y, Index x) const {
    return lengths_.data() + number(y, x) * stride_;
  }
  [[nodiscard]] std::uint64_t sum_of_lengths(Index y, Index x) const { return sums_[number(y, x)]; }
  /// The union of the rows of all channels.
  [[nodiscard]] const WindowRow& all(Index y, Index x) const { return unions_[number(y, x)]; }

  /// Matched pairs with the channels at a position; null `bits`: all of them.
  [[nodiscard]] std::uint64_t pairs(const std::uint64_t* bits, Index y, Index x) const {
    if (bits == nullptr) return sum_of_lengths(y, x);
    return sum_at_bits(bits, stride_ / 64, lengths(y, x));
  }

 private:
  [[nodiscard]] std::size_t number(Index y, Index x) const { return std::size_t{y} * x_classes_ + x; }

  std::size_t x_classes_;
  std::size_t stride_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint64_t> sums_;
  std::vector<WindowRow> unions_;
  RowSink sink_;  // their memory
};

RowsAtPosition::RowsAtPosition(const RowClasses& y)
    : x_classes_(y.axis(2).classes),
      stride_(bitmap_words(y.rows().channels) * 64),
      sink_(y.cols().channels, kBlockBytes) {
  const std::size_t positions = std::size_t{y.axis(1).classes} * x_classes_;
  lengths_.resize(positions * stride_);
  sums_.resize(positions);
  unions_.resize(positions);
  WindowAccumulator accumulator(y.cols().channels);
  for (std::size_t p = 0; p < positions; ++p) {
    for (Index c = 0; c < y.rows().channels; ++c) {
      const Index length = y.row(std::size_t{y.axis(0).class_of[c]} * positions + p).nnz;
      lengths_[p * stride_ + c] = length;
      sums_[p] += length;
    }
    Window bounds;
    const auto for_each_row = [&](const auto& use) {
      for (Index c = 0; c < y.axis(0).classes; ++c) {
        const WindowRow row = y.row(c * positions + p);
        if (row.nnz > 0) use(row);
      }
    };
    for_each_row([&](const WindowRow& row) {
      bounds = {joined(bounds.y, window_of(row).y), joined(bounds.x, window_of(row).x)};
    });
    accumulator.start(bounds);
    for_each_row([&](const WindowRow& row) { accumulator.add(row, 0, 0); });
    unions_[p] = stored_row(accumulator.finish(), y.cols().channels, sink_);
  }
}

/// The product of two patterns by classes: what all of its rows have in common.
class ClassProduct {
 public:
  ClassProduct(const RowClasses& x, const RowClasses& y)
      : x_(x),
        y_(y),
        along_y_(x, y, 1),
        along_x_(x, y, 2),
        partition_({x.axis(0), along_y_.classes, along_x_.classes}),
        rows_(y),
        words_(bitmap_words(y.rows().channels)),
        one_y_channel_(y.axis(0).classes == 1) {}

  [[nodiscard]] const RowPartition& partition() const { return partition_; }

  /// The row of X at a class of C.
  [[nodiscard]] WindowRow x_row(std::size_t place) const {
    const std::array<Index, 3> at = partition_.classes_at(place);
    return x_.row(x_.partition().place(at[0], along_y_.x_class[at[1]], along_x_.x_class[at[2]]));
  }

  /// Matched pairs of one row of a class.
  [[nodiscard]] std::uint64_t matched_pairs(std::size_t place) const {
    std::uint64_t pairs = 0;
    for_each_position(place, [&](const std::uint64_t* bits, const ProductAxis::Step& y, const ProductAxis::Step& x) {
      pairs += rows_.pairs(bits, y.y_class, x.y_class);
    });
    return pairs;
  }

  /// The columns of a row of a class, before the shift; valid until the next call with the same accumulator.
  [[nodiscard]] WindowRow collect(std::size_t place, WindowAccumulator& accumulator) const;

 private:
  /// Calls visit(bits, y step, x step) for the positions of X's row at which Y has entries, row by row; null `bits`:
  /// all channels.
  template <class Visit>
  void for_each_position(std::size_t place, const Visit& visit) const {
    const std::array<Index, 3> at = partition_.classes_at(place);
    const WindowRow row = x_row(place);
    const auto steps = [&](const ProductAxis& along, std::size_t axis, Index c, std::int64_t first) {
      return along.steps.data() + along.begin[c] + (first - x_.reach(axis, along.x_class[c]).begin);
    };
    const ProductAxis::Step* const ys = steps(along_y_, 1, at[1], row.y);
    const ProductAxis::Step* const xs = steps(along_x_, 2, at[2], row.x);
    for (Index dy = 0; dy < row.height; ++dy) {
      if (ys[dy].y_class == ProductAxis::kNothing) continue;
      for (Index dx = 0; dx < row.width; ++dx) {
        if (xs[dx].y_class == ProductAxis::kNothing) continue;
        const std::uint64_t* bits = row.bits;
        if (bits != nullptr) {
          bits += (std::size_t{dy} * row.width + dx) * words_;
          if (std::all_of(bits, bits + words_, [](std::uint64_t word) { return word == 0; })) continue;
        }
        visit(bits, ys[dy], xs[dx]);
      }
    }
  }

  /// Calls visit(class of Y along channels) for channels, until it returns false; null `bits`: all of them.
  template <class Visit>
  void for_each_channel(const std::uint64_t* bits, const Visit& visit) const {
    if (bits == nullptr || one_y_channel_) {
      for (Index c = 0; c < y_.axis(0).classes; ++c) {
        if (!visit(c)) return;
      }
      return;
    }
    Index last = ~Index{0};
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
        const Index c = y_.axis(0).class_of[w * 64 + static_cast<unsigned>(std::countr_zero(word))];
        if (c == last) continue;
        last = c;
        if (!visit(c)) return;
      }
    }
  }

  const RowClasses& x_;
  const RowClasses& y_;
  ProductAxis along_y_;
  ProductAxis along_x_;
  RowPartition partition_;
  RowsAtPosition rows_;
  std::size_t words_;  // of the channels between X and Y
  bool one_y_channel_;
};

WindowRow ClassProduct::collect(std::size_t place, WindowAccumulator& accumulator) const {
  Window bounds;
  for_each_position(place, [&](const std::uint64_t*, const ProductAxis::Step& y, const ProductAxis::Step& x) {
    const Window there = shifted(window_of(rows_.all(y.y_class, x.y_class)), y.shift, x.shift);
    if (!there.is_empty()) bounds = {joined(bounds.y, there.y), joined(bounds.x, there.x)};
  });
  accumulator.start(bounds);
  for_each_position(place, [&](const std::uint64_t* bits, const ProductAxis::Step& y, const ProductAxis::Step& x) {
    // A position is done as soon as all is there that any of its channels can add. Looked at after 1, 3, 7, ... rows.
    const WindowRow& all = rows_.all(y.y_class, x.y_class);
    if (accumulator.covers(all, y.shift, x.shift)) return;
    std::size_t rows = 0;
    for_each_channel(bits, [&](Index channel) {
      const WindowRow row = y_.row(y_.partition().place(channel, y.y_class, x.y_class));
      if (row.nnz == 0) return true;
      accumulator.add(row, y.shift, x.shift);
      ++rows;
      return !(std::has_single_bit(rows + 1) && accumulator.covers(all, y.shift, x.shift));
    });
  });
  return accumulator.finish();
}

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

/// Makes classes along an axis one that have the same full rows: the products of dense layers and, some layers deep, of
/// pruned ones.
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

/// One thread's share of a product.
struct ClassWorker {
  RowSink sink;
  WindowAccumulator accumulator;
  RowCounts counts = {};
};

}  // namespace

Operands operands_of(const Pattern& x, const Pattern& y) {
  if (!x.classes()) return {};
  std::shared_ptr<const RowClasses> of_y = as_classes(y, x.classes()->cols());
  if (!of_y) return {};
  return {x.classes(), std::move(of_y)};
}

void count_class_products(const RowClasses& x, const RowClasses& y, bool walks, ProductCounts& counts) {
  const ClassProduct product(x, y);
  std::vector<RowCounts> shares(parallel_slots());
  parallel_chunks(product.partition().size(), kPlacesPerChunk,
                  [&](std::size_t begin, std::size_t end, std::size_t slot) {
                    for (std::size_t place = begin; place < end; ++place) {
                      const WindowRow row = product.x_row(place);
                      if (row.nnz == 0) continue;
                      const std::uint64_t pairs = product.matched_pairs(place);
                      for (const Repeats& repeats : product.partition().repeats_of(place))
                        shares[slot].count(row.nnz, pairs, 0, repeats.uses, walks, repeats.count);
                    }
                  });
  for (const RowCounts& share : shares) {
    add_to(counts.products, share.products);
    add_to(counts.steps, share.steps);
  }
}

Product accumulate_classes(const RowClasses& x, const RowClasses& y, bool walks, Keep keep) {
  const ClassProduct parts(x, y);
  RowPartition partition = parts.partition();
  const Index channels = y.cols().channels;
  std::vector<ClassWorker> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w)
    workers.push_back({RowSink(channels, kBlockBytes), WindowAccumulator(channels)});
  std::vector<WindowRow> rows(keep == Keep::structure ? partition.size() : 0);
  parallel_chunks(partition.size(), kPlacesPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    ClassWorker& worker = workers[slot];
    for (std::size_t place = begin; place < end; ++place) {
      const WindowRow x_row = parts.x_row(place);
      if (x_row.nnz == 0) continue;
      const std::uint64_t pairs = parts.matched_pairs(place);
      const WindowRow row = parts.collect(place, worker.accumulator);
      for (const Repeats& repeats : partition.repeats_of(place))
        worker.counts.count(x_row.nnz, pairs, row.nnz, repeats.uses, walks, repeats.count);
      if (keep == Keep::structure) rows[place] = stored_row(row, channels, worker.sink);
    }
  });
  Product product;
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (ClassWorker& worker : workers) {
    worker.counts.add_into(product);
    bytes += worker.sink.release(blocks);
  }
  if (keep == Keep::counts) return product;
  for (std::size_t axis = 0; axis < 3; ++axis) merge_classes(axis, partition, rows);
  std::vector<Index> numbers(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place)
    numbers[place] = rows[place].nnz == 0 ? RowClasses::kNoRow : static_cast<Index>(place);
  product.pattern = std::make_shared<Pattern>(
      std::make_shared<RowClasses>(x.rows(), y.cols(), std::move(partition), std::move(numbers),
                                   std::make_shared<WindowStore>(std::move(rows), std::move(blocks), bytes)));
  return product;
}

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

ProductSteps class_steps_with_dense_vector(const RowClasses& x) {
  ProductSteps steps;
  for (std::size_t place = 0; place < x.partition().size(); ++place) {
    const WindowRow row = x.row(place);
    if (row.nnz == 0) continue;
    for (const Repeats& repeats : x.partition().repeats_of(place))
      RowSteps(repeats.uses, repeats.count).add_vector(row.nnz, steps);
  }
  return steps;
}

}  // namespace upsweep
