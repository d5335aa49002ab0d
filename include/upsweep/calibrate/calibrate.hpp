#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// A synthetic product, measured, beside what the fitted machine says.
struct CalibrationPoint {
  std::string name;
  std::size_t workers = 1;
  unsigned value_bytes = 4;
  bool in_cache = true;
  double predicted_s = 0;
  double measured_s = 0;
};

/// See Calibration::is_disturbed().
inline constexpr double kDisturbed = 0.1;

/// A machine with the points that it was fitted to.
struct Calibration {
  Machine machine = {};
  std::vector<CalibrationPoint> points = {};
  /// Of a cpu: mean |log(predicted / measured)| of how fast working sets of all sizes are read; nothing where no edge
  /// of its cache was seen.
  std::optional<double> cache_error = {};

  /// Whether no single edge explains the times, as where something else uses the cache meanwhile. Two cores of a Xeon
  /// (2026-11-28): 0.04 to 0.09 while nothing else ran, 0.12 to 0.19 beside two busy processes, with caches from a
  /// third of what was found otherwise.
  [[nodiscard]] bool is_disturbed() const { return cache_error.value_or(0) > kDisturbed; }
};

/// Settings of a calibration.
struct CalibrationOptions {
  std::string name = {};
  std::string date = {};  ///< ISO 8601
  std::string tool_version = {};
  bool quick = false;            ///< every third product only: to try it out, not for figures
  std::size_t most_workers = 0;  ///< 0: all that the backend has
  unsigned value_bytes = 0;      ///< 4 or 8: these numbers only, the others get the same rates; 0: both
  double (*dense_flops_per_s)(unsigned value_bytes) = nullptr;  ///< measures its dense products; 0: it cannot
  double (*copy_bytes_per_s)() = nullptr;  ///< measures copies in the device's memory; null: not of a gpu
  /// Called before each product: how many are done, of how many.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Measures the machine that a backend runs on, with synthetic_products() and empty ops only, and fits its model: for
/// 1, 2, 4, ... and all workers of a processor, for the device as a whole of a GPU.
///
/// Throws BackendError where the backend is not available or fails.
/// Of a cpu it first measures how much of the last-level cache it can count on and what others bring into it (a virtual
/// machine shares it with others), at last what small ops wait for. Cost: two to four minutes per number type on two
/// threads, more with a cache beyond 100 MB; most of it is making the products, once for all counts of workers.
[[nodiscard]] Calibration calibrate(const Backend& backend, const CalibrationOptions& options);

/// What makes its figures doubtful, a sentence each; none where nothing does.
[[nodiscard]] std::vector<std::string> doubts(const Calibration& calibration);

}  // namespace upsweep
