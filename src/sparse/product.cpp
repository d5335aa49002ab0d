#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "accumulator.hpp"
#include "bit_kernels.hpp"
#include "class_product.hpp"
#include "expected_work.hpp"
#include "row_address.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/product_steps.hpp"

namespace upsweep {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

// Less work than this, in matched pairs, is not worth waking another thread.
constexpr double kPairsPerChunk = 1 << 15;

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
    bool all_run = true;
    for (Index r = 0; r < y.rows(); ++r) {
      const Row row = y.row(r);
      lengths_[r] = row.nnz();
      shortest = std::min(shortest, lengths_[r]);
      has_bitmaps_ = has_bitmaps_ || row.is_bitmap();
      const bool runs = is_run(row);
      all_run = all_run && runs;
      if (!runs) continue;
      if (runs_.empty()) runs_.resize(lengths_.size());
      runs_[r] = row.nnz();
    }
    uniform_ = shortest == y.max_row_nnz() && (all_run || runs_.empty());
  }

  [[nodiscard]] bool has_bitmaps() const { return has_bitmaps_; }

  [[nodiscard]] MatchedPairs matched_pairs(const Row& x) const {
    if (uniform_) {
      const std::uint64_t pairs = std::uint64_t{x.nnz()} * lengths_.front();
      return {pairs, runs_.empty() ? 0 : pairs};
    }
    return {sum_at(x, lengths_), runs_.empty() ? 0 : sum_at(x, runs_)};
  }

 private:
  static std::uint64_t sum_at(const Row& x, const std::vector<std::uint32_t>& values) {
    if (x.is_bitmap()) return sum_at_bits(x.words(), values.size() / 64, values.data());
    std::uint64_t sum = 0;
    for (const Index k : x.list()) sum += values[k];
    return sum;
  }

  std::vector<std::uint32_t> lengths_;  // rounded up to a multiple of 64
  std::vector<std::uint32_t> runs_;     // those of runs, 0 of other rows; empty: there is none
  bool has_bitmaps_ = false;
  bool uniform_ = false;
};

/// Steps of a product with `entries` results, one product each.
ProductSteps scaling_steps(const Pattern& x, const Pattern& y, std::uint64_t entries) {
  ProductSteps steps;
  steps.teams = x.nonempty_rows();
  (y.is_full_diagonal() ? steps.scaled_columns : steps.scaled_rows) = entries;
  return steps;
}

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
  product.steps = scaling_steps(x, *y, product.nnz);
  auto pattern = std::make_shared<Pattern>(x.rows(), y->cols(), std::move(numbers), y->store());
  product.vector_steps = steps_with_dense_vector(*pattern);
  product.max_row_nnz = pattern->max_row_nnz();
  if (keep == Keep::structure) product.pattern = std::move(pattern);
  return product;
}

std::size_t rows_per_chunk(const Pattern& x, const Pattern& y, std::size_t distinct) {
  const double pairs = static_cast<double>(x.nnz()) * (1 + static_cast<double>(y.nnz()) / std::max<Index>(1, y.rows()));
  const double share = pairs * static_cast<double>(distinct) / std::max<Index>(1, x.rows());
  if (share <= kPairsPerChunk) return distinct;
  return static_cast<std::size_t>(std::max(1.0, kPairsPerChunk * static_cast<double>(distinct) / share));
}

