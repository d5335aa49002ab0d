#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/figure/figure.hpp"

namespace upsweep {

/// What the numbers along an axis are.
enum class AxisUnit : std::uint8_t { number, seconds, bytes };

/// "1 us", "32 KiB", "10 k", "0.25": a round number for an axis, at most four digits.
[[nodiscard]] std::string tick_text(double value, AxisUnit unit);

/// A value to so many significant digits, also where it is as small as doubles are.
[[nodiscard]] double rounded_to(double value, int digits);

/// A value in at most six significant digits, so that a table stays small; null where it is not finite.
[[nodiscard]] FigureData rounded(double value);

/// An axis that is logarithmic where its values ask for it.
///
/// A scale of a template cannot change its type: it is linear here, and the coordinates along it, the places of its
/// ticks and their texts are made here.
class PlotAxis {
 public:
  enum class Kind : std::uint8_t {
    automatic,  ///< logarithmic where all values are above 0 and the largest is more than 30 times the least
    logarithmic,
    from_zero,
  };

  /// An axis for these values; those that are not finite, and on a logarithmic axis not above 0, do not count.
  PlotAxis(const std::vector<double>& values, AxisUnit unit, Kind kind = Kind::automatic);

  [[nodiscard]] bool is_log() const { return is_log_; }
  /// Where a value stands; null where it has no place.
  [[nodiscard]] FigureData coordinate(double value) const;
  /// Sets the signals NAME_domain (two coordinates), NAME_ticks (coordinates) and NAME_labels (their texts).
  void set_signals(FigureData& signals, const std::string& name) const;

 private:
  void add_ticks();
  void add_log_ticks();
  void add_even_ticks();

  AxisUnit unit_;
  bool is_log_ = false;
  double low_ = 0;  // of the values, as coordinates
  double high_ = 1;
  std::vector<double> ticks_;  // as values
};

/// Sets the signals of an axis with named places 0, 1, ...
void set_ordinal_signals(FigureData& signals, const std::string& name, const std::vector<std::string>& labels);

}  // namespace upsweep
