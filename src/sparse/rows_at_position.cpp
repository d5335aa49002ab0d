#include "rows_at_position.hpp"

#include "bit_kernels.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kUnionBlockBytes = std::size_t{1} << 16;

}  // namespace

RowsAtPosition::RowsAtPosition(const RowClasses& y)
    : x_classes_(y.axis(2).classes),
      stride_(bitmap_words(y.rows().channels) * 64),
      sink_(y.cols().channels, kUnionBlockBytes) {
  const std::size_t positions = std::size_t{y.axis(1).classes} * x_classes_;
  lengths_.resize(positions * stride_);
  sums_.resize(positions);
  unions_.resize(positions);
  WindowAccumulator accumulator(y.cols().channels);
  std::vector<bool> runs;  // by class
  for (std::size_t place = 0; place < y.partition().size(); ++place) runs.push_back(is_run(y.row(place), y.cols()));
  for (std::size_t p = 0; p < positions; ++p) {
    for (Index c = 0; c < y.rows().channels; ++c) {
      const std::size_t place = std::size_t{y.axis(0).class_of[c]} * positions + p;
      const Index length = y.row(place).nnz;
      lengths_[p * stride_ + c] = length;
      sums_[p].all += length;
      if (!runs[place]) continue;
      if (runs_.empty()) runs_.resize(lengths_.size());
      runs_[p * stride_ + c] = length;
      sums_[p].at_runs += length;
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
    RowsAdded added(accumulator, 0, 0);
    for_each_row([&](const WindowRow& row) { added.add(row); });
    unions_[p] = stored_row(accumulator.finish(), y.cols().channels, sink_);
  }
}

MatchedPairs RowsAtPosition::pairs_of_bits(const ChannelSet& channels, Index y, Index x) const {
  if (channels.bits == nullptr) return sums_[number(y, x)];
  const auto sum = [&](const std::vector<std::uint32_t>& values) {
    return sum_at_bits(channels.bits, stride_ / 64, values.data() + number(y, x) * stride_);
  };
  return {sum(lengths_), runs_.empty() ? 0 : sum(runs_)};
}

}  // namespace upsweep
