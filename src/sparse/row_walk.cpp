#include "upsweep/sparse/row_walk.hpp"

#include <algorithm>
#include <utility>

#include "bit_kernels.hpp"
#include "upsweep/sparse/runs.hpp"

namespace upsweep {
namespace {

/// Columns are kept as bits where a row meets more entries than one in so many columns.
constexpr std::uint64_t kBitsDensity = 16;
/// As many columns are collected as bytes, which is faster as long as these stay in the cache.
constexpr Index kMostByteColumns = 1 << 18;

template <class Visit>
void for_each_bit(const std::uint64_t* bits, std::size_t words, const Visit& visit) {
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
      if (!visit(static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word))))) return;
    }
  }
}

/// How far the columns that there may be are all there, from the first on: looked at again and again, each once.
class Front {
 public:
  explicit Front(const ColumnBits& reached) : reached_(reached.words) {}

  /// Whether all are; `has(w, bits)`: whether those of word w are.
  template <class Has>
  [[nodiscard]] bool is_at_end(const Has& has) {
    while (word_ < reached_.size() && has(word_, reached_[word_])) ++word_;
    return word_ == reached_.size();
  }

 private:
  const std::vector<std::uint64_t>& reached_;
  std::size_t word_ = 0;
};

}  // namespace

/// Sets the columns of the rows of `next` that `rows` visits, until all are there that may be. Returns how many.
template <class Rows>
std::uint64_t RowWalk::collect(const RowReader& next, const ColumnBits& reached, const Rows& rows,
                               std::vector<std::uint8_t>& bytes, std::uint64_t* bits, std::uint64_t& steps) {
  const std::size_t words = bitmap_words(next.cols());
  Front front(reached);
  if (next.has_bits() || bytes.size() < words * 64) {
    rows([&](Index r) {
      if (const std::uint64_t* mine = next.bits(r)) {
        or_words(bits, mine, words);
        steps += words;
      } else {
        next.for_each(r, [bits](Index column) { bits[column / 64] |= std::uint64_t{1} << (column % 64); });
        steps += next.length(r);
      }
      return !front.is_at_end([&](std::size_t w, std::uint64_t word) { return (word & ~bits[w]) == 0; });
    });
  } else {
    std::uint8_t* const there = bytes.data();
    rows([&](Index r) {
      next.for_each(r, [there](Index column) { there[column] = 1; });
      steps += next.length(r);
      return !front.is_at_end([&](std::size_t w, std::uint64_t word) {
        for (; word != 0; word &= word - 1) {
          if (there[w * 64 + static_cast<unsigned>(std::countr_zero(word))] == 0) return false;
        }
        return true;
      });
    });
    pack_and_clear(there, bits, words);
  }
  steps += words;
  return count_bits(bits, words);
}

WalkedChain::WalkedChain(std::span<const std::shared_ptr<const Pattern>> elements)
    : shared_(std::make_unique<Shared[]>(elements.size())) {
  readers_.reserve(elements.size());
  std::size_t words = 0;
  for (const std::shared_ptr<const Pattern>& element : elements) {
    readers_.emplace_back(element);
    words += bitmap_words(element->cols());
  }
  held_.add(2 * words * sizeof(std::uint64_t));
}

const ColumnBits& WalkedChain::reached(std::size_t e) const {
  Shared& shared = shared_[e];
  std::call_once(shared.is_reached_made, [&] {
    const RowReader& reader = readers_[e];
    ColumnBits& reached = shared.reached;
    reached.words.assign(bitmap_words(reader.cols()), 0);
    std::vector<std::uint8_t> is_read(reader.is_each() ? 0 : reader.numbers());
    for (Index r = 0; r < reader.rows() && reached.count < reader.cols(); ++r) {
      if (!is_read.empty() && std::exchange(is_read[reader.number(r)], 1) != 0) continue;
      reader.for_each(r, [&](Index column) {
        std::uint64_t& word = reached.words[column / 64];
        const std::uint64_t bit = std::uint64_t{1} << (column % 64);
        reached.count += (word & bit) == 0 ? 1 : 0;
        word |= bit;
      });
    }
  });
  return shared.reached;
}

const ColumnBits& WalkedChain::after_reached(std::size_t e) const {
  Shared& shared = shared_[e];
  std::call_once(shared.is_after_made, [&] {
    const RowReader& next = readers_[e - 1];
    shared.after.words.assign(bitmap_words(next.cols()), 0);
    std::uint64_t steps = 0;
    std::vector<std::uint8_t> no_bytes;
    const auto rows = [&](const auto& visit) {
      for_each_bit(reached(e).words.data(), bitmap_words(next.rows()), visit);
    };
    shared.after.count = RowWalk::collect(next, reached(e - 1), rows, no_bytes, shared.after.words.data(), steps);
  });
  return shared.after;
}

