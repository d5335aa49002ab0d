#include "plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace upsweep {
namespace {

constexpr double kWide = 30;        // largest over least value from which on an axis is logarithmic
constexpr double kMargin = 0.03;    // of the axis, on both sides
constexpr double kMostTicks = 7;    // about
constexpr double kNearZero = 0.45;  // of the largest value: where the least is below, an axis begins at 0

std::string scaled_text(double value, double base, const std::vector<const char*>& units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::fabs(value) >= base * (1 - 1e-9)) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.4g}{}{}", value, *units[unit] == '\0' ? "" : " ", units[unit]);
}

std::string seconds_text(double value) {
  if (value == 0) return "0";
  if (std::fabs(value) >= 1000 && std::fabs(value) < 1e6) return fmt::format("{:.0f} s", value);
  static constexpr std::array<std::pair<double, const char*>, 3> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  for (const auto& [size, name] : kUnits) {
    if (std::fabs(value) >= size * (1 - 1e-9)) return fmt::format("{:.4g} {}", value / size, name);
  }
  return fmt::format("{:.4g} ns", value * 1e9);
}

/// 1, 2 or 5 times a power of ten (of bytes: a power of two) that is at least `least`.
double round_step(double least, AxisUnit unit) {
  if (unit == AxisUnit::bytes) return std::exp2(std::ceil(std::log2(least) - 1e-9));
  const double power = std::pow(10, std::floor(std::log10(least) + 1e-9));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= least * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

}  // namespace

std::string tick_text(double value, AxisUnit unit) {
  switch (unit) {
    case AxisUnit::seconds:
      return seconds_text(value);
    case AxisUnit::bytes:
      return scaled_text(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
    case AxisUnit::number:
      break;
  }
  if (std::fabs(value) < 10'000) return fmt::format("{:.4g}", value);
  return scaled_text(value, 1000, {"", "k", "M", "G", "T", "P", "E"});
}

double rounded_to(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

FigureData rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::fabs(value) < 1e6) return static_cast<std::int64_t>(value);
  return rounded_to(value, 6);
}

PlotAxis::PlotAxis(const std::vector<double>& values, AxisUnit unit, Kind kind) : unit_(unit) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double value : values) {
    if (!std::isfinite(value) || (kind == Kind::logarithmic && value <= 0)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least > most) std::tie(least, most) = std::pair(1.0, 1.0);
  is_log_ = kind == Kind::logarithmic || (kind == Kind::automatic && least > 0 && most > kWide * least);
  if (is_log_) {
    std::tie(low_, high_) = std::pair(std::log10(least), std::log10(most));
  } else {
    const bool from_zero = kind == Kind::from_zero || (least >= 0 && least < kNearZero * most);
    std::tie(low_, high_) = std::pair(from_zero ? std::min(0.0, least) : least, most);
  }
  if (high_ - low_ <= 1e-12 * std::fabs(high_)) {
    const double half = is_log_ ? 0.5 : std::max(0.5 * std::fabs(high_), 1e-300);
    low_ -= kind == Kind::from_zero ? 0 : half;
    high_ += half == 1e-300 ? 1 : half;
  }
  add_ticks();
}

FigureData PlotAxis::coordinate(double value) const {
  if (!std::isfinite(value) || (is_log_ && value <= 0)) return nullptr;
  return rounded(is_log_ ? std::log10(value) : value);
}

void PlotAxis::add_ticks() {
  if (is_log_) add_log_ticks();
  if (ticks_.size() < 2) add_even_ticks();
}

void PlotAxis::add_log_ticks() {
  const double margin = kMargin * (high_ - low_);
  const double base = unit_ == AxisUnit::bytes ? 2 : 10;
  const double low = (low_ - margin) / std::log10(base);
  const double high = (high_ + margin) / std::log10(base);
  double step = 1;
  for (const double larger : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    step = larger;
    if ((high - low) / step <= kMostTicks) break;
  }
  if (unit_ != AxisUnit::bytes && high - low < 2.5) {  // a few between the powers of ten
    for (double power = std::floor(low); power <= high; ++power) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double tick = digit * std::pow(10, power);
        if (std::log10(tick) >= low && std::log10(tick) <= high) ticks_.push_back(tick);
      }
    }
    return;
  }
  for (double power = step * std::ceil(low / step); power <= high; power += step)
    ticks_.push_back(std::pow(base, power));
}

void PlotAxis::add_even_ticks() {
  ticks_.clear();
  const double low = is_log_ ? std::pow(10, low_) : low_;
  const double high = is_log_ ? std::pow(10, high_) : high_;
  const double step = round_step((high - low) / (kMostTicks - 1), unit_);
  for (double index = std::ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; ++index)
    ticks_.push_back(index * step + 0.0);  // no -0
}

void PlotAxis::set_signals(FigureData& signals, const std::string& name) const {
  const double margin = kMargin * (high_ - low_);
  const double low = !is_log_ && low_ == 0 ? 0 : low_ - margin;
  signals[fmt::format("{}_domain", name)] = FigureData::array({low, high_ + margin});
  FigureData places = FigureData::array();
  FigureData labels = FigureData::array();
  for (const double tick : ticks_) {
    const FigureData place = coordinate(tick);
    if (place.is_null()) continue;
    places.push_back(place);
    labels.push_back(tick_text(tick, unit_));
  }
  signals[fmt::format("{}_ticks", name)] = std::move(places);
  signals[fmt::format("{}_labels", name)] = std::move(labels);
}

void set_ordinal_signals(FigureData& signals, const std::string& name, const std::vector<std::string>& labels) {
  FigureData places = FigureData::array();
  for (std::size_t i = 0; i < labels.size(); ++i) places.push_back(i);
  signals[fmt::format("{}_domain", name)] = FigureData::array({-0.5, static_cast<double>(labels.size()) - 0.5});
  signals[fmt::format("{}_ticks", name)] = std::move(places);
  signals[fmt::format("{}_labels", name)] = labels;
}

}  // namespace upsweep
