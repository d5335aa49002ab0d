#include "class_product.hpp"

#include <algorithm>
#include <bit>

#include "as_classes.hpp"
#include "bit_kernels.hpp"
#include "expected_work.hpp"
#include "merge_classes.hpp"
#include "product_axis.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/product_steps.hpp"
#include "window_accumulator.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kPlacesPerChunk = 16;
constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

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

Product accumulate_classes(const RowClasses& x, const RowClasses& y, bool walks, Keep keep, WorkMeter* meter) {
  const ClassProduct parts(x, y);
  RowPartition partition = parts.partition();
  const Index channels = y.cols().channels;
  std::vector<ClassWorker> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w)
    workers.push_back({RowSink(channels, kBlockBytes), WindowAccumulator(channels)});
  if (meter != nullptr) {
    WindowAccumulator accumulator(channels);
    require_expected_work(*meter, partition.size(), [&](std::size_t place) {
      if (parts.x_row(place).nnz == 0) return RowWork{};
      const WindowRow row = parts.collect(place, accumulator);
      const bool is_kept = keep == Keep::structure && row.bits != nullptr;
      const std::uint64_t words = is_kept ? std::uint64_t{row.height} * row.width * bitmap_words(channels) : 0;
      return RowWork{accumulator.steps(), words * sizeof(std::uint64_t)};
    });
  }
  std::vector<WindowRow> rows(keep == Keep::structure ? partition.size() : 0);
  parallel_chunks(partition.size(), kPlacesPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    ClassWorker& worker = workers[slot];
    StepTally tally(meter);
    for (std::size_t place = begin; place < end; ++place) {
      const WindowRow x_row = parts.x_row(place);
      if (x_row.nnz == 0) continue;
      const std::uint64_t pairs = parts.matched_pairs(place);
      const WindowRow row = parts.collect(place, worker.accumulator);
      tally.add(worker.accumulator.steps());
      for (const Repeats& repeats : partition.repeats_of(place))
        worker.counts.count(x_row.nnz, pairs, row.nnz, repeats.uses, walks, repeats.count);
      if (keep == Keep::structure) rows[place] = stored_row(row, channels, worker.sink);
    }
    tally.flush();
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

namespace {

/// Calls add(row, entries) for the nonempty rows of each class.
template <class Add>
void for_each_class(const RowClasses& x, Add add) {
  for (std::size_t place = 0; place < x.partition().size(); ++place) {
    const WindowRow row = x.row(place);
    if (row.nnz == 0) continue;
    for (const Repeats& repeats : x.partition().repeats_of(place)) add(TeamSteps(repeats.uses, repeats.count), row.nnz);
  }
}

}  // namespace

ProductSteps class_steps_with_dense_vector(const RowClasses& x) {
  ProductSteps steps;
  for_each_class(x, [&](const TeamSteps& rows, std::uint64_t entries) { rows.add_vector(entries, steps); });
  return steps;
}

ProductSteps class_steps_with_full(const RowClasses& x, std::uint64_t cols) {
  ProductSteps steps;
  for_each_class(x, [&](const TeamSteps& rows, std::uint64_t entries) { rows.add_full(entries, cols, steps); });
  return steps;
}

}  // namespace upsweep
