#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/anchors/anchor_row.hpp"
#include "upsweep/machine/error_figures.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Where devices of published rows are looked for: by Machine::names and provenance.device, first among the given ones.
struct AnchorMachines {
  std::vector<Machine> given = {};    ///< a single one also stands for devices that nobody knows
  std::vector<Machine> presets = {};  ///< also where rates of a library are carried over from
};

/// A published time beside what the model says of it.
struct AnchorPoint {
  AnchorRow row;
  std::size_t family = 0;             ///< position in AnchorReport::families
  std::string machine;                ///< its name; empty: none
  std::string skipped;                ///< why nothing is predicted; empty: it is
  std::string predicted_status;       ///< "ok" or "library_error"; empty where nothing is predicted
  std::optional<double> predicted_s;  ///< of an ok row; where is_left_out, by rates without its structure
  std::optional<double> low_s;        ///< the 80 % interval
  std::optional<double> high_s;
  std::optional<double> in_sample_s;  ///< where is_fitted: by the machine's rates
  std::optional<double> bound_s;      ///< by the datasheet alone
  std::string binds;                  ///< what the model says most of the time is
  bool is_fitted = false;             ///< the rates rest on this row, too
  bool is_left_out = false;           ///< and predicted_s is by rates without its structure

  /// |predicted - measured| / measured; nothing where either is missing.
  [[nodiscard]] std::optional<double> error() const;
  [[nodiscard]] std::optional<bool> is_inside() const;  ///< measured within the interval
};

/// Failures of a library.
struct AnchorFailures {
  std::size_t predicted = 0;     ///< that happened
  std::size_t missed = 0;        ///< that happened and were not predicted
  std::size_t false_alarms = 0;  ///< that were predicted where there was a time

  friend bool operator==(const AnchorFailures&, const AnchorFailures&) = default;
};

/// The rows of a family, device and library.
struct AnchorFamily {
  std::string family;
  std::string device;
  std::string library;
  std::string machine;  ///< that predicts them; empty: none
  std::size_t rows = 0;
  std::size_t skipped = 0;         ///< neither predicted nor a failure of the library
  std::size_t fitted = 0;          ///< of the points that rates rest on, too
  std::size_t left_out = 0;        ///< of these
  ErrorFigures error;              ///< of the points that are predicted; those that are fitted, left out
  ErrorFigures in_sample;          ///< of those that are fitted, not left out
  ErrorFigures bound_error;        ///< of the datasheet's roofline, of those points of `error` that have one
  std::optional<double> coverage;  ///< share of the points within their intervals
  AnchorFailures failures;
  std::vector<std::string> fitted_on;  ///< what the rates rest on, a sentence each
};

/// What anchors() finds.
struct AnchorReport {
  std::vector<AnchorPoint> points;  ///< in the order of the rows
  std::vector<AnchorFamily> families;
};

/// Predicts every row from its sizes by the models that `search` and `validate` use of the device's machine.
///
/// Sparse products: product_seconds() by the library's rates; those that no machine has of a device are carried over
/// from the nearest other one, those of a library that nobody knows stand between cuSPARSE and row-binned products.
/// Sequential recurrent layers: predict_on_device() with the step of the library. Device-wide scans, and parallel
/// methods over steps: pass rates of the library and algorithm. Rows whose rates were fitted to them are predicted by
/// rates refitted without their structure, where all rows of the fit are there. Times that this program measured are
/// compared with what it said of them (AnchorRow::own); they have no roofline.
[[nodiscard]] AnchorReport anchors(const std::vector<AnchorRow>& rows, const AnchorMachines& machines);

/// The machine's rates fitted to the ok rows that are of it; those of other libraries stay. Where no row is of a
/// product, those of the nearest of `donors` that were fitted are carried over, by device_distance(). Throws
/// std::invalid_argument where neither is.
[[nodiscard]] Machine fitted_machine(Machine machine, const std::vector<AnchorRow>& rows,
                                     const std::vector<Machine>& donors);

}  // namespace upsweep
