#include "upsweep/sparse/row.hpp"

#include <cstring>
#include <utility>

#include "upsweep/sparse/runs.hpp"

namespace upsweep {

bool is_run(const Row& row) {
  if (row.nnz() <= kShortRun) return false;
  if (!row.is_bitmap()) return is_run(row.list().front(), row.list().back(), row.nnz());
  const std::uint64_t* word = row.words();
  while (*word == 0) ++word;
  // As many bits as there are columns, from the first on.
  auto first = static_cast<unsigned>(std::countr_zero(*word));
  for (Index left = row.nnz();; first = 0, ++word) {
    const auto here = static_cast<Index>(std::countr_one(*word >> first));
    if (here >= left) return true;
    if (first + here < 64) return false;
    left -= here;
  }
}

std::byte* RowSink::allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = sizeof(std::uint64_t);
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > room_ - used_) {
    const std::size_t room = std::max(bytes, block_bytes_);
    held_.add(room);
    room_ = room;
    used_ = 0;
    total_ += room_;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(room_));
  }
  std::byte* memory = blocks_.back().get() + used_;
  used_ += bytes;
  return memory;
}

Row RowSink::append_list(std::span<const Index> columns) {
  const auto nnz = static_cast<Index>(columns.size());
  if (nnz == 0) return {};
  if (prefers_bitmap(cols_, nnz)) {
    std::uint64_t* words = allocate_bitmap();
    std::fill_n(words, bitmap_words(cols_), 0);
    for (const Index column : columns) words[column / 64] |= std::uint64_t{1} << (column % 64);
    return {words, nnz};
  }
  Index* list = allocate_list(nnz);
  std::memcpy(list, columns.data(), columns.size_bytes());
  return Row({list, nnz});
}

Row RowSink::append_bitmap(std::span<const std::uint64_t> words, Index nnz) {
  if (nnz == 0) return {};
  if (prefers_bitmap(cols_, nnz)) {
    std::uint64_t* copy = allocate_bitmap();
    std::memcpy(copy, words.data(), words.size_bytes());
    return {copy, nnz};
  }
  Index* list = allocate_list(nnz);
  Index* next = list;
  Row(words.data(), nnz).for_each([&](Index column) { *next++ = column; });
  return Row({list, nnz});
}

std::size_t RowSink::release(std::vector<std::unique_ptr<std::byte[]>>& blocks) {
  std::move(blocks_.begin(), blocks_.end(), std::back_inserter(blocks));
  blocks_.clear();
  held_.release();
  room_ = used_ = 0;
  return std::exchange(total_, 0);
}

}  // namespace upsweep
