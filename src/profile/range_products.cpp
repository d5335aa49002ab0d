#include "range_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "range_structures.hpp"
#include "row_estimates.hpp"
#include "row_products.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

void ProductPlan::add(const Schedule& schedule, std::span<const ValueRange> ranges) {
  const std::size_t number = terms_.size();
  Terms& terms = terms_.emplace_back();
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const ValueRange range = ranges[schedule.value_of(id)];
    if (range.first == 0) {
      const ValueRange matrix = ranges[schedule.combines[id].later];
      if (matrix.first == matrix.last) {
        terms.vector_elements.push_back(matrix.first);
      } else {
        terms.vector_ranges.push_back(matrix);
      }
      continue;
    }
    const ValueRange earlier = ranges[schedule.combines[id].earlier];
    const auto [known, is_new] = ranges_.emplace(key(range), splits_of_.size());
    if (is_new) splits_of_.emplace_back();
    std::vector<std::size_t>& mine = splits_of_[known->second];
    const auto known_split =
        std::ranges::find_if(mine, [&](std::size_t s) { return splits_[s].split == earlier.last; });
    if (known_split == mine.end()) {
      mine.push_back(splits_.size());
      splits_.push_back({range, earlier.last, {number}});
      terms.splits.push_back(mine.back());
      continue;
    }
    terms.splits.push_back(*known_split);
    if (std::vector<std::size_t>& users = splits_[*known_split].users; users.back() != number) users.push_back(number);
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

namespace {

/// Whether a schedule among `users` still goes on.
bool is_needed(const std::vector<std::size_t>& users, const std::vector<ProductPlan::Spent>& spent) {
  return std::ranges::any_of(users, [&](std::size_t user) { return !spent[user].refusal; });
}

void refuse(const std::vector<std::size_t>& users, const RefusedProduct& refusal,
            std::vector<ProductPlan::Spent>& spent) {
  for (const std::size_t user : users) {
    if (!spent[user].refusal) spent[user].refusal = refusal;
  }
}

}  // namespace

/// Matched pairs of a split, of which structures are looked at, not made, where they are there already.
void ProductPlan::count_split(std::size_t number, RangeStructures& structures, WorkMeter& meter,
                              std::vector<Spent>& spent, Counts& counts) const {
  const Split& split = splits_[number];
  // Two elements of the array are there whatever was refused: their count makes the schedule's bound larger.
  const bool is_there = split.range.last == split.range.first + 1;
  if (!is_there && !is_needed(split.users, spent)) {
    structures.forgo(split.later());
    structures.forgo(split.earlier());
    return;
  }
  std::shared_ptr<const Pattern> later;
  try {
    later = structures.take(split.later(), &meter);
  } catch (const RefusedProduct& refusal) {
    structures.forgo(split.earlier());
    return refuse(split.users, refusal, spent);
  }
  try {
    counts.products[number] = count_products(*later, *structures.take(split.earlier(), &meter), &meter);
    counts.is_split_known[number] = true;
  } catch (const RefusedProduct& refusal) {
    refuse(split.users, refusal, spent);
  } catch (const WorkLimitReached& limit) {
    refuse(split.users, RefusedProduct(split.range, false, limit.steps()), spent);
  } catch (const OutOfRoom& room) {
    refuse(split.users, RefusedProduct(split.range, true, room.held()), spent);
  }
}

/// A range and its splits: these first, whose matched pairs tell what the product takes even where it is not formed.
void ProductPlan::count_range(std::size_t number, RangeStructures& structures, const CountLimits& limits,
                              std::vector<Spent>& spent, Counts& counts) const {
  const std::vector<std::size_t>& splits = splits_of_[number];
  const ValueRange range = splits_[splits.front()].range;
  std::vector<std::size_t> users;
  for (const std::size_t s : splits) users.insert(users.end(), splits_[s].users.begin(), splits_[s].users.end());
  std::ranges::sort(users);
  users.erase(std::unique(users.begin(), users.end()), users.end());
  std::uint64_t left = 0;
  for (const std::size_t user : users) {
    if (!spent[user].refusal) left = std::max(left, limits.pairs - std::min(limits.pairs, spent[user].pairs));
  }
  WorkMeter meter(left, limits.stop);
  for (const std::size_t s : splits) count_split(s, structures, meter, spent, counts);
  if (!is_needed(users, spent)) return structures.forgo(range);
  try {
    const auto [nnz, max_row_nnz, vector_steps] = structures.summary(range, &meter);
    counts.nnz[number] = nnz;
    counts.max_row_nnz[number] = max_row_nnz;
    counts.vector_steps[number] = vector_steps;
    counts.is_range_known[number] = true;
    for (const std::size_t s : splits) {
      // The sums are those of the result, whichever split it came from.
      ProductSteps& steps = counts.products[s].steps;
      steps.single_sums = steps.scaled() == 0 ? vector_steps.single_steps : 0;
      steps.team_sums = steps.scaled() == 0 ? vector_steps.team_steps : 0;
    }
  } catch (const RefusedProduct& refusal) {
    refuse(users, refusal, spent);
  }
  for (const std::size_t user : users) {
    if (!spent[user].refusal) add_to(spent[user].pairs, meter.done());
  }
}

void ProductPlan::count_structures(const JacobianChain& chain, const CountLimits& limits, std::vector<Spent>& spent,
                                   Counts& counts) const {
  RangeStructures structures(chain);
  for (const std::vector<std::size_t>& mine : splits_of_) structures.need(splits_[mine.front()].range);
  for (const Split& split : splits_) {
    structures.need(split.earlier());
    structures.need(split.later());
  }
  structures.choose_splits();
  std::size_t done = 0;
  for (const std::size_t number : by_ends()) {
    if (limits.progress) limits.progress(++done, splits_of_.size());
    count_range(number, structures, limits, spent, counts);
  }
}

/// Of the rows of all elements and the structures of all ranges, these by the longest rows of the elements.
std::uint64_t ProductPlan::structure_bytes_bound(const JacobianChain& chain) const {
  double bytes = 0;
  for (const std::shared_ptr<const Pattern>& element : chain.jacobians) {
    bytes += static_cast<double>(element->nnz()) * sizeof(Index) +
             static_cast<double>(element->rows()) * sizeof(std::uint64_t);
  }
  for (std::size_t number = 0; number < splits_of_.size(); ++number) {
    const ValueRange whole = range(number);
    double longest = 1;
    for (std::uint32_t position = whole.last; position >= whole.first; --position) {
      const Pattern& element = *chain.jacobians[position - 1];
      longest = std::min<double>(element.cols(), longest * static_cast<double>(element.max_row_nnz()));
    }
    bytes += chain.jacobians[whole.last - 1]->rows() * (longest * sizeof(Index) + sizeof(std::uint64_t));
  }
  return static_cast<std::uint64_t>(std::min(bytes, 0x1p62));
}

/// Counts by structures where these are likely to fit: products that are made serve all later ones, where walks begin
/// anew. False where that turns out to be much for a schedule that walks may still count; counts are of no use then.
bool ProductPlan::count_small_structures(const JacobianChain& chain, const CountLimits& limits,
                                         std::vector<Spent>& spent, Counts& counts) const {
  // A bound of its own: counts are the same both ways, but steps of planned products may differ, and times with them.
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 33;
  if (limits.formed_pairs == 0 || structure_bytes_bound(chain) > std::min(kMostBytes, memory_left() / 2)) return false;
  std::uint64_t most = 0;
  for (const Spent& mine : spent) most = std::max(most, mine.pairs);
  CountLimits small = limits;
  small.pairs = std::min(limits.pairs, most + limits.formed_pairs);
  std::vector<Spent> tried = spent;
  JacobianChain plain = chain;  // whose rows products read again and again
  for (std::shared_ptr<const Pattern>& element : plain.jacobians) {
    if (limits.stop != nullptr && *limits.stop) throw Interrupted();
    if (!splits_.empty() && element->classes() != nullptr) element = std::make_shared<const Pattern>(in_rows(*element));
  }
  count_structures(plain, small, tried, counts);
  for (std::size_t user = 0; user < spent.size(); ++user) {
    const std::optional<RefusedProduct>& refusal = tried[user].refusal;
    const bool is_final = small.pairs == limits.pairs && !limits.estimate;
    if (refusal && !spent[user].refusal && (refusal->is_memory() || !is_final)) return false;
  }
  spent = std::move(tried);
  return true;
}

ProductPlan::Counts ProductPlan::nothing_known() const {
  const std::size_t ranges = splits_of_.size();
  return {std::vector<std::uint64_t>(ranges), std::vector<std::uint64_t>(ranges),
          std::vector<ProductSteps>(ranges),  std::vector<ProductCounts>(splits_.size()),
          std::vector<bool>(ranges),          std::vector<bool>(splits_.size())};
}

ProductPlan::Counts ProductPlan::count(const JacobianChain& chain, const CountLimits& limits, std::vector<Spent>& spent,
                                       std::size_t input) const {
  Counts counts = nothing_known();
  if (limits.estimate) {
    // What one chain refused may be counted at another.
    for (Spent& mine : spent) mine.refusal.reset();
  }
  std::optional<RowProducts> rows;
  if (!chain.is_at_input) {
    count_structures(chain, limits, spent, counts);
  } else if (!count_small_structures(chain, limits, spent, counts)) {
    counts = nothing_known();
    counts.by_rows = true;
    rows.emplace(chain, *this, limits.estimate.has_value());
    rows->count(limits, spent, counts);
  }
  const auto is_refused = [](const Spent& mine) { return mine.refusal.has_value(); };
  if (!limits.estimate || std::ranges::none_of(spent, is_refused)) return counts;
  try {
    if (!rows) {
      rows.emplace(chain, *this, true);
      rows->count_selected(counts);
    }
    RowEstimates(*rows, *limits.estimate, input).add_to(counts, spent, limits.stop);
  } catch (const OutOfRoom&) {
    // Nothing is estimated then: what was refused stays so.
  }
  return counts;
}

bool ProductPlan::has_all(std::size_t schedule, const Counts& counts) const {
  const auto has = [](const std::vector<bool>& known, const std::vector<bool>& estimated, std::size_t number) {
    return known[number] || (!estimated.empty() && estimated[number]);
  };
  return std::ranges::all_of(terms_[schedule].splits, [&](std::size_t split) {
    return has(counts.is_split_known, counts.is_split_estimated, split) &&
           has(counts.is_range_known, counts.is_range_estimated, range_number(splits_[split].range));
  });
}

}  // namespace upsweep
