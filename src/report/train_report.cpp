#include "upsweep/report/train_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "curve_plot.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

/// The last tenth, which a noisy curve is judged by.
std::size_t last_iterations(const LossCurve& curve) { return std::max<std::size_t>(1, curve.loss.size() / 10); }

double mean_of_last(const std::vector<double>& values, std::size_t count) {
  const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
  return std::accumulate(first, values.end(), 0.0) / static_cast<double>(count);
}

std::string ratio_text(double reference, double value) { return value > 0 ? short_ratio(reference / value) : "-"; }

Json ratio_json(double reference, double value) { return value > 0 ? Json(reference / value) : Json(); }

std::string difference_text(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

std::string loss_table(const TrainReport& report) {
  const std::string first_text = fmt::format("{}", report.result.differences.front().first_iterations);
  TextTable table({{"backward", Align::left},
                   {"first loss"},
                   {"last loss"},
                   {"accuracy"},
                   {"largest difference"},
                   {"at iteration"},
                   {"relative"},
                   {"in the first " + first_text},
                   {"weights differ"}});
  for (std::size_t c = 0; c < report.result.curves.size(); ++c) {
    const LossCurve& curve = report.result.curves[c];
    const CurveDifference& difference = report.result.differences[c];
    const std::size_t last = last_iterations(curve);
    const bool is_reference = c == 0;
    table.row({curve.backward, fmt::format("{:.6f}", curve.loss.front()),
               fmt::format("{:.6f}", mean_of_last(curve.loss, last)),
               fmt::format("{:.1f} %", 100 * mean_of_last(curve.accuracy, last)),
               is_reference ? "reference" : difference_text(difference.largest),
               is_reference || difference.largest == 0 ? "-" : fmt::format("{}", difference.largest_at + 1),
               is_reference ? "-" : difference_text(difference.largest_relative),
               is_reference ? "-" : difference_text(difference.first_relative),
               is_reference ? "-" : difference_text(report.result.weight_differences[c])});
  }
  return table.text();
}

std::string time_table(const TrainReport& report) {
  const auto& curves = report.result.curves;
  TextTable table({{"per iteration", Align::left},
                   {"data"},
                   {"forward"},
                   {"backward"},
                   {"parameters"},
                   {"update"},
                   {"all"},
                   {"speed-up of backward"},
                   {"of all"}});
  for (const LossCurve& curve : curves) {
    const auto each = [&](double seconds) { return short_seconds(seconds / static_cast<double>(curve.loss.size())); };
    const PhaseTimes& time = curve.seconds;
    const PhaseTimes& reference = curves.front().seconds;
    table.row({curve.backward, each(time.data), each(time.forward), each(time.backward), each(time.parameters),
               each(time.update), each(time.total()), ratio_text(reference.backward, time.backward),
               ratio_text(reference.total(), time.total())});
  }
  if (curves.size() == 1) return table.text();
  return table.text() + fmt::format("Speed-ups are over {}; above 1 is faster.\n", curves.front().backward);
}

/// What the marks of the plot mean.
std::string plot_legend(const std::vector<LossCurve>& curves) {
  if (curves.size() == 1) return fmt::format("* {}\n", curves.front().backward);
  std::string text = "* all of them";
  for (std::size_t c = 0; c < curves.size(); ++c)
    text += fmt::format(", {} {}", c < 9 ? fmt::format("{}", c + 1) : "+", curves[c].backward);
  return text + '\n';
}

Json phases_json(const PhaseTimes& times) {
  return {{"data", times.data},         {"forward", times.forward},
          {"backward", times.backward}, {"parameters", times.parameters},
          {"update", times.update},     {"total", times.total()}};
}

Json curve_json(const TrainReport& report, std::size_t index) {
  const TrainResult& result = report.result;
  const LossCurve& curve = result.curves[index];
  const PhaseTimes& reference = result.curves.front().seconds;
  const CurveDifference& difference = result.differences[index];
  Json object = {{"backward", curve.backward},
                 {"loss", curve.loss},
                 {"accuracy", curve.accuracy},
                 {"seconds", phases_json(curve.seconds)},
                 {"speedup",
                  {{"backward", ratio_json(reference.backward, curve.seconds.backward)},
                   {"total", ratio_json(reference.total(), curve.seconds.total())}}},
                 {"difference",
                  {{"largest", difference.largest},
                   {"largest_at", difference.largest_at + 1},
                   {"largest_relative", difference.largest_relative},
                   {"first_relative", difference.first_relative},
                   {"first_iterations", difference.first_iterations},
                   {"weights_relative", result.weight_differences[index]}}}};
  if (!result.pass_seconds.empty()) {
    const ScanTimes& times = result.pass_seconds[index];
    object["pass_seconds"] = {
        {"jacobians", times.jacobians}, {"up", times.up}, {"middle", times.middle}, {"down", times.down}};
  }
  return object;
}

}  // namespace

std::string to_text(const TrainReport& report) {
  const TrainResult& result = report.result;
  const LossCurve& reference = result.curves.front();
  std::string text = fmt::format("{}: {}, {} parameters, fp{}\n", report.spec.name, report.description,
                                 report.parameters, 8 * report.value_bytes);
  text += fmt::format("{} iteration{} of {} samples out of {} ({}), {}\n", reference.loss.size(),
                      reference.loss.size() == 1 ? "" : "s", report.batch, report.samples, kind_of(report.spec.data),
                      to_string(report.spec.optimizer));
  text += fmt::format("Backward passes on {} ({}), {} thread{}\n\n", report.spec.backend, report.device, report.workers,
                      report.workers == 1 ? "" : "s");
  text += loss_table(report);
  const std::size_t last = last_iterations(reference);
  text += last == 1 ? "Last loss and accuracy are those of the last iteration's batch.\n\n"
                    : fmt::format("Last loss and accuracy are means over the last {} iterations.\n\n", last);
  text += time_table(report);
  text += '\n' + curve_plot(result.curves) + plot_legend(result.curves);
  for (const std::string& note : result.notes) text += fmt::format("note: {}\n", note);
  return text;
}

Json to_json(const TrainReport& report) {
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
          {"iterations", report.result.curves.front().loss.size()},
          {"shuffle_seed", report.spec.shuffle_seed},
          {"backend", report.spec.backend},
          {"device", report.device},
          {"workers", report.workers},
          {"curves", curves},
          {"notes", report.result.notes}};
}

std::string to_csv(const TrainReport& report) {
  const auto& curves = report.result.curves;
  std::vector<std::string> head = {"iteration"};
  for (const LossCurve& curve : curves) head.push_back(curve.backward);
  std::string text = csv_line(head);
  for (std::size_t i = 0; i < curves.front().loss.size(); ++i) {
    std::vector<std::string> cells = {fmt::format("{}", i + 1)};
    for (const LossCurve& curve : curves) cells.push_back(fmt::format("{}", curve.loss[i]));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace upsweep
