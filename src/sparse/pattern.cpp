#include "upsweep/sparse/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kRowsPerChunk = 256;

bool is_full_diagonal(const Pattern& pattern) {
  if (pattern.rows() != pattern.cols() || pattern.nnz() != pattern.rows() || pattern.max_row_nnz() != 1) return false;
  for (Index r = 0; r < pattern.rows(); ++r) {
    bool on_diagonal = false;
    pattern.row(r).for_each([&](Index column) { on_diagonal = column == r; });
    if (!on_diagonal) return false;
  }
  return true;
}

}  // namespace

Pattern::Pattern(Index rows, Index cols, std::vector<Index> row_numbers, std::shared_ptr<const RowStore> store)
    : rows_(rows), cols_(cols), row_numbers_(std::move(row_numbers)), store_(std::move(store)) {
  for (Index r = 0; r < rows_; ++r) {
    const Index row_nnz = row(r).nnz();
    nnz_ += row_nnz;
    max_row_nnz_ = std::max(max_row_nnz_, row_nnz);
  }
  full_diagonal_ = upsweep::is_full_diagonal(*this);
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
    row(r).for_each([&](Index column) { csr.indices.push_back(column); });
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
    a.row(r).for_each([&](Index column) { left.push_back(column); });
    b.row(r).for_each([&](Index column) { right.push_back(column); });
    if (left != right) return false;
  }
  return true;
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
