#include "upsweep/report/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace upsweep {
namespace {

using Align = TextTable::Align;

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

std::string fit_text(const Calibration& calibration) {
  TextTable table({{"workers"},
                   {"numbers", Align::left},
                   {"op latency"},
                   {"level latency"},
                   {"copy"},
                   {"dense"},
                   {"points"},
                   {"mean error"},
                   {"median"},
                   {"p90"},
                   {"largest"}});
  for (const Rates& rates : calibration.machine.rates) {
    for (const unsigned value_bytes : {4U, 8U}) {
      const ErrorFigures figures = figures_of(calibration, rates.workers, value_bytes);
      if (figures.points == 0) continue;
      const double dense = rates.of(value_bytes).dense_flops_per_s;
      const auto percent = [](double error) { return fmt::format("{:.1f} %", 100 * error); };
      table.row({fmt::format("{}", rates.workers), type_name(value_bytes), short_seconds(rates.op_latency_s),
                 short_seconds(rates.level_latency_s), fmt::format("{:.1f} GB/s", rates.copy_bytes_per_s / 1e9),
                 dense > 0 ? fmt::format("{:.1f} GFLOP/s", dense / 1e9) : "-", fmt::format("{}", figures.points),
                 percent(figures.mean), percent(figures.median), percent(figures.p90), percent(figures.max)});
    }
  }
  return table.text();
}

std::string worst_text(const Calibration& calibration) {
  constexpr std::size_t kShown = 5;
  std::vector<CalibrationPoint> points = calibration.points;
  std::sort(points.begin(), points.end(), [](const CalibrationPoint& a, const CalibrationPoint& b) {
    return std::fabs(error_of(a)) > std::fabs(error_of(b));
  });
  TextTable table(
      {{"product", Align::left}, {"workers"}, {"numbers", Align::left}, {"predicted"}, {"measured"}, {"error"}});
  for (std::size_t i = 0; i < std::min(kShown, points.size()); ++i) {
    table.row({points[i].name, fmt::format("{}", points[i].workers), type_name(points[i].value_bytes),
               short_seconds(points[i].predicted_s), short_seconds(points[i].measured_s),
               fmt::format("{:+.1f} %", 100 * error_of(points[i]))});
  }
  return table.text();
}

}  // namespace

Json to_json(const Calibration& calibration) {
  const Machine& machine = calibration.machine;
  Json rates = Json::array();
  for (const Rates& entry : machine.rates) {
    rates.push_back({{"workers", entry.workers},
                     {"op_latency_s", entry.op_latency_s},
                     {"level_latency_s", entry.level_latency_s},
                     {"copy_bytes_per_s", entry.copy_bytes_per_s},
                     {"dense_flops_per_s",
                      {{"fp32", entry.fp32.dense_rate() ? Json(*entry.fp32.dense_rate()) : Json()},
                       {"fp64", entry.fp64.dense_rate() ? Json(*entry.fp64.dense_rate()) : Json()}}}});
  }
  Json points = Json::array();
  for (const CalibrationPoint& point : calibration.points) {
    points.push_back({{"product", point.name},
                      {"workers", point.workers},
                      {"dtype", type_name(point.value_bytes)},
                      {"in_cache", point.in_cache},
                      {"predicted_s", point.predicted_s},
                      {"measured_s", point.measured_s},
                      {"error", error_of(point)}});
  }
  return {{"machine", machine.name},
          {"device", machine.provenance.device},
          {"driver", machine.provenance.driver},
          {"date", machine.provenance.date},
          {"rates", std::move(rates)},
          {"fit", figures_json(machine.provenance.fit)},
          {"points", std::move(points)}};
}

std::string to_csv(const Calibration& calibration) {
  std::string csv = csv_line({"product", "workers", "dtype", "in_cache", "predicted_s", "measured_s", "error"});
  for (const CalibrationPoint& point : calibration.points) {
    csv += csv_line({point.name, fmt::format("{}", point.workers), type_name(point.value_bytes),
                     point.in_cache ? "1" : "0", fmt::format("{}", point.predicted_s),
                     fmt::format("{}", point.measured_s), fmt::format("{}", error_of(point))});
  }
  return csv;
}

std::string to_text(const Calibration& calibration) {
  const Machine& machine = calibration.machine;
  return fmt::format("{}: {} ({}), {}\n\n{}\nThe synthetic products that fit worst:\n\n{}", machine.name,
                     machine.provenance.device, machine.provenance.driver, machine.provenance.date,
                     fit_text(calibration), worst_text(calibration));
}

}  // namespace upsweep
