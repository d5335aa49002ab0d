#include "row_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "row_sample.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/profile/estimate.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kFirstStrata = 2;
constexpr std::size_t kMostRounds = 12;
constexpr std::size_t kMostGrowth = 8;
/// Intervals are aimed at by this share of what is asked for: their widths are estimates, too.
constexpr double kAim = 0.9;

/// A group's part of the FLOPs of a schedule.
struct Term {
  std::size_t sample = 0;
  std::size_t item = 0;
  double weight = 0;
};

double variance(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (count - 1);
}

std::uint64_t rounded(double count) { return static_cast<std::uint64_t>(std::llround(std::max(0., count))); }

}  // namespace

/// The FLOPs of a schedule.
struct RowEstimates::Total {
  double exact = 0;
  std::vector<Term> terms;
};

RowEstimates::RowEstimates(const RowProducts& rows, const EstimateSettings& settings, std::size_t input)
    : rows_(rows), settings_(settings), input_(input) {}

std::vector<RowSample> RowEstimates::unknown(const ProductPlan::Counts& counts) const {
  std::vector<RowSample> samples;
  for (const RowGroup& group : rows_.groups()) {
    if (group.base == 0) continue;
    RowStages stages = row_stages(
        group, rows_.lengths(), [&](std::size_t range) { return !counts.is_range_known[range]; },
        [&](std::size_t split) { return !counts.is_split_known[split]; },
        [&](ValueRange range) {
          const std::uint64_t longest = rows_.longest_row(range, counts);
          return longest == 0 ? 2 : longest;  // not known: some row has several entries, mostly
        });
    if (!stages.stages.empty()) samples.emplace_back(rows_.chain(), group, std::move(stages));
  }
  return samples;
}

std::vector<RowEstimates::Total> RowEstimates::totals(const std::vector<RowSample>& samples,
                                                      const ProductPlan::Counts& counts,
                                                      const std::vector<ProductPlan::Spent>& spent) const {
  std::map<std::size_t, Term> of_range;
  std::map<std::size_t, Term> of_split;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    samples[s].for_each_item([&](std::size_t item, bool is_range, std::size_t number) {
      (is_range ? of_range : of_split)[number] = {s, item, 2};
    });
  }
  const ProductPlan& plan = rows_.plan();
  std::vector<Total> totals;
  for (std::size_t user = 0; user < spent.size(); ++user) {
    if (!spent[user].refusal) continue;
    Total total;
    const auto add = [&](bool is_known, std::uint64_t count, const std::map<std::size_t, Term>& terms,
                         std::size_t number) {
      if (is_known) {
        total.exact += 2 * static_cast<double>(count);
      } else if (const auto term = terms.find(number); term != terms.end()) {
        total.terms.push_back(term->second);
      }
    };
    const auto add_range = [&](std::size_t range) {
      add(counts.is_range_known[range], counts.nnz[range], of_range, range);
    };
    for (const std::size_t split : plan.terms()[user].splits) {
      // The products of a selection of rows are the entries of the result.
      if (!counts.is_split_known[split] && !of_split.contains(split)) {
        add_range(plan.range_number(plan.splits()[split].range));
      } else {
        add(counts.is_split_known[split], counts.products[split].products, of_split, split);
      }
    }
    for (const ValueRange range : plan.terms()[user].vector_ranges) add_range(plan.range_number(range));
    for (const std::uint32_t element : plan.terms()[user].vector_elements)
      total.exact += 2 * static_cast<double>(rows_.chain()[element - 1].pattern().nnz());
    totals.push_back(std::move(total));
  }
  return totals;
}

/// How many strata each sample needs so that the intervals of all totals are as narrow as asked for, at the least work.
std::vector<std::size_t> RowEstimates::strata_for(const std::vector<RowSample>& samples,
                                                  const std::vector<Total>& totals) const {
  std::vector<std::size_t> strata(samples.size());
  for (const Total& total : totals) {
    std::vector<std::vector<double>> parts(samples.size(), std::vector<double>(kSampleGroups));
    double sum = total.exact;
    for (const Term& term : total.terms) {
      for (std::size_t group = 0; group < kSampleGroups; ++group)
        parts[term.sample][group] += term.weight * samples[term.sample].value(term.item, group).main;
      sum += term.weight * samples[term.sample].mean(term.item).main;
    }
    std::vector<double> of_stratum;  // variance, were there one stratum alone
    double all = 0;
    double work = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const double mine = variance(parts[s]) / static_cast<double>(kSampleGroups);
      all += mine;
      of_stratum.push_back(mine * static_cast<double>(samples[s].strata()));
      work += std::sqrt(of_stratum.back() * samples[s].steps_per_walk());
    }
    constexpr double kStudent = 2.04;
    const double accepted = settings_.share * sum / kStudent;
    if (all <= accepted * accepted) continue;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const double mine =
          std::sqrt(of_stratum[s] / samples[s].steps_per_walk()) * work / (accepted * accepted * kAim * kAim);
      strata[s] = std::max(strata[s], static_cast<std::size_t>(std::min(mine, 1e9)) + 1);
    }
  }
  for (std::size_t s = 0; s < samples.size(); ++s)
    strata[s] = std::min({strata[s], samples[s].strata() * kMostGrowth, samples[s].size()});
  return strata;
}

