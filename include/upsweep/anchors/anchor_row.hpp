#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace upsweep {

/// The family of synthetic products that a machine was fitted to: calibrate writes such a table.
inline constexpr const char* kCalibrationFamily = "calibration";

/// What this program said when it measured a time itself: by the model of validate or of a calibration, whose counts a
/// table does not have.
struct OwnPrediction {
  double seconds = 0;
  std::string machine;     ///< its name
  std::string fitted_on;   ///< what the machine rests on, a sentence; may be empty
  bool is_fitted = false;  ///< to this time among others
};

/// A published time, a row of a table in the columns of docs/anchors.md, or one that this program measured. Texts are
/// empty, numbers missing, where the table has none.
struct AnchorRow {
  std::string file;
  int line = 0;        ///< where the row begins, 1-based
  std::string family;  ///< "spgemm", "scan", "recurrent", ...
  std::string device;
  std::string library;
  std::string algorithm;
  std::string dtype;
  std::string launch;  ///< launch_mode
  std::string covers;
  std::string status;  ///< "ok", "library_error", ...
  std::string matrix;
  std::string cell;
  std::string direction;
  std::optional<double> time_s;
  std::optional<OwnPrediction> own = std::nullopt;

  // Of sparse products C = A·B; A·A where `inner` (rows of B) and `nnz_b` are not said.
  std::optional<std::uint64_t> rows;
  std::optional<std::uint64_t> inner = std::nullopt;
  std::optional<std::uint64_t> cols;
  std::optional<std::uint64_t> nnz_a;
  std::optional<std::uint64_t> nnz_b = std::nullopt;
  std::optional<std::uint64_t> products;
  std::optional<std::uint64_t> nnz_c;
  // Of scans.
  std::optional<std::uint64_t> seq_len;
  std::optional<std::uint64_t> elements;  ///< of all sequences
  std::optional<std::uint64_t> bytes;     ///< compulsory traffic
  // Of recurrent layers.
  std::optional<std::uint64_t> batch;
  std::optional<std::uint64_t> input_size;
  std::optional<std::uint64_t> hidden;
  std::optional<std::uint64_t> layers;
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> iterations;

  std::uint32_t key = 0;  ///< row_key()

  [[nodiscard]] bool is_ok() const { return status == "ok"; }
  [[nodiscard]] bool is_library_failure() const { return status == "library_error"; }
};

}  // namespace upsweep
