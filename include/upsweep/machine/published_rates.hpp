#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/machine/error_figures.hpp"

namespace upsweep {

/// What a library does in the rows that rates are fitted to.
enum class PublishedKind : std::uint8_t {
  product,  ///< a sparse product, see sparse_product.hpp
  pass,     ///< a pass over sequences: device-wide scans, loops over steps; see published_pass.hpp
};

/// "product" or "pass".
[[nodiscard]] std::string to_string(PublishedKind kind);

/// The units of work of a kind, by their names in machine files, in the order of PublishedRates::unit_s.
[[nodiscard]] const std::vector<std::string>& published_units(PublishedKind kind);

/// The 80 % interval of a time: factors of the prediction.
struct TimeFactors {
  double low = 1;
  double high = 1;

  friend bool operator==(const TimeFactors&, const TimeFactors&) = default;
};
/// The share of measured times that intervals claim to hold.
inline constexpr double kIntervalShare = 0.8;

/// What rates rest on.
struct FittedOn {
  std::string file;                 ///< of published rows, its name; empty: carried over
  std::vector<std::uint32_t> rows;  ///< row_key() of each, ascending, without repetition
  std::uint64_t structures = 0;     ///< rows of equal sizes are one
  std::string carried_from = {};    ///< of what was carried over: from where and by which rule
  ErrorFigures in_sample = {};      ///< of the rows
  ErrorFigures left_out = {};       ///< of each row, with all rows of its structure left out of the fit

  friend bool operator==(const FittedOn&, const FittedOn&) = default;
};

/// Seconds of a library on a machine, fitted to measured times that others published. Beside the datasheet, which
/// stays.
struct PublishedRates {
  PublishedKind kind = PublishedKind::product;
  std::string library;
  std::string algorithm = {};                       ///< as rows name it; empty: any
  std::string cell = {};                            ///< of recurrent layers; empty: any, or none
  std::string launch = {};                          ///< launch_mode of rows; empty: any
  std::string covers = {};                          ///< what the timer covers
  double start_up_s = 0;                            ///< in every measured time, but not of a product in a longer run
  std::vector<double> unit_s;                       ///< by published_units()
  std::optional<std::uint64_t> most_products = {};  ///< more of them in a product fail
  TimeFactors interval;
  FittedOn from;

  friend bool operator==(const PublishedRates&, const PublishedRates&) = default;
};

/// Seconds of counts by published_units() of the rates' kind, without start-up.
[[nodiscard]] double published_seconds(const PublishedRates& rates, const std::vector<double>& counts);

/// A key of 32 bits of a published row, by what it says and measured. Texts and numbers as they stand in the file.
[[nodiscard]] std::uint32_t row_key(const std::vector<std::string>& fields);

}  // namespace upsweep
