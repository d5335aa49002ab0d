#include "range_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "range_structures.hpp"

namespace upsweep {

void ProductPlan::add(const Schedule& schedule, std::span<const ValueRange> ranges) {
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const ValueRange range = ranges[schedule.value_of(id)];
    if (range.first == 0) continue;  // a vector
    const ValueRange earlier = ranges[schedule.combines[id].earlier];
    const auto [known, is_new] = ranges_.emplace(key(range), splits_of_.size());
    if (is_new) splits_of_.emplace_back();
    std::vector<std::size_t>& mine = splits_of_[known->second];
    bool have = false;
    for (const std::size_t s : mine) have = have || splits_[s].split == earlier.last;
    if (have) continue;
    mine.push_back(splits_.size());
    splits_.push_back({range, earlier.last});
  }
}

std::size_t ProductPlan::split_number(ValueRange range, std::uint32_t split) const {
  for (const std::size_t s : splits_of_[range_number(range)]) {
    if (splits_[s].split == split) return s;
  }
  throw std::logic_error(fmt::format("no product over [{}, {}] splits after {}", range.first, range.last, split));
}

/// Range numbers by ascending ends and, with one end, the shorter first: what was computed last is needed next, and
/// nothing waits for another schedule.
std::vector<std::size_t> ProductPlan::by_ends() const {
  const auto range_of = [&](std::size_t number) { return splits_[splits_of_[number].front()].range; };
  std::vector<std::size_t> numbers(splits_of_.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    const ValueRange x = range_of(a);
    const ValueRange y = range_of(b);
    return x.last != y.last ? x.last < y.last : x.first > y.first;
  });
  return numbers;
}

ProductPlan::Counts ProductPlan::count(const JacobianChain& chain) const {
  Counts counts{std::vector<std::uint64_t>(splits_of_.size()), std::vector<std::uint64_t>(splits_of_.size()),
                std::vector<ProductSteps>(splits_of_.size()), std::vector<ProductCounts>(splits_.size())};
  RangeStructures structures(chain);
  for (const std::vector<std::size_t>& mine : splits_of_) structures.need(splits_[mine.front()].range);
  for (const Split& split : splits_) {
    structures.need(split.earlier());
    structures.need(split.later());
  }
  structures.choose_splits();
  for (const std::size_t number : by_ends()) {
    const auto [nnz, max_row_nnz, vector_steps] = structures.summary(splits_[splits_of_[number].front()].range);
    counts.nnz[number] = nnz;
    counts.max_row_nnz[number] = max_row_nnz;
    counts.vector_steps[number] = vector_steps;
    for (const std::size_t s : splits_of_[number]) {
      const std::shared_ptr<const Pattern> later = structures.take(splits_[s].later());
      counts.products[s] = count_products(*later, *structures.take(splits_[s].earlier()));
      // The sums are those of the result, whichever split it came from.
      ProductSteps& steps = counts.products[s].steps;
      steps.single_sums = steps.scaled() == 0 ? vector_steps.single_steps : 0;
      steps.team_sums = steps.scaled() == 0 ? vector_steps.team_steps : 0;
    }
  }
  return counts;
}

}  // namespace upsweep