/// Rows of X by the rows of Y that they meet: those that meet the same ones make the same row of C, and a row of Y that
/// is met several times is read once.
class MetRows {
 public:
  MetRows(const DistinctRows& distinct, const Pattern& y) : distinct_(distinct) {
    std::unordered_map<const void*, Index> at_address;
    std::vector<Index> first(y.rows(), Pattern::kEmptyRow);  // the first row of Y that is kept at the same place
    for (Index r = 0; r < y.rows(); ++r) {
      const Row row = y.row(r);
      if (row.nnz() > 0) first[r] = at_address.emplace(address_of(row), r).first->second;
    }
    if (2 * at_address.size() > y.nonempty_rows()) return;
    std::vector<std::size_t> met(y.rows(), ~std::size_t{0});
    std::unordered_multimap<std::uint64_t, Index> known;
    std::vector<Index> columns;
    for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
      columns.clear();
      distinct.rows[d].for_each([&](Index k) {
        const Index number = first[k];
        if (number == Pattern::kEmptyRow || std::exchange(met[number], d) == d) return;
        columns.push_back(number);
      });
      std::sort(columns.begin(), columns.end());
      group_of_.push_back(find_or_add(columns, known));
    }
  }

  /// Number of rows of C that may differ.
  [[nodiscard]] std::size_t size() const { return group_of_.empty() ? distinct_.rows.size() : start_.size() - 1; }
  [[nodiscard]] Row row(std::size_t g) const {
    if (group_of_.empty()) return distinct_.rows[g];
    return Row(std::span(columns_).subspan(start_[g], start_[g + 1] - start_[g]));
  }
  [[nodiscard]] std::size_t group_of(std::size_t d) const { return group_of_.empty() ? d : group_of_[d]; }

 private:
  Index find_or_add(const std::vector<Index>& columns, std::unordered_multimap<std::uint64_t, Index>& known) {
    std::uint64_t hash = columns.size();
    for (const Index column : columns) hash = (hash ^ column) * 0x9e3779b97f4a7c15 + (hash >> 29);
    const auto [begin, end] = known.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const std::span<const Index> mine = row(at->second).list();
      if (std::equal(mine.begin(), mine.end(), columns.begin(), columns.end())) return at->second;
    }
    const auto added = static_cast<Index>(start_.size() - 1);
    known.emplace(hash, added);
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    start_.push_back(columns_.size());
    if (group_of_.empty()) group_of_.reserve(distinct_.rows.size());
    return added;
  }

  const DistinctRows& distinct_;
  std::vector<Index> group_of_;  // by distinct row of X; empty: each its own
  std::vector<Index> columns_;
  std::vector<std::size_t> start_ = {0};
};

/// More than all rows of X·Y take together, about: matched pairs, were all rows of Y as long as the longest.
double most_pairs(const Pattern& x, const Pattern& y) {
  return static_cast<double>(x.nnz()) * static_cast<double>(y.max_row_nnz());
}

Product accumulate_rows(const Pattern& x, const Pattern& y, Keep keep, WorkMeter* meter) {
  static std::atomic<std::uint64_t> product_numbers{0};
  const std::uint64_t product_number = ++product_numbers;
  DistinctRows distinct = distinct_rows(x);
  const RowLengths lengths(y);
  const MetRows met(distinct, y);
  const bool walks = y.max_row_nnz() > 1;
  const std::size_t grain = rows_per_chunk(x, y, met.size());
  const std::size_t block_bytes = std::min(RowSink::kMaxBlockBytes, RowSink::most_bytes(met.size(), y.cols()));
  std::vector<RowSink> sinks;
  for (std::size_t w = 0; w < parallel_slots(); ++w) sinks.emplace_back(y.cols(), block_bytes);
  if (meter != nullptr && most_pairs(x, y) > static_cast<double>(meter->left())) {
    RowAccumulator accumulator;
    accumulator.start(product_number, y, lengths.has_bitmaps());
    require_expected_work(*meter, met.size(), [&](std::size_t g) {
      accumulator.collect(met.row(g), lengths.matched_pairs(met.row(g)).all);
      const std::uint64_t bytes =
          std::min(accumulator.nnz() * sizeof(Index), bitmap_words(y.cols()) * sizeof(std::uint64_t));
      return RowWork{accumulator.steps(), keep == Keep::structure ? bytes : 0};
    });
  }
  std::vector<Row> stored(keep == Keep::structure ? met.size() : 0);
  std::vector<Index> entries(met.size());

  parallel_chunks(met.size(), std::max<std::size_t>(1, grain),
                  [&](std::size_t begin, std::size_t end, std::size_t slot) {
                    thread_local RowAccumulator accumulator;
                    accumulator.start(product_number, y, lengths.has_bitmaps());
                    StepTally tally(meter);
                    for (std::size_t g = begin; g < end; ++g) {
                      accumulator.collect(met.row(g), lengths.matched_pairs(met.row(g)).all);
                      tally.add(accumulator.steps());
                      entries[g] = static_cast<Index>(accumulator.nnz());
                      if (keep == Keep::structure) stored[g] = accumulator.store(sinks[slot]);
                    }
                    tally.flush();
                  });

  RowCounts counts;
  for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
    counts.count(distinct.rows[d].nnz(), lengths.matched_pairs(distinct.rows[d]), entries[met.group_of(d)],
                 distinct.uses[d], walks);
  }
  Product product;
  counts.add_into(product);
  if (keep == Keep::structure) {
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    std::size_t bytes = 0;
    for (RowSink& sink : sinks) bytes += sink.release(blocks);
    // Equal rows of C keep numbers of their own, by which work is planned, at one place.
    std::vector<Row> rows;
    for (std::size_t d = 0; d < distinct.rows.size(); ++d) rows.push_back(stored[met.group_of(d)]);
    auto store = std::make_shared<RowStore>(std::move(rows), std::move(blocks), bytes);
    product.pattern = std::make_shared<Pattern>(x.rows(), y.cols(), std::move(distinct.number_of), std::move(store));
  }
  return product;
}

