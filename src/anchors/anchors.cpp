#include "upsweep/anchors/anchors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "rates_of_row.hpp"

namespace upsweep {
namespace {

/// The unit that most of the seconds are, as people say it.
std::string largest_unit(const PublishedRates& rates, const std::vector<double>& counts) {
  const std::vector<std::string>& units = published_units(rates.kind);
  std::size_t most = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] * rates.unit_s[i] > counts[most] * rates.unit_s[most]) most = i;
  }
  if (most == 0 && rates.start_up_s > rates.unit_s[0]) return "start-up";
  std::string name = units[most];
  std::ranges::replace(name, '_', ' ');
  return name + (name == "call" ? "" : "s");
}

std::string binds_of(const AnchorRow& row, AnchorWork work, const RowRates& by) {
  if (!by.rates) return "kernels";
  if (work == AnchorWork::layer) return "steps";
  const std::vector<double> counts = work == AnchorWork::product ? product_work(sizes_of(row)) : pass_work(row);
  PublishedRates rates = *by.rates;
  if (rates.start_up_s * 2 > seconds_of(row, work, by).value_or(0)) return "start-up";
  return largest_unit(rates, counts);
}

std::string sentence_of(const PublishedRates& rates) {
  std::string what = rates.library;
  for (const std::string* part : {&rates.algorithm, &rates.cell, &rates.launch}) {
    if (!part->empty()) what += ", " + *part;
  }
  if (rates.from.rows.empty()) return fmt::format("{}: carried over from {}", what, rates.from.carried_from);
  return fmt::format("{}: {} rows of {} structures of {}", what, rates.from.rows.size(), rates.from.structures,
                     rates.from.file);
}

/// Rows that the same rates of a machine were fitted to.
struct FittedRows {
  const Machine* machine = nullptr;
  AnchorWork work = AnchorWork::product;
  PublishedRates rates;
  std::vector<std::size_t> points;
};

class AnchorEvaluation {
 public:
  AnchorEvaluation(const std::vector<AnchorRow>& rows, const AnchorMachines& machines) : machines_(machines) {
    for (const AnchorRow& row : rows) add(row);
  }

  AnchorReport report() {
    for (FittedRows& fitted : fitted_) leave_out(fitted);
    for (std::size_t f = 0; f < report_.families.size(); ++f) finish(f);
    return std::move(report_);
  }

 private:
  AnchorFamily& family_of(AnchorPoint& point) {
    const std::array<std::string, 3> key = {point.row.family, point.row.device, point.row.library};
    const auto [at, is_new] = families_.emplace(key, report_.families.size());
    if (is_new) {
      AnchorFamily& family = report_.families.emplace_back();
      family.family = key[0];
      family.device = key[1];
      family.library = key[2];
    }
    point.family = at->second;
    return report_.families[at->second];
  }

  void add(const AnchorRow& row) {
    AnchorPoint point;
    point.row = row;
    AnchorFamily& family = family_of(point);
    ++family.rows;
    predict(point, family);
    if (!point.skipped.empty()) {
      ++family.skipped;
      point.predicted_status.clear();
    }
    report_.points.push_back(std::move(point));
  }

  void predict(AnchorPoint& point, AnchorFamily& family) {
    const AnchorRow& row = point.row;
    if (row.own) return compare(point, family);
    const Machine* machine = machine_of(row, machines_, point.skipped);
    if (machine == nullptr) return;
    point.machine = family.machine = machine->name;
    if (!row.is_ok() && !row.is_library_failure()) {
      point.skipped = fmt::format("its status is {}, which says nothing of the library's time", row.status);
      return;
    }
    const std::optional<AnchorWork> work = work_of(row, point.skipped);
    if (!work) return;
    if (*work == AnchorWork::layer) point.skipped = unfit_for_device_model(*machine);
    if (!point.skipped.empty()) return;
    const std::optional<RowRates> by = rates_of_row(row, *work, *machine, machines_, point.skipped);
    if (!by) return;
    if (by->rates) add_source(family, sentence_of(*by->rates));
    try {
      evaluate(point, *work, *by);
    } catch (const std::exception& error) {  // sizes that no model takes
      point.skipped = error.what();
    }
  }

  /// A time with the prediction that it was made with.
  static void compare(AnchorPoint& point, AnchorFamily& family) {
    const OwnPrediction& own = *point.row.own;
    point.machine = family.machine = own.machine;
    if (!own.fitted_on.empty()) add_source(family, own.fitted_on);
    if (!point.row.is_ok()) {
      point.skipped = "it is so short that interrupts and clocks are too large a part of it";
      return;
    }
    point.predicted_status = "ok";
    point.predicted_s = own.seconds;
    point.is_fitted = own.is_fitted;
    if (own.is_fitted) point.in_sample_s = own.seconds;
  }

  static void add_source(AnchorFamily& family, const std::string& sentence) {
    if (std::ranges::find(family.fitted_on, sentence) == family.fitted_on.end()) family.fitted_on.push_back(sentence);
  }

