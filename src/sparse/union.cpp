#include "upsweep/sparse/union.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "bit_kernels.hpp"
#include "class_union.hpp"
#include "row_address.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kUnionRowsPerChunk = 256;

/// Pairs of stored rows without repetition: row r of the sum is the union of pair `number_of[r]`, or has no entry.
struct DistinctPairs {
  std::vector<std::pair<Row, Row>> pairs;
  std::vector<Index> number_of;
};

DistinctPairs distinct_pairs(const Pattern& a, const Pattern& b) {
  DistinctPairs distinct;
  std::unordered_map<std::uint64_t, Index> number;
  number.reserve(a.rows());
  for (Index r = 0; r < a.rows(); ++r) {
    const Index in_a = a.row_number(r);
    const Index in_b = b.row_number(r);
    if (in_a == Pattern::kEmptyRow && in_b == Pattern::kEmptyRow) {
      distinct.number_of.push_back(Pattern::kEmptyRow);
      continue;
    }
    const auto next = static_cast<Index>(distinct.pairs.size());
    const auto [known, is_new] = number.emplace(std::uint64_t{in_a} << 32 | in_b, next);
    if (is_new) distinct.pairs.emplace_back(a.row(r), b.row(r));
    distinct.number_of.push_back(known->second);
  }
  return distinct;
}

/// Whether every column of `few` is one of `many`.
bool is_within(const Row& few, const Row& many) {
  bool is_within = true;
  few.for_each([&](Index c) {
    if (!is_within) return;
    is_within = many.is_bitmap() ? (many.words()[c / 64] >> (c % 64) & 1) != 0
                                 : std::binary_search(many.list().begin(), many.list().end(), c);
  });
  return is_within;
}

/// Where the rows stand that a union depends on: of a row within the other, as a diagonal has them, the other's alone.
std::pair<const void*, const void*> sources_of(const Row& a, const Row& b) {
  constexpr Index kFew = 8;
  if (a.nnz() <= kFew && b.nnz() > kFew && is_within(a, b)) return {nullptr, address_of(b)};
  if (b.nnz() <= kFew && a.nnz() > kFew && is_within(b, a)) return {nullptr, address_of(a)};
  return {address_of(a), address_of(b)};
}

/// One thread's share of a union.
struct UnionWorker {
  RowSink sink;
  std::vector<Index> columns = {};
  std::vector<std::uint64_t> bits = {};

  Row unite(const Row& a, const Row& b, Index cols) {
    if (!a.is_bitmap() && !b.is_bitmap()) {
      columns.clear();
      std::set_union(a.list().begin(), a.list().end(), b.list().begin(), b.list().end(), std::back_inserter(columns));
      return sink.append_list(columns);
    }
    const std::size_t words = bitmap_words(cols);
    bits.assign(words, 0);
    for (const Row* row : {&a, &b}) {
      if (row->is_bitmap()) {
        or_words(bits.data(), row->words(), words);
      } else {
        for (const Index column : row->list()) bits[column / 64] |= std::uint64_t{1} << (column % 64);
      }
    }
    return sink.append_bitmap(bits, static_cast<Index>(count_bits(bits.data(), words)));
  }
};

}  // namespace

Union unite(const std::shared_ptr<const Pattern>& a, const std::shared_ptr<const Pattern>& b) {
  if (a->rows() != b->rows() || a->cols() != b->cols()) {
    throw std::invalid_argument(fmt::format("a sum of ({} x {}) and ({} x {}), accepted are equal shapes", a->rows(),
                                            a->cols(), b->rows(), b->cols()));
  }
  if (a == b || b->nnz() == 0) return {a == b ? a->nnz() : 0, a};
  if (a->nnz() == 0) return {0, b};
  // Nothing is missing in a full one.
  if (is_full(*a)) return {b->nnz(), a};
  if (is_full(*b)) return {a->nnz(), b};
  const auto with_counts = [&](std::shared_ptr<const Pattern> sum) -> Union {
    const std::uint64_t common = a->nnz() + b->nnz() - sum->nnz();
    if (sum->nnz() == a->nnz()) return {common, a};
    if (sum->nnz() == b->nnz()) return {common, b};
    return {common, std::move(sum)};
  };
  if (a->classes() && b->classes()) {
    if (auto sum = unite_classes(*a->classes(), *b->classes()))
      return with_counts(std::make_shared<Pattern>(std::make_shared<RowClasses>(*std::move(sum))));
  }
  if (a->classes() || b->classes())
    return unite(std::make_shared<Pattern>(in_rows(*a)), std::make_shared<Pattern>(in_rows(*b)));
  DistinctPairs distinct = distinct_pairs(*a, *b);
  const std::size_t block_bytes =
      std::min(RowSink::kMaxBlockBytes, RowSink::most_bytes(distinct.pairs.size(), a->cols()));
  std::vector<UnionWorker> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w) workers.push_back({RowSink(a->cols(), block_bytes)});
  // Pairs of rows that are kept at the same two places have one union.
  std::map<std::pair<const void*, const void*>, std::size_t> known;
  std::vector<std::size_t> first;  // a pair for each union
  std::vector<std::size_t> union_of;
  for (std::size_t d = 0; d < distinct.pairs.size(); ++d) {
    const auto& [left, right] = distinct.pairs[d];
    const auto [found, is_new] = known.emplace(sources_of(left, right), first.size());
    if (is_new) first.push_back(d);
    union_of.push_back(found->second);
  }
  std::vector<Row> made(first.size());
  parallel_chunks(made.size(), kUnionRowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    for (std::size_t u = begin; u < end; ++u) {
      made[u] = workers[slot].unite(distinct.pairs[first[u]].first, distinct.pairs[first[u]].second, a->cols());
    }
  });
  std::vector<Row> stored;
  for (const std::size_t u : union_of) stored.push_back(made[u]);
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (UnionWorker& worker : workers) bytes += worker.sink.release(blocks);
  auto store = std::make_shared<RowStore>(std::move(stored), std::move(blocks), bytes);
  return with_counts(std::make_shared<Pattern>(a->rows(), a->cols(), std::move(distinct.number_of), std::move(store)));
}

bool is_full(const Pattern& pattern) {
  return pattern.nnz() > 0 && pattern.nnz() == std::uint64_t{pattern.rows()} * pattern.cols();
}

Pattern full_pattern(Index rows, Index cols) {
  const Pattern one = build_pattern(1, cols, cols, [&](Index, std::vector<Index>& columns) {
    for (Index c = 0; c < cols; ++c) columns.push_back(c);
  });
  return {rows, cols, std::vector<Index>(rows, 0), one.store()};
}

Pattern row_range(const Pattern& pattern, Index first, Index count) {
  if (count > pattern.rows() || first > pattern.rows() - count) {
    throw std::invalid_argument(
        fmt::format("rows {} to {} of {}, accepted are those that there are", first, first + count, pattern.rows()));
  }
  if (pattern.classes()) {
    if (auto part = class_range(*pattern.classes(), first, count))
      return Pattern(std::make_shared<RowClasses>(*std::move(part)));
    return row_range(in_rows(pattern), first, count);
  }
  std::vector<Index> numbers;
  numbers.reserve(count);
  for (Index r = first; r < first + count; ++r) numbers.push_back(pattern.row_number(r));
  return {count, pattern.cols(), std::move(numbers), pattern.store()};
}

}  // namespace upsweep