/// The counts of X·Y, row by row.
void count_row_products(const Pattern& x, const Pattern& y, ProductCounts& counts) {
  const DistinctRows distinct = distinct_rows(x);
  const RowLengths lengths(y);
  for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
    const MatchedPairs pairs = lengths.matched_pairs(distinct.rows[d]);
    add_to(counts.products, checked_mul(pairs.all, distinct.uses[d]));
    if (distinct.rows[d].nnz() == 0) continue;
    TeamSteps(distinct.uses[d]).add_product(distinct.rows[d].nnz(), pairs, y.max_row_nnz() > 1, counts.steps);
  }
}

/// in_rows(), which writes entry by entry of every row that is no twin, as work that a meter counts.
Pattern in_metered_rows(const Pattern& pattern, WorkMeter* meter) {
  constexpr double kStepsOfEntry = 8;  // other work goes by words of bitmaps
  if (pattern.classes() == nullptr || meter == nullptr) return in_rows(pattern);
  double steps = kStepsOfEntry * static_cast<double>(pattern.nnz());
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<Index>& twins = pattern.classes()->axis(a).twin_of;
    const std::unordered_set<Index> distinct(twins.begin(), twins.end());
    steps *= static_cast<double>(distinct.size()) / static_cast<double>(std::max<std::size_t>(1, twins.size()));
  }
  const auto whole = static_cast<std::uint64_t>(std::min(0x1p62, steps));
  if (whole > meter->left()) throw WorkLimitReached(whole);
  meter->add(whole);
  return in_rows(pattern);
}

/// C = X·Y of patterns of which at least one has classes.
Product multiply_classes(const PatternPtr& x, const PatternPtr& y, Keep keep, WorkMeter* meter) {
  const auto in_shared_rows = [meter](const PatternPtr& pattern) {
    return pattern->classes() ? std::make_shared<const Pattern>(in_metered_rows(*pattern, meter)) : pattern;
  };
  const Operands operands = operands_of(*x, *y);
  if (!operands.x) return multiply(in_shared_rows(x), in_shared_rows(y), keep, meter);
  if (x->max_row_nnz() > 1) return accumulate_classes(*operands.x, *operands.y, y->max_row_nnz() > 1, keep, meter);
  const std::optional<RowClasses> selected = select_classes(*operands.x, *operands.y);
  if (!selected) return multiply(in_shared_rows(x), in_shared_rows(y), keep, meter);
  auto pattern = std::make_shared<Pattern>(std::make_shared<RowClasses>(*selected));
  Product product;
  product.products = product.nnz = pattern->nnz();
  product.max_row_nnz = pattern->max_row_nnz();
  product.steps = scaling_steps(*x, *y, product.nnz);
  product.vector_steps = steps_with_dense_vector(*pattern);
  if (keep == Keep::structure) product.pattern = std::move(pattern);
  return product;
}

}  // namespace