  void evaluate(AnchorPoint& point, AnchorWork work, const RowRates& by) {
    const AnchorRow& row = point.row;
    const std::optional<double> seconds = seconds_of(row, work, by);
    point.predicted_status = seconds ? "ok" : "library_error";
    if (!seconds || !row.is_ok()) return;
    point.predicted_s = seconds;
    point.bound_s = bound_seconds(row, work, *by.machine);
    point.binds = binds_of(row, work, by);
    if (by.rates) set_interval(point, by.rates->interval);
    if (!by.is_own || !std::ranges::binary_search(by.rates->from.rows, row.key)) return;
    point.is_fitted = true;
    point.in_sample_s = seconds;
    remember(work, by);
  }

  static void set_interval(AnchorPoint& point, const TimeFactors& interval) {
    point.low_s = *point.predicted_s * interval.low;
    point.high_s = *point.predicted_s * interval.high;
  }

  /// The next point rests on these rates.
  void remember(AnchorWork work, const RowRates& by) {
    const auto same = std::ranges::find_if(fitted_, [&](const FittedRows& one) {
      return one.machine == by.machine && one.work == work && one.rates == *by.rates;
    });
    if (same == fitted_.end()) {
      fitted_.push_back({by.machine, work, *by.rates, {}});
      fitted_.back().points.push_back(report_.points.size());
      return;
    }
    same->points.push_back(report_.points.size());
  }

  /// Predicts fitted points by rates without their structures, where all rows of the fit are there.
  void leave_out(const FittedRows& fitted) {
    std::multiset<std::uint32_t> missing(fitted.rates.from.rows.begin(), fitted.rates.from.rows.end());
    std::vector<PublishedSample> samples;
    std::vector<std::size_t> members;
    for (const std::size_t i : fitted.points) {
      const auto at = missing.find(report_.points[i].row.key);
      if (at == missing.end()) continue;  // the same table twice
      missing.erase(at);
      samples.push_back(
          sample_of(report_.points[i].row, fitted.work, launched_as(report_.points[i].row, *fitted.machine)));
      members.push_back(i);
    }
    if (!missing.empty() || fitted.rates.from.structures < kFewestStructures) return;
    const std::vector<PublishedRates> others = left_out_rates(fitted.rates.kind, samples);
    for (std::size_t k = 0; k < members.size(); ++k) {
      AnchorPoint& point = report_.points[members[k]];
      RowRates by{fitted.machine, others[k], true};
      point.predicted_s = seconds_of(point.row, fitted.work, by);
      set_interval(point, fitted.rates.interval);
      point.is_left_out = true;
    }
  }

  void finish(std::size_t f) {
    AnchorFamily& family = report_.families[f];
    std::vector<double> measured;
    std::vector<double> predicted;
    std::vector<double> bounds;
    std::vector<double> bounded;  // measured, of these
    std::vector<double> fitted_measured;
    std::vector<double> in_sample;
    std::size_t inside = 0;
    std::size_t with_interval = 0;
    for (const AnchorPoint& point : report_.points) {
      if (point.family != f || !point.skipped.empty()) continue;
      const bool fails = point.predicted_status == "library_error";
      if (point.row.is_library_failure()) ++(fails ? family.failures.predicted : family.failures.missed);
      if (point.row.is_ok() && fails) ++family.failures.false_alarms;
      if (!point.predicted_s) continue;
      measured.push_back(*point.row.time_s);
      predicted.push_back(*point.predicted_s);
      if (point.bound_s) {
        bounds.push_back(*point.bound_s);
        bounded.push_back(*point.row.time_s);
      }
      if (const std::optional<bool> is_inside = point.is_inside()) {
        ++with_interval;
        if (*is_inside) ++inside;
      }
      if (!point.is_fitted) continue;
      ++family.fitted;
      if (point.is_left_out) ++family.left_out;
      fitted_measured.push_back(*point.row.time_s);
      in_sample.push_back(*point.in_sample_s);
    }
    family.error = error_figures(predicted, measured);
    family.bound_error = error_figures(bounds, bounded);
    family.in_sample = error_figures(in_sample, fitted_measured);
    if (with_interval > 0) family.coverage = static_cast<double>(inside) / static_cast<double>(with_interval);
  }

  const AnchorMachines& machines_;
  AnchorReport report_;
  std::map<std::array<std::string, 3>, std::size_t> families_;
  std::vector<FittedRows> fitted_;
};

}  // namespace

std::optional<double> AnchorPoint::error() const {
  if (!predicted_s || !row.time_s) return std::nullopt;
  return std::fabs(*predicted_s - *row.time_s) / *row.time_s;
}

std::optional<bool> AnchorPoint::is_inside() const {
  if (!low_s || !high_s || !row.time_s) return std::nullopt;
  return *low_s <= *row.time_s && *row.time_s <= *high_s;
}

AnchorReport anchors(const std::vector<AnchorRow>& rows, const AnchorMachines& machines) {
  return AnchorEvaluation(rows, machines).report();
}

}  // namespace upsweep