void RowEstimates::write(const std::vector<RowSample>& samples, ProductPlan::Counts& counts) const {
  counts.is_range_estimated.assign(counts.nnz.size(), false);
  counts.is_split_estimated.assign(counts.products.size(), false);
  const auto write_one = [&](const std::function<SampledItem(const RowSample&, std::size_t)>& value,
                             ProductPlan::Counts& into) {
    for (const RowSample& sample : samples) {
      if (sample.strata() == 0) continue;
      sample.for_each_item([&](std::size_t item, bool is_range, std::size_t number) {
        const SampledItem figure = value(sample, item);
        const std::uint64_t longest = sample.longest(item);
        if (is_range) {
          into.nnz[number] = rounded(figure.main);
          into.max_row_nnz[number] = longest;
          into.vector_steps[number] = figure.rounded_steps();
        } else {
          ProductSteps steps = figure.rounded_steps();
          if (longest <= 1) steps = {.teams = rounded(figure.rows), .scaled_rows = rounded(figure.main)};
          into.products[number] = {rounded(figure.main), longest, steps};
        }
      });
    }
    write_selected(counts, into);
    for (std::size_t range = 0; range < into.nnz.size(); ++range) rows_.share_sums(range, into);
  };
  for (const RowSample& sample : samples) {
    if (sample.strata() == 0) continue;
    sample.for_each_item([&](std::size_t, bool is_range, std::size_t number) {
      (is_range ? counts.is_range_estimated : counts.is_split_estimated)[number] = true;
    });
  }
  std::vector<ProductPlan::Counts> without(kSampleGroups, counts);
  write_one([](const RowSample& sample, std::size_t item) { return sample.mean(item); }, counts);
  for (std::size_t group = 0; group < kSampleGroups; ++group)
    write_one([&](const RowSample& sample, std::size_t item) { return sample.without(item, group); }, without[group]);
  for (std::size_t split = 0; split < counts.products.size(); ++split) {
    const std::size_t range = rows_.plan().range_number(rows_.plan().splits()[split].range);
    if (!counts.is_split_known[split] && counts.is_range_estimated[range] && is_selected(split))
      counts.is_split_estimated[split] = true;
  }
  counts.without = std::move(without);
}

bool RowEstimates::is_selected(std::size_t split) const {
  const ProductPlan::Split& mine = rows_.plan().splits()[split];
  return mine.split >= group_of(rows_.groups(), mine.range.last).base;
}

/// Products whose later operand selects rows: as many matched pairs as the result has entries.
void RowEstimates::write_selected(const ProductPlan::Counts& known, ProductPlan::Counts& into) const {
  const ProductPlan& plan = rows_.plan();
  for (std::size_t split = 0; split < plan.splits().size(); ++split) {
    if (known.is_split_known[split] || !is_selected(split)) continue;
    const ValueRange later = plan.splits()[split].later();
    const std::uint64_t rows =
        later.first == later.last ? rows_.chain()[later.first - 1].pattern().nnz() : into.nnz[plan.range_number(later)];
    const std::uint64_t products = into.nnz[plan.range_number(plan.splits()[split].range)];
    into.products[split] = {products, 1, {.teams = rows, .scaled_rows = products}};
  }
}

void RowEstimates::add_to(ProductPlan::Counts& counts, const std::vector<ProductPlan::Spent>& spent,
                          const std::atomic<bool>* stop) const {
  if (std::ranges::none_of(spent, [](const ProductPlan::Spent& mine) { return mine.refusal.has_value(); })) return;
  std::vector<RowSample> samples = unknown(counts);
  WorkMeter meter(settings_.pairs, stop);
  std::size_t round = 0;
  const auto draw = [&](RowSample& sample, std::size_t strata) {
    const std::string stream = fmt::format("rows {} {} {}", input_, sample.base(), round);
    try {
      sample.draw(strata, settings_.seed, stream, meter);
      return true;
    } catch (const WorkLimitReached&) {
      return false;
    }
  };
  bool goes_on = true;
  for (RowSample& sample : samples)
    goes_on = goes_on && draw(sample, std::min(kFirstStrata, std::max<std::size_t>(1, sample.size())));
  const std::vector<Total> all = totals(samples, counts, spent);
  while (goes_on && ++round < kMostRounds) {
    const std::vector<std::size_t> strata = strata_for(samples, all);
    bool has_drawn = false;
    for (std::size_t s = 0; s < samples.size() && goes_on; ++s) {
      if (strata[s] <= samples[s].strata()) continue;
      goes_on = draw(samples[s], strata[s] - samples[s].strata());
      has_drawn = true;
    }
    if (!has_drawn) break;
  }
  write(samples, counts);
}

}  // namespace upsweep
