#include "upsweep/sparse/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kRowsPerChunk = 256;

bool is_full_diagonal(const Pattern& pattern) {
  if (pattern.rows() != pattern.cols() || pattern.nnz() != pattern.rows() || pattern.max_row_nnz() != 1) return false;
  for (Index r = 0; r < pattern.rows(); ++r) {
    bool on_diagonal = false;
    pattern.for_each(r, [&](Index column) { on_diagonal = column == r; });
    if (!on_diagonal) return false;
  }
  return true;
}

/// True where every row's only entry is in the column of its own number.
bool keeps_places(const RowClasses& classes) {
  const std::optional<SingleEntries> entries = single_entries(classes);
  if (!entries) return false;
  for (const std::vector<std::int64_t>& target : entries->target) {
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] != static_cast<std::int64_t>(i)) return false;
    }
  }
  return true;
}

}  // namespace

Pattern::Pattern(Index rows, Index cols, std::vector<Index> row_numbers, std::shared_ptr<const RowStore> store)
    : rows_(rows), cols_(cols), row_numbers_(std::move(row_numbers)), store_(std::move(store)) {
  for (Index r = 0; r < rows_; ++r) {
    const Index row_nnz = row(r).nnz();
    nnz_ += row_nnz;
    nonempty_rows_ += row_nnz > 0 ? 1 : 0;
    max_row_nnz_ = std::max(max_row_nnz_, row_nnz);
  }
  full_diagonal_ = upsweep::is_full_diagonal(*this);
}

Pattern::Pattern(std::shared_ptr<const RowClasses> classes)
    : rows_(static_cast<Index>(classes->rows().elements())),
      cols_(static_cast<Index>(classes->cols().elements())),
      classes_(std::move(classes)) {
  for (std::size_t place = 0; place < classes_->partition().size(); ++place) {
    const Index row_nnz = classes_->row(place).nnz;
    const std::uint64_t rows = classes_->partition().rows_of(place);
    if (row_nnz == 0 || rows == 0) continue;
    nnz_ += row_nnz * rows;
    nonempty_rows_ += rows;
    max_row_nnz_ = std::max(max_row_nnz_, row_nnz);
  }
  if (rows_ != cols_ || nnz_ != rows_ || max_row_nnz_ != 1) return;
  full_diagonal_ = classes_->rows() == classes_->cols() ? keeps_places(*classes_) : upsweep::is_full_diagonal(*this);
}

Pattern Pattern::from_csr(const CsrPattern& csr) {
  if (csr.indptr.size() != std::size_t{csr.rows} + 1) {
    throw std::invalid_argument(
        fmt::format("indptr has {} entries, expected rows + 1 = {}", csr.indptr.size(), std::size_t{csr.rows} + 1));
  }
  if (csr.indptr.front() != 0 || csr.indptr.back() != csr.indices.size()) {
    throw std::invalid_argument(fmt::format("indptr runs from {} to {}, expected 0 to nnz = {}", csr.indptr.front(),
                                            csr.indptr.back(), csr.indices.size()));
  }
  for (Index r = 0; r < csr.rows; ++r) {
    // All of it before any row is read: a pointer that falls later may have overshot earlier.
    if (csr.indptr[r] > csr.indptr[r + 1]) throw std::invalid_argument(fmt::format("indptr falls at row {}", r));
  }
  for (Index r = 0; r < csr.rows; ++r) {
    for (std::uint64_t at = csr.indptr[r]; at < csr.indptr[r + 1]; ++at) {
      if (csr.indices[at] >= csr.cols) {
        throw std::invalid_argument(
            fmt::format("row {} has column {}, expected below {}", r, csr.indices[at], csr.cols));
      }
      if (at > csr.indptr[r] && csr.indices[at - 1] >= csr.indices[at]) {
        throw std::invalid_argument(
            fmt::format("row {} is not sorted, or repeats a column, at column {}", r, csr.indices[at]));
      }
    }
  }
  return build_pattern(csr.rows, csr.cols, csr.indices.size(), [&](Index r, std::vector<Index>& columns) {
    const auto begin = csr.indices.begin();
    columns.assign(begin + static_cast<std::ptrdiff_t>(csr.indptr[r]),
                   begin + static_cast<std::ptrdiff_t>(csr.indptr[r + 1]));
  });
}

Pattern Pattern::diagonal(Index n) {
  return build_pattern(n, n, n, [](Index r, std::vector<Index>& columns) { columns.push_back(r); });
}

CsrPattern Pattern::to_csr() const {
  CsrPattern csr{rows_, cols_, {0}, {}};
  csr.indptr.reserve(std::size_t{rows_} + 1);
  csr.indices.reserve(nnz_);
  for (Index r = 0; r < rows_; ++r) {
    for_each(r, [&](Index column) { csr.indices.push_back(column); });
    csr.indptr.push_back(csr.indices.size());
  }
  return csr;
}

