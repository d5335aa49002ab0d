#include "upsweep/sparse/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "accumulator.hpp"
#include "bit_kernels.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

// Less work than this, in matched pairs, is not worth waking another thread.
constexpr double kPairsPerChunk = 1 << 15;
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 20;

void check_shapes(const Pattern& x, const Pattern& y) {
  if (x.cols() != y.rows()) {
    throw std::invalid_argument(
        fmt::format("inner sizes differ: ({} x {}) times ({} x {})", x.rows(), x.cols(), y.rows(), y.cols()));
  }
}

/// The rows of a pattern without repetition: `rows[d]` was met `uses[d]` times, and row r of the pattern is
/// `rows[number_of[r]]` (an empty `number_of` means the identity).
struct DistinctRows {
  std::vector<Row> rows;
  std::vector<std::uint64_t> uses;
  std::vector<Index> number_of;
};

DistinctRows distinct_rows(const Pattern& x) {
  DistinctRows distinct;
  std::vector<Index> renumbered(x.stored_rows(), Pattern::kEmptyRow);
  bool identity = true;
  distinct.number_of.resize(x.rows());
  for (Index r = 0; r < x.rows(); ++r) {
    const Index stored = x.row_number(r);
    if (stored == Pattern::kEmptyRow) {
      distinct.number_of[r] = Pattern::kEmptyRow;
      identity = false;
      continue;
    }
    Index& number = renumbered[stored];
    if (number == Pattern::kEmptyRow) {
      number = static_cast<Index>(distinct.rows.size());
      distinct.rows.push_back(x.store()->rows()[stored]);
      distinct.uses.push_back(0);
    }
    ++distinct.uses[number];
    distinct.number_of[r] = number;
    identity = identity && number == r;
  }
  if (identity) distinct.number_of.clear();
  return distinct;
}

/// Lengths of the rows of Y, to add up the matched pairs of a row of X.
class RowLengths {
 public:
  explicit RowLengths(const Pattern& y) : lengths_(bitmap_words(y.rows()) * 64) {
    Index shortest = ~Index{0};
    for (Index r = 0; r < y.rows(); ++r) {
      lengths_[r] = y.row(r).nnz();
      shortest = std::min(shortest, lengths_[r]);
      has_bitmaps_ = has_bitmaps_ || y.row(r).is_bitmap();
    }
    uniform_ = shortest == y.max_row_nnz();
  }

  [[nodiscard]] bool has_bitmaps() const { return has_bitmaps_; }

  [[nodiscard]] std::uint64_t matched_pairs(const Row& x) const {
    if (uniform_) return std::uint64_t{x.nnz()} * lengths_.front();
    if (x.is_bitmap()) return sum_at_bits(x.words(), lengths_.size() / 64, lengths_.data());
    std::uint64_t sum = 0;
    for (const Index k : x.list()) sum += lengths_[k];
    return sum;
  }

 private:
  std::vector<std::uint32_t> lengths_;  // rounded up to a multiple of 64
  bool has_bitmaps_ = false;
  bool uniform_ = false;
};

/// C = X·Y where no row of X has more than one entry: C's rows are rows of Y.
Product select_rows(const Pattern& x, const PatternPtr& y, Keep keep) {
  std::vector<Index> numbers(x.rows(), Pattern::kEmptyRow);
  Product product;
  for (Index r = 0; r < x.rows(); ++r) {
    x.row(r).for_each([&](Index k) {
      numbers[r] = y->row_number(k);
      product.products += y->row(k).nnz();
    });
  }
  product.nnz = product.products;
  if (keep == Keep::structure) {
    product.pattern = std::make_shared<Pattern>(x.rows(), y->cols(), std::move(numbers), y->store());
  }
  return product;
}

std::size_t rows_per_chunk(const Pattern& x, const Pattern& y, std::size_t distinct) {
  const double pairs = static_cast<double>(x.nnz()) * (1 + static_cast<double>(y.nnz()) / std::max<Index>(1, y.rows()));
  const double share = pairs * static_cast<double>(distinct) / std::max<Index>(1, x.rows());
  if (share <= kPairsPerChunk) return distinct;
  return static_cast<std::size_t>(std::max(1.0, kPairsPerChunk * static_cast<double>(distinct) / share));
}

/// One thread's share of a product.
struct Worker {
  RowSink sink;
  std::uint64_t products = 0;
  std::uint64_t nnz = 0;
};

Product accumulate_rows(const Pattern& x, const Pattern& y, Keep keep) {
  static std::atomic<std::uint64_t> product_numbers{0};
  const std::uint64_t product_number = ++product_numbers;
  DistinctRows distinct = distinct_rows(x);
  const RowLengths lengths(y);
  const std::size_t grain = rows_per_chunk(x, y, distinct.rows.size());
  const std::size_t block_bytes = std::min(kMaxBlockBytes, RowSink::most_bytes(distinct.rows.size(), y.cols()));
  std::vector<Worker> workers;
  for (std::size_t w = 0; w < parallel_slots(); ++w) workers.push_back({RowSink(y.cols(), block_bytes)});
  std::vector<Row> stored(keep == Keep::structure ? distinct.rows.size() : 0);

  parallel_chunks(distinct.rows.size(), std::max<std::size_t>(1, grain),
                  [&](std::size_t begin, std::size_t end, std::size_t slot) {
                    thread_local RowAccumulator accumulator;
                    accumulator.start(product_number, y, lengths.has_bitmaps());
                    Worker& worker = workers[slot];
                    for (std::size_t d = begin; d < end; ++d) {
                      const std::uint64_t products = lengths.matched_pairs(distinct.rows[d]);
                      accumulator.collect(distinct.rows[d], products);
                      worker.products = checked_add(worker.products, checked_mul(products, distinct.uses[d]));
                      worker.nnz += accumulator.nnz() * distinct.uses[d];
                      if (keep == Keep::structure) stored[d] = accumulator.store(worker.sink);
                    }
                  });

  Product product;
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (Worker& worker : workers) {
    product.products = checked_add(product.products, worker.products);
    product.nnz += worker.nnz;
    bytes += worker.sink.release(blocks);
  }
  if (keep == Keep::structure) {
    auto store = std::make_shared<RowStore>(std::move(stored), std::move(blocks), bytes);
    product.pattern = std::make_shared<Pattern>(x.rows(), y.cols(), std::move(distinct.number_of), std::move(store));
  }
  return product;
}

}  // namespace

std::uint64_t flops_of_products(std::uint64_t products) { return checked_mul(2, products); }

std::uint64_t products_with_dense_vector(const Pattern& x) { return x.nnz(); }

std::uint64_t count_products(const Pattern& x, const Pattern& y) {
  check_shapes(x, y);
  const DistinctRows distinct = distinct_rows(x);
  const RowLengths lengths(y);
  std::uint64_t products = 0;
  for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
    products = checked_add(products, checked_mul(lengths.matched_pairs(distinct.rows[d]), distinct.uses[d]));
  }
  return products;
}

Product multiply(const PatternPtr& x, const PatternPtr& y, Keep keep) {
  check_shapes(*x, *y);
  const PatternPtr none;
  if (y->is_full_diagonal()) return {x->nnz(), x->nnz(), keep == Keep::structure ? x : none};
  if (x->is_full_diagonal()) return {y->nnz(), y->nnz(), keep == Keep::structure ? y : none};
  if (x->max_row_nnz() <= 1) return select_rows(*x, y, keep);
  return accumulate_rows(*x, *y, keep);
}

}  // namespace upsweep