std::uint64_t flops_of_products(std::uint64_t products) { return checked_mul(2, products); }

std::uint64_t product_span(std::uint64_t products, std::uint64_t max_row_nnz) {
  if (products == 0) return 0;
  return std::min(flops_of_products(products), 1 + static_cast<std::uint64_t>(std::bit_width(max_row_nnz - 1)));
}

std::uint64_t additions_span(std::uint64_t flops, std::uint64_t summands) {
  return flops == 0 ? 0 : std::min(flops, static_cast<std::uint64_t>(std::bit_width(summands - 1)));
}

std::uint64_t products_with_dense_vector(const Pattern& x) { return x.nnz(); }

ProductSteps steps_with_dense_vector(const Pattern& x) {
  if (x.classes()) return class_steps_with_dense_vector(*x.classes());
  ProductSteps steps;
  const DistinctRows distinct = distinct_rows(x);
  for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
    if (distinct.rows[d].nnz() > 0) TeamSteps(distinct.uses[d]).add_vector(distinct.rows[d].nnz(), steps);
  }
  return steps;
}

ProductSteps steps_with_full(const Pattern& x, std::uint64_t cols) {
  if (x.max_row_nnz() <= 1) {  // rows of Y, scaled
    ProductSteps steps;
    steps.teams = x.nonempty_rows();
    steps.scaled_rows = checked_mul(x.nnz(), cols);
    return steps;
  }
  if (x.classes()) return class_steps_with_full(*x.classes(), cols);
  ProductSteps steps;
  const DistinctRows distinct = distinct_rows(x);
  for (std::size_t d = 0; d < distinct.rows.size(); ++d) {
    if (distinct.rows[d].nnz() > 0) TeamSteps(distinct.uses[d]).add_full(distinct.rows[d].nnz(), cols, steps);
  }
  return steps;
}

VectorCounts vector_counts(const Pattern& x) {
  return {x.rows(), x.cols(), x.nnz(), x.max_row_nnz(), steps_with_dense_vector(x)};
}

void add_to(ProductSteps& sum, const ProductSteps& steps) {
  for (const auto count : kStepCounts) add_to(sum.*count, steps.*count);
}

ProductCounts count_products(const Pattern& x, const Pattern& y, WorkMeter* meter) {
  check_shapes(x, y);
  if (y.is_full_diagonal()) return {x.nnz(), x.max_row_nnz(), scaling_steps(x, y, x.nnz())};
  ProductCounts counts;
  counts.max_row_nnz = x.max_row_nnz();
  if (x.classes() || y.classes()) {
    const Operands operands = operands_of(x, y);
    if (!operands.x) return count_products(in_metered_rows(x, meter), in_metered_rows(y, meter), meter);
    count_class_products(*operands.x, *operands.y, y.max_row_nnz() > 1, counts);
  } else {
    count_row_products(x, y, counts);
  }
  if (x.max_row_nnz() <= 1) counts.steps = scaling_steps(x, y, counts.products);
  return counts;
}

Product multiply(const PatternPtr& x, const PatternPtr& y, Keep keep, WorkMeter* meter) {
  check_shapes(*x, *y);
  const PatternPtr none;
  const auto scaled = [&](const PatternPtr& c) {
    return Product{c->nnz(),
                   c->nnz(),
                   c->max_row_nnz(),
                   scaling_steps(*x, *y, c->nnz()),
                   steps_with_dense_vector(*c),
                   keep == Keep::structure ? c : none};
  };
  if (y->is_full_diagonal()) return scaled(x);
  if (x->is_full_diagonal()) return scaled(y);
  if (x->classes() || y->classes()) return multiply_classes(x, y, keep, meter);
  if (x->max_row_nnz() <= 1) return select_rows(*x, y, keep);
  return accumulate_rows(*x, *y, keep, meter);
}

}  // namespace upsweep
