#include "upsweep/report/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "upsweep/anchors/anchor_row.hpp"
#include "upsweep/document/value.hpp"

namespace upsweep {
namespace {

double error_of(const CalibrationPoint& point) { return point.predicted_s / point.measured_s - 1; }

const char* type_name(unsigned value_bytes) { return value_bytes == 8 ? "fp64" : "fp32"; }

Json figures_json(const ErrorFigures& figures) {
  return {{"points", figures.points},
          {"mean", figures.mean},
          {"median", figures.median},
          {"p90", figures.p90},
          {"max", figures.max}};
}

ErrorFigures figures_of(const Calibration& calibration, std::size_t workers, unsigned value_bytes) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const CalibrationPoint& point : calibration.points) {
    if (point.workers != workers || point.value_bytes != value_bytes) continue;
    predicted.push_back(point.predicted_s);
    measured.push_back(point.measured_s);
  }
  return error_figures(predicted, measured);
}

/// Rates and errors by workers and type of numbers, for people.
Table fit_table(const Calibration& calibration) {
  std::vector<std::vector<Value>> rows;
  for (const Rates& rates : calibration.machine.rates) {
    for (const unsigned value_bytes : {4U, 8U}) {
      const ErrorFigures figures = figures_of(calibration, rates.workers, value_bytes);
      if (figures.points == 0) continue;
      const double dense = rates.of(value_bytes).dense_flops_per_s;
      rows.push_back(
          {rates.workers, type_name(value_bytes), rates.op_latency_s, rates.level_latency_s,
           rates.copy_bytes_per_s > 0 ? Value(fmt::format("{:.1f} GB/s", rates.copy_bytes_per_s / 1e9)) : Value(),
           dense > 0 ? Value(fmt::format("{:.1f} GFLOP/s", dense / 1e9)) : Value(), figures.points, figures.mean,
           figures.median, figures.p90, figures.max});
    }
  }
  return {"",
          {{"", "workers", Unit::exact},
           {"", "numbers", Unit::text},
           {"", "op latency", Unit::seconds},
           {"", "level latency", Unit::seconds},
           {"", "copy", Unit::exact},
           {"", "dense", Unit::exact},
           {"", "points", Unit::exact},
           {"", "mean error", Unit::share},
           {"", "median", Unit::share},
           {"", "p90", Unit::share},
           {"", "largest", Unit::share}},
          std::move(rows)};
}

/// Synthetic products, predicted beside measured.
Table points_table(const std::string& name, std::vector<const CalibrationPoint*> points) {
  using Item = const CalibrationPoint*;
  return {name, std::move(points),
          std::vector<Field<Item>>{
              {"product", "product", Unit::text, &CalibrationPoint::name},
              {"workers", "workers", Unit::exact, &CalibrationPoint::workers},
              {"dtype", "numbers", Unit::text, [](Item point) { return type_name(point->value_bytes); }},
              {"in_cache", {}, Unit::text, &CalibrationPoint::in_cache},
              {"predicted_s", "predicted", Unit::seconds, &CalibrationPoint::predicted_s},
              {"measured_s", "measured", Unit::seconds, &CalibrationPoint::measured_s},
              {"error", "error", Unit::change, [](Item point) { return error_of(*point); }}}};
}

/// The same as a table that `anchors` reads.
Table anchors_table(const Calibration& calibration) {
  using Item = const CalibrationPoint*;
  const Machine& machine = calibration.machine;
  const auto same = [](std::string name, std::string value) {
    return Field<Item>(std::move(name), std::nullopt, Unit::text, [value = std::move(value)](Item) { return value; });
  };
  return {"", each_of(calibration.points),
          std::vector<Field<Item>>{
              same("family", kCalibrationFamily),
              same("device", machine.provenance.device),
              {"library",
               {},
               Unit::text,
               [backend = machine.provenance.backend](Item point) {
                 return fmt::format("{}, {} workers, {}", backend, point->workers, type_name(point->value_bytes));
               }},
              {"matrix", {}, Unit::text, &CalibrationPoint::name},
              {"dtype", {}, Unit::text, [](Item point) { return type_name(point->value_bytes); }},
              {"workers", {}, Unit::exact, &CalibrationPoint::workers},
              {"in_cache", {}, Unit::text, &CalibrationPoint::in_cache},
              same("status", "ok"),
              {"time_ms", {}, Unit::exact, [](Item point) { return 1e3 * point->measured_s; }},
              {"predicted_ms", {}, Unit::exact, [](Item point) { return 1e3 * point->predicted_s; }},
              same("machine", machine.name)}};
}

/// Those that fit worst.
std::vector<const CalibrationPoint*> worst_points(const Calibration& calibration) {
  constexpr std::size_t kShown = 5;
  std::vector<const CalibrationPoint*> points = each_of(calibration.points);
  std::ranges::sort(points, std::greater(), [](const CalibrationPoint* point) { return std::fabs(error_of(*point)); });
  points.resize(std::min(kShown, points.size()));
  return points;
}

Table rates_table(const Machine& machine) {
  using Item = const Rates*;
  return {"rates", each_of(machine.rates),
          std::vector<Field<Item>>{
              {"workers", {}, Unit::exact, &Rates::workers},
              {"op_latency_s", {}, Unit::seconds, &Rates::op_latency_s},
              {"level_latency_s", {}, Unit::seconds, &Rates::level_latency_s},
              {"stream_latency_s", {}, Unit::seconds, &Rates::stream_latency_s},
              {"copy_bytes_per_s", {}, Unit::count, &Rates::copy_bytes_per_s},
              {"dense_flops_per_s/fp32", {}, Unit::count, [](Item rates) { return rates->fp32.dense_rate(); }},
              {"dense_flops_per_s/fp64", {}, Unit::count, [](Item rates) { return rates->fp64.dense_rate(); }}}};
}

}  // namespace

Document document(const Calibration& calibration) {
  const Machine& machine = calibration.machine;
  Document document;
  return std::move(document
                       .facts([&machine, &calibration] {
                         return Json{{"machine", machine.name},
                                     {"device", machine.provenance.device},
                                     {"driver", machine.provenance.driver},
                                     {"date", machine.provenance.date},
                                     {"fit", figures_json(machine.provenance.fit)},
                                     {"cache_error", json_of(calibration.cache_error)}};
                       })
                       .list(rates_table(machine))
                       .list(points_table("points", each_of(calibration.points)))
                       .sheet(anchors_table(calibration))
                       .say(fmt::format("{}: {} ({}), {}\n\n", machine.name, machine.provenance.device,
                                        machine.provenance.driver, machine.provenance.date))
                       .show(fit_table(calibration))
                       .say("\nThe synthetic products that fit worst:\n\n")
                       .show(points_table("", worst_points(calibration))));
}

}  // namespace upsweep
