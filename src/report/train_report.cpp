#include "upsweep/report/train_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "curve_plot.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/scheme.hpp"

namespace upsweep {
namespace {

/// A mean over the iterations of a curve; nothing without any.
std::optional<double> per_iteration(const LossCurve& curve, double seconds) {
  if (curve.loss.empty()) return std::nullopt;
  return seconds / static_cast<double>(curve.loss.size());
}

/// How many times as fast as the reference; nothing where one of them has no time.
std::optional<double> speedup(const std::optional<double>& reference, const std::optional<double>& value) {
  if (!reference || !value || !(*value > 0)) return std::nullopt;
  return *reference / *value;
}

std::string difference_text(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

/// How far a curve is from the reference, in five columns.
std::vector<Value> difference_cells(const TrainResult& result, std::size_t index) {
  if (result.curves[index].failure) return {"ended early", "-", "-", "-", "-"};
  if (index == 0) return {"reference", "-", "-", "-", "-"};
  if (!result.differences[index]) return {"-", "-", "-", "-", "-"};
  const CurveDifference& difference = *result.differences[index];
  const std::optional<double>& weights = result.weight_differences[index];
  return {difference_text(difference.largest),
          difference.largest == 0 ? "-" : fmt::format("{}", difference.largest_at + 1),
          difference_text(difference.largest_relative), difference_text(difference.first_relative),
          weights ? difference_text(*weights) : "-"};
}

/// How many iterations are the first ones of the differences.
std::size_t first_iterations(const TrainResult& result) {
  for (const auto& difference : result.differences) {
    if (difference) return difference->first_iterations;
  }
  return CurveDifference::kFirst;
}

Document losses_document(const TrainReport& report) {
  const std::size_t last = last_iterations(report.result.longest());
  std::vector<std::vector<Value>> rows;
  for (std::size_t c = 0; c < report.result.curves.size(); ++c) {
    const LossCurve& curve = report.result.curves[c];
    std::vector<Value> cells = {curve.backward, Value(), Value(), Value()};
    if (!curve.loss.empty()) {
      cells[1] = fmt::format("{:.6f}", curve.loss.front());
      cells[2] = fmt::format("{:.6f}", mean_of_last(curve.loss, last));
      cells[3] = mean_of_last(curve.accuracy, last);
    }
    for (Value& cell : difference_cells(report.result, c)) cells.push_back(std::move(cell));
    rows.push_back(std::move(cells));
  }
  Document document;
  document
      .show({"",
             {{"", "backward", Unit::text},
              {"", "first loss", Unit::exact},
              {"", "last loss", Unit::exact},
              {"", "accuracy", Unit::share},
              {"", "largest difference", Unit::exact},
              {"", "at iteration", Unit::exact},
              {"", "relative", Unit::exact},
              {"", fmt::format("in the first {}", first_iterations(report.result)), Unit::exact},
              {"", "weights differ", Unit::exact}},
             std::move(rows)})
      .say(last == 1 ? "Last loss and accuracy are those of the last iteration's batch.\n"
                     : fmt::format("Last loss and accuracy are means over the last {} iterations.\n", last));
  for (const LossCurve& curve : report.result.curves) {
    if (curve.failure) document.say(fmt::format("Ended early: {}\n", *curve.failure));
  }
  return document;
}

/// Seconds of an iteration by phase.
Document times_document(const TrainReport& report) {
  const auto& curves = report.result.curves;
  const LossCurve& first = curves.front();
  using Item = const LossCurve*;
  const auto each = [](std::string head, auto of) {
    return Field<Item>("", std::move(head), Unit::seconds,
                       [of](Item curve) { return per_iteration(*curve, std::invoke(of, curve->seconds)); });
  };
  const auto faster = [&first](std::string head, auto of) {
    return Field<Item>("", std::move(head), Unit::speedup, [&first, of](Item curve) {
      return Value(speedup(per_iteration(first, std::invoke(of, first.seconds)),
                           per_iteration(*curve, std::invoke(of, curve->seconds))));
    });
  };
  Document document;
  document.show({"", each_of(curves),
                 std::vector<Field<Item>>{{"", "per iteration", Unit::text, &LossCurve::backward},
                                          each("data", &PhaseTimes::data),
                                          each("forward", &PhaseTimes::forward),
                                          each("backward", &PhaseTimes::backward),
                                          each("parameters", &PhaseTimes::parameters),
                                          each("update", &PhaseTimes::update),
                                          each("all", &PhaseTimes::total),
                                          faster("speed-up of backward", &PhaseTimes::backward),
                                          faster("of all", &PhaseTimes::total)}});
  if (curves.size() == 1) return document;
  return std::move(document.say(fmt::format("Speed-ups are over {}; above 1 is faster.\n", first.backward)));
}

/// Iterations, from 1, and the loss of each backward pass; nothing from where a curve ended early.
Table losses_table(const TrainReport& report) {
  using Item = std::size_t;
  std::vector<Field<Item>> fields = {{"iteration", {}, Unit::exact, [](Item i) { return i + 1; }}};
  for (const LossCurve& curve : report.result.curves) {
    fields.emplace_back(curve.backward, std::nullopt, Unit::exact,
                        [&curve](Item i) { return i < curve.loss.size() ? Value(curve.loss[i]) : Value(); });
  }
  return {"", numbered(report.result.longest()), std::move(fields)};
}

/// The curves in letters, and what the marks mean.
std::string plot(const TrainResult& result) {
  if (result.longest() == 0) return "No iteration was finished: there is no curve.\n";
  const std::vector<LossCurve>& curves = result.curves;
  std::string text = curve_plot(curves);
  if (curves.size() == 1) return text + fmt::format("* {}\n", curves.front().backward);
  text += "* all of them";
  for (std::size_t c = 0; c < curves.size(); ++c)
    text += fmt::format(", {} {}", c < 9 ? fmt::format("{}", c + 1) : "+", curves[c].backward);
  return text + '\n';
}

Json phases_json(const PhaseTimes& times) {
  return {{"data", times.data},         {"forward", times.forward},
          {"backward", times.backward}, {"parameters", times.parameters},
          {"update", times.update},     {"total", times.total()}};
}

/// Nothing where one of the two curves ended early.
Json difference_json(const TrainResult& result, std::size_t index) {
  if (!result.differences[index]) return {};
  const CurveDifference& difference = *result.differences[index];
  const std::optional<double>& weights = result.weight_differences[index];
  return {{"largest", difference.largest},
          {"largest_at", difference.largest_at + 1},
          {"largest_relative", difference.largest_relative},
          {"first_relative", difference.first_relative},
          {"first_iterations", difference.first_iterations},
          {"weights_relative", weights ? Json(*weights) : Json()}};
}

Json curve_json(const TrainReport& report, std::size_t index) {
  const TrainResult& result = report.result;
  const LossCurve& curve = result.curves[index];
  const LossCurve& first = result.curves.front();
  const auto over_first = [&](double reference, double seconds) {
    return json_of(speedup(per_iteration(first, reference), per_iteration(curve, seconds)));
  };
  Json object = {{"backward", curve.backward},
                 {"failed", curve.failure ? Json(*curve.failure) : Json()},
                 {"loss", curve.loss},
                 {"accuracy", curve.accuracy},
                 {"seconds", phases_json(curve.seconds)},
                 {"speedup",
                  {{"backward", over_first(first.seconds.backward, curve.seconds.backward)},
                   {"total", over_first(first.seconds.total(), curve.seconds.total())}}},
                 {"difference", difference_json(result, index)}};
  if (!result.pass_seconds.empty()) {
    const ScanTimes& times = result.pass_seconds[index];
    object["pass_seconds"] = {
        {"jacobians", times.jacobians}, {"up", times.up}, {"middle", times.middle}, {"down", times.down}};
  }
  return object;
}

/// Whether a backward pass of a training multiplies Jacobians with each other.
bool is_scan_curve(const LossCurve& curve) {
  const std::string& name = curve.backward;
  if (name == "bp" || name == "bptt" || is_plain_schedule(name)) return false;
  return !name.starts_with("blocked:") || is_scan(parse_backward_method(name));
}

/// The curve with the shortest backward passes among those that are scans, or that are none, and finished.
const LossCurve* fastest_curve(const TrainReport& report, bool scans) {
  const LossCurve* best = nullptr;
  const auto each = [](const LossCurve& curve) { return per_iteration(curve, curve.seconds.backward); };
  for (const LossCurve& curve : report.result.curves) {
    if (curve.failure || is_scan_curve(curve) != scans || !(each(curve) > 0)) continue;
    if (best == nullptr || each(curve) < each(*best)) best = &curve;
  }
  return best;
}

Json facts_json(const TrainReport& report) {
  Json curves = Json::array();
  for (std::size_t c = 0; c < report.result.curves.size(); ++c) curves.push_back(curve_json(report, c));
  return {{"name", report.spec.name},
          {"model", {{"name", report.model}, {"description", report.description}, {"content_hash", report.model_hash}}},
          {"dtype", report.value_bytes == 8 ? "fp64" : "fp32"},
          {"parameters", report.parameters},
          {"data", {{"kind", kind_of(report.spec.data)}, {"samples", report.samples}}},
          {"optimizer", to_string(report.spec.optimizer)},
          {"batch", report.batch},
          {"steps", report.steps == 0 ? Json() : Json(report.steps)},
          {"iterations", report.spec.iterations},
          {"shuffle_seed", report.spec.shuffle_seed},
          {"backend", report.spec.backend},
          {"device", report.device},
          {"driver", report.driver},
          {"workers", report.workers},
          {"curves", curves},
          {"notes", report.result.notes}};
}

/// What happens to given features before they are trained with, a line; empty where nothing does.
std::string normalized_text(const TrainReport& report) {
  const auto* features = std::get_if<FeatureData>(&report.spec.data);
  if (features == nullptr || !features->is_normalized) return "";
  return "Every coefficient of a sequence is shifted and scaled to mean 0 and variance 1; normalize: false leaves "
         "it.\n";
}

}  // namespace

Verdict train_verdict(const TrainReport& report) {
  Verdict verdict;
  verdict.same = kSameMeasurement;
  const LossCurve* plain = fastest_curve(report, false);
  const LossCurve* scan = fastest_curve(report, true);
  verdict.is_decided = plain != nullptr && scan != nullptr;
  if (plain == nullptr) {
    verdict.sentences = {"No training by a pass that is no scan came to its end: there is nothing to compare with."};
    return verdict;
  }
  verdict.baselines = {{"sparse-bp", *per_iteration(*plain, plain->seconds.backward), true}};
  Baseline& baseline = verdict.baselines.front();
  std::string amounts = short_seconds(baseline.score);
  if (scan != nullptr) {
    baseline.best_scan = scan->backward;
    baseline.scan_score = *per_iteration(*scan, scan->seconds.backward);
    amounts = fmt::format("{} against {}", short_seconds(baseline.scan_score), amounts);
  }
  verdict.frame = VerdictFrame{.workers = report.workers,
                               .machine = report.device,
                               .batch = report.batch,
                               .input = "sample",
                               .execution = to_string(Execution::level),
                               .pattern = report.shape ? "guaranteed" : "",
                               .priced_by = "measured"};
  verdict.sentences = {fmt::format("Backward passes on {}: {} ({} an iteration).", frame_text(*verdict.frame),
                                   comparison_text(baseline, plain->backward, verdict.same), amounts)};
  return verdict;
}

Document document(const TrainReport& report) {
  Document document;
  document.facts([&report] { return facts_json(report); })
      .sheet(losses_table(report))
      .say(fmt::format("{}: {}, {} parameters, fp{}\n", report.spec.name, report.description, report.parameters,
                       8 * report.value_bytes))
      .say(fmt::format("{} iteration{} of {} samples out of {} ({}), {}\n", report.spec.iterations,
                       report.spec.iterations == 1 ? "" : "s", report.batch, report.samples, kind_of(report.spec.data),
                       to_string(report.spec.optimizer)))
      .say(normalized_text(report))
      .say(fmt::format("Backward passes on {} ({}), {} thread{}\n\n", report.spec.backend, report.device,
                       report.workers, report.workers == 1 ? "" : "s"))
      .add(losses_document(report))
      .say("\n")
      .add(times_document(report))
      .say("\n" + plot(report.result));
  for (const std::string& note : report.result.notes) document.say(fmt::format("note: {}\n", note));
  return document;
}

}  // namespace upsweep
