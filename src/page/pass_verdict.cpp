#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "html.hpp"
#include "upsweep/report/format.hpp"
#include "verdict.hpp"
#include "verdict_words.hpp"

namespace upsweep {
namespace {

/// What methods of a recurrent model are compared by.
struct PassBasis {
  std::string_view what;
  bool is_seconds = true;
  double same = kSamePrediction;               ///< see faster_text()
  double (*of)(const PassRow& row) = nullptr;  ///< > 0, or NaN
};

double total_or_nan(const std::optional<PassSeconds>& seconds) {
  return seconds && seconds->total() > 0 ? seconds->total() : NAN;
}

/// Measured times where there are any, else predicted ones, else counts: figures of one kind are compared only. Null
/// where there is nothing of these.
const PassBasis* basis_of(const PassRecord& record) {
  static constexpr std::array kBases = {
      PassBasis{"measured for a backward pass", true, kSameMeasurement,
                [](const PassRow& row) { return total_or_nan(row.measured); }},
      PassBasis{"predicted for a backward pass", true, kSamePrediction,
                [](const PassRow& row) { return total_or_nan(row.predicted); }},
      PassBasis{"FLOPs on the longest worker, for one sequence", false, kSamePrediction, [](const PassRow& row) {
                  const double flops = row.makespan_flops.value_or(0);
                  return flops > 0 ? flops : NAN;
                }}};
  const auto found = std::ranges::find_if(kBases, [&](const PassBasis& basis) {
    return std::ranges::any_of(record.passes, [&](const PassRow& row) { return basis.of(row) > 0; });
  });
  return found == kBases.end() ? nullptr : &*found;
}

/// Back-propagation through time, or whatever else comes first; null where it did not run or is wrong.
const PassRow* plain_pass(const PassRecord& record) {
  const auto found = std::ranges::find_if(record.passes, [](const PassRow& row) {
    return row.method == "bptt" || row.method == "linear" || row.method == "hybrid:0";
  });
  const PassRow* plain = found != record.passes.end() ? &*found : record.passes.empty() ? nullptr : &record.passes[0];
  return plain == nullptr || plain->failure || plain->mismatch ? nullptr : plain;
}

}  // namespace

RecordedOutcome recorded_outcome(const PassRecord& record) {
  const PassBasis* basis = basis_of(record);
  RecordedOutcome outcome;
  outcome.plain = plain_pass(record);
  if (basis == nullptr) return outcome;
  for (const PassRow& row : record.passes) {
    const double value = basis->of(row);
    if (row.failure || row.mismatch || !(value > 0)) continue;
    if (outcome.best == nullptr || value < basis->of(*outcome.best)) outcome.best = &row;
  }
  if (outcome.best != nullptr && outcome.plain != nullptr)
    outcome.ratio = basis->of(*outcome.best) / basis->of(*outcome.plain);
  return outcome;
}

std::string passes_verdict(const PassRecord& record) {
  const PassBasis* basis = basis_of(record);
  const auto wrong = std::ranges::count_if(record.passes, [](const PassRow& row) { return row.mismatch.has_value(); });
  std::string text;
  if (wrong > 0) text = fmt::format("{} of {} methods gave WRONG gradients. ", wrong, record.passes.size());
  const auto [best, plain, ratio] = recorded_outcome(record);
  if (best == nullptr) {
    const auto chosen =
        std::ranges::find_if(record.passes, [](const PassRow& row) { return row.best.value_or(false); });
    if (chosen != record.passes.end()) return text + fmt::format("The best is {}.", shortened(chosen->method));
    return text + fmt::format("{} methods were counted.", record.passes.size());
  }
  const auto amount = [&](double value) { return basis->is_seconds ? short_seconds(value) : short_count(value); };
  const double value = basis->of(*best);
  const auto compared = std::ranges::count_if(
      record.passes, [&](const PassRow& row) { return !row.failure && !row.mismatch && basis->of(row) > 0; });
  const bool is_of_machine = basis->is_seconds && !best->measured && !record.machine.empty();
  text += fmt::format("{} on {}: {} with {} {}", basis->is_seconds ? "Fastest" : "Best",
                      is_of_machine ? shortened(record.machine) : workers_text(record.workers), shortened(best->method),
                      amount(value), basis->what);
  if (best == plain) {
    text += compared > 1 ? ": no scan is faster" : "; there is nothing to compare it with";
  } else if (ratio > 0) {
    text += fmt::format(", {} of {} ({}): {}", short_ratio(ratio), shortened(plain->method), amount(basis->of(*plain)),
                        faster_text(ratio, basis->same));
  }
  const auto one_kernel = std::ranges::find(record.passes, "blocked:1", &PassRow::method);
  if (best != plain && one_kernel != record.passes.end() && &*one_kernel != best && basis->of(*one_kernel) > 0) {
    const double alone = basis->of(*one_kernel);
    text += fmt::format("; beside blocked:1, which does the same steps without a launch for each ({}): {}",
                        amount(alone), faster_text(value / alone, basis->same));
  }
  return text + ".";
}

}  // namespace upsweep
