#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/anchors/anchor_row.hpp"
#include "upsweep/calibrate/fit_published.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/device_model.hpp"

namespace upsweep {

/// What a row is a time of.
enum class AnchorWork : std::uint8_t {
  product,  ///< a sparse product
  pass,     ///< a device-wide scan, or a parallel method over steps
  layer,    ///< a recurrent layer: step by step, in one kernel, or by a backward method of ours
};

/// Kernels of this project, whose rows name the backward method as their algorithm. They are predicted from the machine
/// alone.
[[nodiscard]] bool is_own(const AnchorRow& row);

/// What the row is of, or nothing with the reason in `skipped`.
[[nodiscard]] std::optional<AnchorWork> work_of(const AnchorRow& row, std::string& skipped);

/// Of a row of a product. C = A·A.
[[nodiscard]] ProductSizes sizes_of(const AnchorRow& row);

/// 8 for numbers of 8 bytes and more, else 4.
[[nodiscard]] unsigned value_bytes_of(const AnchorRow& row);

/// Counts of published_units() of passes: a call, doublings of the length, elements of all steps and iterations, bytes.
[[nodiscard]] std::vector<double> pass_work(const AnchorRow& row);

/// How a table's launch_mode is called here: what is compiled is launched like a graph.
[[nodiscard]] LaunchMode launch_of(const AnchorRow& row);

/// The layer as the machine predicts it, seconds; by phase as the row's direction asks, which has no parameter
/// gradients in it where it says "states". `rates` of its steps, or null. The cell is a gru unless it is an rnn: their
/// sizes differ from other cells' by the number of gates.
[[nodiscard]] double layer_seconds(const AnchorRow& row, const Machine& machine, DeviceAssumptions assumptions,
                                   const PublishedRates* rates);

/// Steps of a layer's row, of all layers.
[[nodiscard]] double steps_of(const AnchorRow& row);

/// Rows of equal sizes have equal ones.
[[nodiscard]] std::string structure_of(const AnchorRow& row);

/// A row as a fit sees it. Of a layer, the time of its steps besides their kernels on the machine.
[[nodiscard]] PublishedSample sample_of(const AnchorRow& row, AnchorWork work, const Machine& machine);

}  // namespace upsweep
