#include "upsweep/network/operators/index_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "upsweep/network/operator.hpp"

namespace upsweep {
namespace {

/// First number of an input, and one past its last.
std::pair<std::uint64_t, std::uint64_t> numbers_of(const Operator& op, std::size_t input) {
  std::uint64_t first = 0;
  for (std::size_t k = 0; k < input; ++k) first += elements(op.input_shape(k));
  return {first, first + elements(op.input_shape(input))};
}

}  // namespace

std::string IndexList::digest() const {
  // FNV-1a, twice from different seeds: 128 bits.
  std::uint64_t a = 0xcbf29ce484222325;
  std::uint64_t b = 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < size(); ++i) {
    a = (a ^ (*this)[i]) * 0x100000001b3;
    b = (b ^ (*this)[i]) * 0x100000001b3 + 1;
  }
  return fmt::format("{}:{:016x}{:016x}", size(), a, b);
}

Shape IndexMap::shape(std::span<const Shape> in) const {
  std::uint64_t count = 0;
  for (const Shape& one : in) count += elements(one);
  if (indices.size() != elements(out)) {
    throw std::invalid_argument(fmt::format("it has {} indices, accepted is one per element of its shape {}, {}",
                                            indices.size(), to_string(out), elements(out)));
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] == kFill || indices[i] < count) continue;
    throw std::invalid_argument(
        fmt::format("its index {} is {}, accepted are those of {} elements", i, indices[i], count));
  }
  return out;
}

SharedRows IndexMap::rows(const Operator& op, std::size_t input) const {
  const auto [first, last] = numbers_of(op, input);
  // Outputs sorted by the input that they take, as CSR.
  auto start = std::make_shared<std::vector<std::uint32_t>>(last - first + 1);
  for (const std::uint32_t from : *indices.numbers) {
    if (from >= first && from < last) ++(*start)[from - first + 1];
  }
  for (std::size_t i = 1; i < start->size(); ++i) (*start)[i] += (*start)[i - 1];
  auto outputs = std::make_shared<std::vector<std::uint32_t>>(start->back());
  std::vector<std::uint32_t> next(start->begin(), start->end() - 1);
  for (std::size_t o = 0; o < indices.size(); ++o) {
    const std::uint32_t from = indices[o];
    if (from >= first && from < last) (*outputs)[next[from - first]++] = static_cast<std::uint32_t>(o);
  }
  return {{}, static_cast<std::uint32_t>(last - first), [=](std::uint32_t r, std::vector<std::uint32_t>& columns) {
            columns.insert(columns.end(), outputs->begin() + (*start)[r], outputs->begin() + (*start)[r + 1]);
          }};
}

std::uint64_t IndexMap::entries(const Operator& op, std::size_t input) const {
  const auto range = numbers_of(op, input);
  return static_cast<std::uint64_t>(std::ranges::count_if(
      *indices.numbers, [&](std::uint32_t from) { return from >= range.first && from < range.second; }));
}

std::uint64_t IndexMap::baseline_flops(const Operator& op, std::size_t input) const {
  const auto [first, last] = numbers_of(op, input);
  std::vector<bool> is_taken(last - first);
  std::uint64_t repeated = 0;
  for (const std::uint32_t from : *indices.numbers) {
    if (from < first || from >= last) continue;
    if (is_taken[from - first]) ++repeated;
    is_taken[from - first] = true;
  }
  return repeated;
}

std::vector<double> IndexMap::value(const Operator&, const OperatorWeights&,
                                    std::span<const std::span<const double>> inputs) const {
  std::vector<double> all;
  for (const std::span<const double> input : inputs) all.insert(all.end(), input.begin(), input.end());
  std::vector<double> result;
  result.reserve(indices.size());
  for (const std::uint32_t from : *indices.numbers) result.push_back(from == kFill ? fill : all[from]);
  return result;
}

}  // namespace upsweep
