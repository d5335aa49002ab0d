#include "class_product.hpp"

#include <algorithm>
#include <bit>

#include "as_classes.hpp"
#include "expected_work.hpp"
#include "merge_classes.hpp"
#include "product_axis.hpp"
#include "rows_at_position.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/product_steps.hpp"
#include "window_accumulator.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kPlacesPerChunk = 16;
constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

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

  /// Classes of C in the order in which rows of X that share their bits follow one another: position by position, at
  /// each the channels.
  [[nodiscard]] std::size_t place_at(std::size_t i) const {
    const std::size_t channels = partition_.axis(0).classes;
    return i % channels * (partition_.size() / channels) + i / channels;
  }

  /// Matched pairs of the last row of X that was met and of those that share its bits, without what stands beside them.
  struct PairsOfBits {
    std::size_t position = ~std::size_t{0};
    WindowRow row = {};
    MatchedPairs pairs = {};
  };

  /// Matched pairs of one row of a class.
  [[nodiscard]] MatchedPairs matched_pairs(std::size_t place, PairsOfBits& last) const {
    const std::size_t position = place % (partition_.size() / partition_.axis(0).classes);
    const WindowRow row = x_row(place);
    if (position != last.position || !last.row.shares_bits(row)) {
      last = {position, row, {}};
      for_each_position(place, [&](const ChannelSet& channels, const ProductAxis::Step& y, const ProductAxis::Step& x) {
        last.pairs += rows_.pairs_of_bits(channels, y.y_class, x.y_class);
      });
    }
    if (!row.beside.is_there()) return last.pairs;
    const RowSteps steps = steps_of(place, row);
    const ProductAxis::Step& y = steps.y[row.beside.dy];
    const ProductAxis::Step& x = steps.x[row.beside.dx];
    if (y.y_class == ProductAxis::kNothing || x.y_class == ProductAxis::kNothing) return last.pairs;
    MatchedPairs pairs = last.pairs;
    pairs += rows_.pairs_of(row.beside.channel, y.y_class, x.y_class);
    return pairs;
  }

  /// The columns of a row of a class, before the shift; valid until the next call with the same accumulator.
  [[nodiscard]] WindowRow collect(std::size_t place, WindowAccumulator& accumulator) const;

 private:
  /// Where the positions of X's row lead, from the first of its window on.
  struct RowSteps {
    const ProductAxis::Step* y;
    const ProductAxis::Step* x;
  };
  [[nodiscard]] RowSteps steps_of(std::size_t place, const WindowRow& row) const {
    const std::array<Index, 3> at = partition_.classes_at(place);
    const auto steps = [&](const ProductAxis& along, std::size_t axis, Index c, std::int64_t first) {
      return along.steps.data() + along.begin[c] + (first - x_.reach(axis, along.x_class[c]).begin);
    };
    return {steps(along_y_, 1, at[1], row.y), steps(along_x_, 2, at[2], row.x)};
  }

  /// Calls visit(channels, y step, x step) for the positions of X's row at which Y has entries, row by row.
  template <class Visit>
  void for_each_position(std::size_t place, const Visit& visit) const {
    const WindowRow row = x_row(place);
    const auto [ys, xs] = steps_of(place, row);
    for (Index dy = 0; dy < row.height; ++dy) {
      if (ys[dy].y_class == ProductAxis::kNothing) continue;
      for (Index dx = 0; dx < row.width; ++dx) {
        if (xs[dx].y_class == ProductAxis::kNothing) continue;
        ChannelSet channels;
        if (row.bits != nullptr) {
          channels.bits = row.bits + (std::size_t{dy} * row.width + dx) * words_;
          if (row.beside.dy == dy && row.beside.dx == dx) channels.beside = row.beside.channel;
          const bool has_bits =
              std::any_of(channels.bits, channels.bits + words_, [](std::uint64_t word) { return word != 0; });
          if (!has_bits && channels.beside == WindowColumn::kNone) continue;
        }
        visit(channels, ys[dy], xs[dx]);
      }
    }
  }

  /// Calls visit(class of Y along channels) for channels, until it returns false.
  template <class Visit>
  void for_each_channel(const ChannelSet& channels, const Visit& visit) const {
    if (channels.bits == nullptr || one_y_channel_) {
      for (Index c = 0; c < y_.axis(0).classes; ++c) {
        if (!visit(c)) return;
      }
      return;
    }
    Index last = ~Index{0};
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t word = channels.bits[w]; word != 0; word &= word - 1) {
        const Index c = y_.axis(0).class_of[w * 64 + static_cast<unsigned>(std::countr_zero(word))];
        if (c == last) continue;
        last = c;
        if (!visit(c)) return;
      }
    }
    if (channels.beside != WindowColumn::kNone) visit(y_.axis(0).class_of[channels.beside]);
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
  for_each_position(place, [&](const ChannelSet&, const ProductAxis::Step& y, const ProductAxis::Step& x) {
    const Window there = shifted(window_of(rows_.all(y.y_class, x.y_class)), y.shift, x.shift);
    if (!there.is_empty()) bounds = {joined(bounds.y, there.y), joined(bounds.x, there.x)};
  });
  accumulator.start(bounds);
  for_each_position(place, [&](const ChannelSet& channels, const ProductAxis::Step& y, const ProductAxis::Step& x) {
    // A position is done as soon as all is there that any of its channels can add. Looked at after 1, 3, 7, ... rows.
    const WindowRow& all = rows_.all(y.y_class, x.y_class);
    if (accumulator.covers(all, y.shift, x.shift)) return;
    if (channels.bits == nullptr) {
      accumulator.add(all, y.shift, x.shift);
      return;
    }
    RowsAdded added(accumulator, y.shift, x.shift);
    std::size_t rows = 0;
    for_each_channel(channels, [&](Index channel) {
      const WindowRow row = y_.row(y_.partition().place(channel, y.y_class, x.y_class));
      if (row.nnz == 0) return true;
      added.add(row);
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
                    ClassProduct::PairsOfBits last;
                    for (std::size_t i = begin; i < end; ++i) {
                      const std::size_t place = product.place_at(i);
                      const WindowRow row = product.x_row(place);
                      if (row.nnz == 0) continue;
                      const MatchedPairs pairs = product.matched_pairs(place, last);
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
    ClassProduct::PairsOfBits last;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = parts.place_at(i);
      const WindowRow x_row = parts.x_row(place);
      if (x_row.nnz == 0) continue;
      const MatchedPairs pairs = parts.matched_pairs(place, last);
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