bool operator==(const Pattern& a, const Pattern& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nnz() != b.nnz()) return false;
  std::vector<Index> left;
  std::vector<Index> right;
  for (Index r = 0; r < a.rows(); ++r) {
    left.clear();
    right.clear();
    a.for_each(r, [&](Index column) { left.push_back(column); });
    b.for_each(r, [&](Index column) { right.push_back(column); });
    if (left != right) return false;
  }
  return true;
}

namespace {

/// Throws OutOfRoom where rows that have to be written out would not fit into the memory that is left.
void require_memory(const Pattern& pattern, std::uint64_t stored) {
  const double entries = static_cast<double>(pattern.nnz()) / std::max<Index>(1, pattern.rows()) *
                         static_cast<double>(stored) * sizeof(Index);
  const double bitmaps = static_cast<double>(stored) * static_cast<double>(pattern.cols()) / 8;
  const double bytes = std::min(entries, bitmaps) + static_cast<double>(stored) * sizeof(Row);
  const std::uint64_t left = memory_left();
  if (bytes <= static_cast<double>(left)) return;
  throw OutOfRoom(held_memory() + static_cast<std::uint64_t>(bytes), held_memory() + left);
}

}  // namespace

Pattern in_rows(const Pattern& pattern) {
  if (!pattern.classes()) return pattern;
  const RowClasses& classes = *pattern.classes();
  // The first positions of twins are stored, and numbered along each axis.
  std::array<std::vector<Index>, 3> first;
  std::array<std::vector<Index>, 3> number;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<Index>& twin_of = classes.axis(a).twin_of;
    std::vector<Index> number_of(twin_of.size(), Pattern::kEmptyRow);
    for (std::size_t i = 0; i < twin_of.size(); ++i) {
      Index& mine = number_of[twin_of[i]];
      if (mine == Pattern::kEmptyRow) {
        mine = static_cast<Index>(first[a].size());
        first[a].push_back(static_cast<Index>(i));
      }
      number[a].push_back(mine);
    }
  }
  const auto joint = [](const std::array<std::vector<Index>, 3>& of, const auto& size, Index c, Index y, Index x) {
    return static_cast<Index>((std::uint64_t{of[0][c]} * size(1) + of[1][y]) * size(2) + of[2][x]);
  };
  const auto stored_size = [&](std::size_t a) { return first[a].size(); };
  const auto row_size = [&](std::size_t a) { return number[a].size(); };
  const auto stored = static_cast<Index>(first[0].size() * first[1].size() * first[2].size());
  const auto width = static_cast<Index>(first[2].size());
  const auto height = static_cast<Index>(first[1].size());
  require_memory(pattern, stored);
  const Pattern distinct =
      build_pattern(stored, pattern.cols(), pattern.nnz(), [&](Index s, std::vector<Index>& columns) {
        const Index r = joint(first, row_size, s / width / height, s / width % height, s % width);
        classes.for_each(r, [&](Index column) { columns.push_back(column); });
      });
  if (stored == pattern.rows()) return distinct;
  std::vector<Index> numbers;
  numbers.reserve(pattern.rows());
  for (Index c = 0; c < classes.rows().channels; ++c) {
    for (Index y = 0; y < classes.rows().height; ++y) {
      for (Index x = 0; x < classes.rows().width; ++x) numbers.push_back(joint(number, stored_size, c, y, x));
    }
  }
  return {pattern.rows(), pattern.cols(), std::move(numbers), distinct.store()};
}

Pattern build_pattern(Index rows, Index cols, std::uint64_t expected_nnz, const RowWriter& write) {
  const std::size_t most_bytes = RowSink::most_bytes(rows, cols);
  const auto block_bytes = std::min<std::size_t>(
      {RowSink::kMaxBlockBytes, most_bytes, expected_nnz * sizeof(Index) + sizeof(std::uint64_t)});
  struct Worker {
    RowSink sink;
    std::vector<Index> columns;
  };
  std::vector<Worker> workers;
  for (std::size_t w = 0; w < (rows <= kRowsPerChunk ? 1 : parallel_slots()); ++w) {
    workers.push_back({RowSink(cols, block_bytes), {}});
  }
  std::vector<Row> stored(rows);
  parallel_chunks(rows, kRowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    Worker& worker = workers[rows <= kRowsPerChunk ? 0 : slot];
    for (std::size_t r = begin; r < end; ++r) {
      worker.columns.clear();
      write(static_cast<Index>(r), worker.columns);
      stored[r] = worker.sink.append_list(worker.columns);
    }
  });
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::size_t bytes = 0;
  for (Worker& worker : workers) bytes += worker.sink.release(blocks);
  return {rows, cols, {}, std::make_shared<RowStore>(std::move(stored), std::move(blocks), bytes)};
}

std::uint64_t csr_bytes(std::uint64_t rows, std::uint64_t nnz, unsigned value_bytes) {
  const std::uint64_t pointer_bytes = nnz > 0x7fffffffU ? 8 : 4;
  return checked_add(checked_mul(value_bytes + 4, nnz), checked_mul(pointer_bytes, checked_add(rows, 1)));
}

}  // namespace upsweep
