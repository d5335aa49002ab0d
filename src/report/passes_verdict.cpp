#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "passes_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep {
namespace {

constexpr double kMostDrift = 1.15;

/// "up arithmetic, down bandwidth".
std::string bounds_text(const PassPrediction& prediction) {
  const std::vector<std::pair<const char*, TimeBound>> phases = {{"Jacobians", prediction.bounds.jacobians},
                                                                 {"up", prediction.bounds.up},
                                                                 {"middle", prediction.bounds.middle},
                                                                 {"down", prediction.bounds.down}};
  std::string text;
  for (const auto& [phase, bound] : phases) {
    if (bound == TimeBound::nothing) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase,
                        bound == TimeBound::memory ? to_string(Binding::bandwidth) : to_string(bound));
  }
  return text;
}

/// The fastest of the passes that are right and scans, or of those that are none.
std::optional<std::size_t> fastest(const std::vector<PassOutcome>& passes, bool scans) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (!passes[i].ran() || passes[i].mismatch() || is_scan(passes[i].request.method) != scans) continue;
    if (!best || passes[i].times.total() < passes[*best].times.total()) best = i;
  }
  return best;
}

/// The fastest scan beside the fastest that is none, as measured and as predicted.
std::string compared_text(const PassesReport& report, const Verdict& verdict, std::size_t scan, std::size_t plain) {
  const PassOutcome& fast = report.validation.passes[scan];
  const PassOutcome& other = report.validation.passes[plain];
  const double ratio = fast.times.total() / other.times.total();
  const std::string standing = !verdict.is_decided ? "nothing follows, as this machine changed its speed"
                               : standing_of(ratio, verdict.same) == Standing::gains_nothing
                                   ? "too close to call on a shared machine"
                                   : pays_text(ratio, verdict.same);
  std::string text =
      fmt::format("{} is {}, the fastest that is no scan ({} against {}): {}; it does {} its FLOPs",
                  to_string(fast.request.method), speed_text(ratio, to_string(other.request.method)),
                  short_seconds(fast.times.total()), short_seconds(other.times.total()), standing,
                  short_ratio(static_cast<double>(fast.flops.total()) / static_cast<double>(other.flops.total())));
  if (report.predictions[scan] && report.predictions[plain]) {
    const double predicted = *predicted_seconds(report, scan) / *predicted_seconds(report, plain);
    text += fmt::format(" (predicted: {}, {:+.1f} %)", speed_text(predicted), 100 * (ratio / predicted - 1));
  }
  return text;
}

}  // namespace

std::optional<double> predicted_seconds(const PassesReport& report, std::size_t i) {
  return report.predictions[i] ? std::optional(report.predictions[i]->times.total()) : std::nullopt;
}

bool changed_speed(const PassesReport& report) {
  const auto changed = [](const std::optional<double>& drift) {
    return drift && (*drift > kMostDrift || *drift < 1 / kMostDrift);
  };
  return changed(report.validation.drift) || changed(report.rates_drift);
}

std::optional<double> ratio_to_baseline(const PassesReport& report, std::size_t i) {
  const auto& passes = report.validation.passes;
  if (!passes.front().ran() || !passes[i].ran() || !(passes.front().times.total() > 0)) return std::nullopt;
  return passes[i].times.total() / passes.front().times.total();
}

std::optional<double> iteration_ratio(const PassesReport& report, std::size_t i) {
  const auto& passes = report.validation.passes;
  const OuterOutcome* const outer = report.validation.outer_of(report.backend);
  if (outer == nullptr || !outer->parameters_s || !passes.front().ran() || !passes[i].ran()) return std::nullopt;
  const double other = outer->forward_s + *outer->parameters_s;
  return (other + passes[i].times.total()) / (other + passes.front().times.total());
}

Verdict passes_verdict(const PassesReport& report) {
  const auto& passes = report.validation.passes;
  Verdict verdict;
  verdict.same = kMostDrift - 1;
  verdict.is_decided = !changed_speed(report);
  const auto wrong = std::ranges::count_if(passes, [](const PassOutcome& pass) { return !!pass.mismatch(); });
  if (wrong > 0)
    verdict.sentences.push_back(fmt::format("{} of {} passes gave WRONG gradients.", wrong, passes.size()));
  const std::optional<std::size_t> scan = fastest(passes, true);
  const std::optional<std::size_t> plain = fastest(passes, false);
  if (!plain) {
    verdict.sentences.emplace_back("No pass that is no scan ran and was right: there is nothing to compare with.");
    return verdict;
  }
  const double plain_s = passes[*plain].times.total();
  const std::string name = to_string(passes[*plain].request.method);
  verdict.baselines = {{"sparse-bp", plain_s, true}};
  verdict.frame = VerdictFrame{.workers = report.workers,
                               .machine = report.device.device,
                               .batch = report.model.batch,
                               .input = "sequence",
                               .execution = to_string(Execution::level),
                               .pattern = to_string(PatternKind::guaranteed),
                               .priced_by = "measured"};
  const std::string on = fmt::format("On {}", frame_text(*verdict.frame));
  if (!scan) {
    verdict.is_decided = false;
    verdict.sentences.push_back(standing_sentence(
        verdict, on,
        fmt::format("the fastest is {} with {}; no scan ran and was right", name, short_seconds(plain_s))));
    return verdict;
  }
  Baseline& baseline = verdict.baselines.front();
  baseline.best_scan = to_string(passes[*scan].request.method);
  baseline.scan_score = passes[*scan].times.total();
  verdict.sentences.push_back(standing_sentence(verdict, on, compared_text(report, verdict, *scan, *plain)));
  if (verdict.pays() == Pays::yes) {
    // What is planned once, beyond what the pass that is no scan plans.
    const double planned = passes[*scan].plan_seconds - passes[*plain].plan_seconds;
    verdict.payback = Payback{baseline.best_scan, plain_s - baseline.scan_score, std::max(0.0, planned)};
    verdict.sentences.push_back(
        payback_text(*verdict.payback, fmt::format("what planning takes more than that of {}", name)));
  }
  if (const auto& predicted = report.predictions[*scan])
    verdict.sentences.push_back(fmt::format("What binds it, by the prediction: {}.", bounds_text(*predicted)));
  if (const auto whole = iteration_ratio(report, *scan)) {
    verdict.sentences.push_back(fmt::format("A whole iteration (forward, backward, parameters) is {}.",
                                            speed_text(*whole, "one by " + to_string(passes.front().request.method))));
  }
  return verdict;
}

}  // namespace upsweep
