#include "range_products.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {
namespace {

bool is_element(ValueRange range) { return range.first == range.last; }

}  // namespace

void ProductPlan::use(ValueRange range) {
  if (!is_element(range)) ++uses_[range_number(range)];
}

void ProductPlan::add(const Schedule& schedule, std::span<const ValueRange> ranges) {
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const ValueRange range = ranges[schedule.value_of(id)];
    if (range.first == 0) continue;  // a vector
    const ValueRange earlier = ranges[schedule.combines[id].earlier];
    const auto [known, is_new] = ranges_.emplace(key(range), splits_of_.size());
    if (is_new) {
      splits_of_.emplace_back();
      uses_.push_back(0);
    }
    std::vector<std::size_t>& mine = splits_of_[known->second];
    bool have = false;
    for (const std::size_t s : mine) have = have || splits_[s].split == earlier.last;
    if (have) continue;
    mine.push_back(splits_.size());
    splits_.push_back({range, earlier.last, is_new});
    use(earlier);
    use(ranges[schedule.combines[id].later]);
  }
}

std::size_t ProductPlan::split_number(ValueRange range, std::uint32_t split) const {
  for (const std::size_t s : splits_of_[range_number(range)]) {
    if (splits_[s].split == split) return s;
  }
  throw std::logic_error(fmt::format("no product over [{}, {}] splits after {}", range.first, range.last, split));
}

ProductPlan::Counts ProductPlan::count(const JacobianChain& chain) const {
  Counts counts{std::vector<std::uint64_t>(splits_of_.size()), std::vector<ProductSteps>(splits_of_.size()),
                std::vector<ProductCounts>(splits_.size())};
  std::vector<std::shared_ptr<const Pattern>> structures(splits_of_.size());
  std::vector<std::uint32_t> uses_left = uses_;
  const auto operand = [&](ValueRange range) {
    return is_element(range) ? chain.jacobians[range.first - 1] : structures[range_number(range)];
  };
  const auto release = [&](ValueRange range) {
    if (is_element(range)) return;
    const std::size_t number = range_number(range);
    if (--uses_left[number] == 0) structures[number].reset();
  };
  for (std::size_t s = 0; s < splits_.size(); ++s) {
    const Split& split = splits_[s];
    const ValueRange earlier{split.range.first, split.split};
    const ValueRange later{split.split + 1, split.range.last};
    const std::shared_ptr<const Pattern> x = operand(later);
    const std::shared_ptr<const Pattern> y = operand(earlier);
    if (split.computes_structure) {
      const std::size_t number = range_number(split.range);
      Product product = multiply(x, y, uses_[number] > 0 ? Keep::structure : Keep::counts);
      counts.nnz[number] = product.nnz;
      counts.vector_steps[number] = product.vector_steps;
      counts.products[s] = {product.products, product.steps};
      structures[number] = std::move(product.pattern);
    } else {
      counts.products[s] = count_products(*x, *y);
    }
    // The sums are those of the result, whichever split it came from.
    ProductSteps& steps = counts.products[s].steps;
    const ProductSteps& result = counts.vector_steps[range_number(split.range)];
    steps.single_sums = steps.scaled() == 0 ? result.single_steps : 0;
    steps.team_sums = steps.scaled() == 0 ? result.team_steps : 0;
    release(earlier);
    release(later);
  }
  return counts;
}

}  // namespace upsweep