RowWalk::RowWalk(const WalkedChain& chain) : chain_(chain) {
  Index cols = 0;
  for (std::size_t e = 0; e < chain.size(); ++e) cols = std::max(cols, chain[e].cols());
  Index byte_cols = 0;
  for (std::size_t e = 0; e < chain.size(); ++e) {
    if (chain[e].cols() <= kMostByteColumns) byte_cols = std::max(byte_cols, chain[e].cols());
  }
  bytes_.assign(bitmap_words(byte_cols) * 64, 0);
  held_.add(2 * bitmap_words(cols) * sizeof(std::uint64_t) + cols / kBitsDensity * 2 * sizeof(Index) + bytes_.size());
  mine_.assign(bitmap_words(cols), 0);
  next_.assign(bitmap_words(cols), 0);
}

void RowWalk::drop() {
  if (bits_ != nullptr && bits_ == mine_.data()) std::fill_n(mine_.data(), bitmap_words(chain_[element_].cols()), 0);
  bits_ = nullptr;
}

void RowWalk::share(const ColumnBits& bits) {
  drop();
  bits_ = bits.words.data();
  count_ = bits.count;
  steps_ += 1;
}

void RowWalk::start(std::size_t e, Index r) {
  drop();
  element_ = e;
  steps_ = 0;
  is_saturated_ = false;
  list_.clear();
  chain_[e].for_each(r, [&](Index column) { list_.push_back(column); });
  count_ = list_.size();
  steps_ += count_;
}

template <class Visit>
void RowWalk::for_each_column(const Visit& visit) const {
  if (bits_ == nullptr) {
    for (const Index column : list_) {
      if (!visit(column)) return;
    }
    return;
  }
  for_each_bit(bits_, bitmap_words(chain_[element_].cols()), visit);
}

std::uint64_t RowWalk::pairs_with(const RowReader& next) const {
  return next.kind() == RowReader::Kind::identity ? count_ : sum(next.lengths().data());
}

std::uint64_t RowWalk::sum(const std::uint32_t* values) const {
  if (bits_ != nullptr) return sum_at_bits(bits_, bitmap_words(chain_[element_].cols()), values);
  std::uint64_t sum = 0;
  for (const Index column : list_) sum += values[column];
  return sum;
}

bool RowWalk::is_run() const {
  if (count_ <= kShortRun) return false;
  if (bits_ != nullptr) return upsweep::is_run(Row(bits_, static_cast<Index>(count_)));
  const auto [first, last] = std::ranges::minmax(list_);
  return upsweep::is_run(first, last, count_);
}

Index RowWalk::column(std::uint64_t number) const {
  if (bits_ == nullptr) return list_[number];
  std::size_t w = 0;
  for (;; ++w) {
    const auto here = static_cast<std::uint64_t>(std::popcount(bits_[w]));
    if (number < here) break;
    number -= here;
  }
  std::uint64_t word = bits_[w];
  for (; number > 0; --number) word &= word - 1;
  return static_cast<Index>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
}

void RowWalk::step() {
  const RowReader& next = chain_[element_ - 1];
  if (is_saturated_) {
    const ColumnBits& reached = chain_.reached(element_ - 1);
    const ColumnBits& after = chain_.after_reached(element_);
    is_saturated_ = after.count == reached.count;
    share(is_saturated_ ? reached : after);
    --element_;
    return;
  }
  if (next.kind() == RowReader::Kind::mask) {
    mask(next);
  } else if (next.kind() != RowReader::Kind::identity) {
    gather(next);
  }
  --element_;
  is_saturated_ = bits_ != nullptr && count_ == chain_.reached(element_).count;
}

void RowWalk::mask(const RowReader& next) {
  if (bits_ == nullptr) {
    steps_ += list_.size();
    std::erase_if(list_, [&](Index column) { return (next.mask()[column / 64] >> (column % 64) & 1) == 0; });
    count_ = list_.size();
    return;
  }
  const std::size_t words = bitmap_words(next.rows());
  for (std::size_t w = 0; w < words; ++w) mine_[w] = bits_[w] & next.mask()[w];
  bits_ = mine_.data();
  count_ = count_bits(bits_, words);
  steps_ += words;
}

void RowWalk::gather(const RowReader& next) {
  if (pairs_with(next) * kBitsDensity >= next.cols()) return gather_bits(next);
  next_list_.clear();
  for_each_column([&](Index r) {
    next.for_each(r, [&](Index column) {
      std::uint64_t& word = next_[column / 64];
      const std::uint64_t bit = std::uint64_t{1} << (column % 64);
      if ((word & bit) == 0) next_list_.push_back(column);
      word |= bit;
    });
    steps_ += next.length(r);
    return true;
  });
  drop();
  for (const Index column : next_list_) next_[column / 64] = 0;
  list_.swap(next_list_);
  count_ = list_.size();
}

void RowWalk::gather_bits(const RowReader& next) {
  const auto rows = [&](const auto& visit) { for_each_column(visit); };
  const std::uint64_t count = collect(next, chain_.reached(element_ - 1), rows, bytes_, next_.data(), steps_);
  drop();
  mine_.swap(next_);
  bits_ = mine_.data();
  count_ = count;
}

}  // namespace upsweep
