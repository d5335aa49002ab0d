#include "anchor_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace upsweep {
namespace {

bool is_sequential(const AnchorRow& row) {
  if (row.library == "cuDNN") return true;
  for (const char* word : {"sequential", "lax.scan", "for-loop", "higher-order op"}) {
    if (row.algorithm.find(word) != std::string::npos) return true;
  }
  return false;
}

/// "row says no rows and no products", or empty.
std::string lacks(std::initializer_list<std::pair<const char*, bool>> sizes) {
  std::string names;
  for (const auto& [name, is_there] : sizes) {
    if (!is_there) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names.empty() ? "" : fmt::format("the row has no {}", names);
}

DeviceAssumptions no_host() {
  DeviceAssumptions assumptions;
  assumptions.forward_kernels = assumptions.backward_kernels = 1;
  return assumptions;
}

PassShape shape_of(const AnchorRow& row) {
  PassShape shape;
  shape.cell.kind = row.cell.starts_with("RNN") ? CellKind::rnn : CellKind::gru;
  shape.cell.input = static_cast<std::size_t>(row.input_size.value_or(*row.hidden));
  shape.cell.hidden = static_cast<std::size_t>(*row.hidden);
  shape.steps = static_cast<std::size_t>(*row.steps);
  shape.batch = static_cast<std::size_t>(*row.batch);
  return shape;
}

}  // namespace

std::optional<AnchorWork> work_of(const AnchorRow& row, std::string& skipped) {
  if (row.family == "spgemm") {
    skipped = lacks({{"rows", row.rows.value_or(0) > 0},
                     {"nnz_a", row.nnz_a.value_or(0) > 0},
                     {"products", row.products.value_or(0) > 0}});
    if (skipped.empty() && row.inner.has_value() != row.nnz_b.has_value())
      skipped = "the row has one of inner and nnz_b, of A·B both are needed, of A·A none";
    return skipped.empty() ? std::optional(AnchorWork::product) : std::nullopt;
  }
  if (row.family == "scan") {
    skipped = lacks({{"elements", row.elements.value_or(0) > 0}, {"seq_len", row.seq_len.value_or(0) > 0}});
    return skipped.empty() ? std::optional(AnchorWork::pass) : std::nullopt;
  }
  if (row.family == "recurrent") {
    skipped = lacks({{"batch", row.batch.value_or(0) > 0},
                     {"hidden", row.hidden.value_or(0) > 0},
                     {"steps", row.steps.value_or(0) > 0}});
    if (!skipped.empty()) return std::nullopt;
    return is_sequential(row) ? AnchorWork::sequential : AnchorWork::pass;
  }
  skipped = fmt::format("the family '{}' is not modelled, accepted are spgemm, scan and recurrent", row.family);
  return std::nullopt;
}

ProductSizes sizes_of(const AnchorRow& row) {
  const std::uint64_t cols = row.cols.value_or(*row.rows);
  return {*row.rows,     row.inner.value_or(cols), cols, *row.nnz_a, row.nnz_b.value_or(*row.nnz_a),
          *row.products, row.nnz_c.value_or(0)};
}

unsigned value_bytes_of(const AnchorRow& row) { return row.dtype.ends_with("64") || row.dtype == "int128" ? 8 : 4; }

std::vector<double> pass_work(const AnchorRow& row) {
  const auto number = [](const std::optional<std::uint64_t>& value, double otherwise) {
    return value ? static_cast<double>(*value) : otherwise;
  };
  if (row.family == "scan") {
    return {1, std::log2(number(row.seq_len, 1)), 0, number(row.elements, 0), number(row.bytes, 0)};
  }
  const double steps = number(row.steps, 1);
  const double elements = number(row.batch, 1) * number(row.hidden, 1) * steps * number(row.layers, 1) *
                          std::max(1.0, number(row.iterations, 1));
  return {1, std::log2(steps), 0, elements, 0};
}

LaunchMode launch_of(const AnchorRow& row) { return launch_mode(row.launch).value_or(LaunchMode::graph); }

double steps_of(const AnchorRow& row) {
  return static_cast<double>(*row.steps) * static_cast<double>(std::max<std::uint64_t>(1, row.layers.value_or(1)));
}

double sequential_seconds(const AnchorRow& row, const Machine& machine, const DeviceAssumptions& assumptions) {
  const DevicePrediction prediction =
      predict_on_device(machine, shape_of(row), BackwardMethod{}, value_bytes_of(row), assumptions);
  const bool has_backward = row.direction.find("backward") != std::string::npos;
  const bool has_forward = !has_backward || row.direction.find("forward") != std::string::npos;
  double seconds = has_forward ? prediction.forward.seconds() : 0;
  if (has_backward) seconds += prediction.sequential.seconds() + prediction.parameter_gradients.seconds();
  return seconds * static_cast<double>(std::max<std::uint64_t>(1, row.layers.value_or(1)));
}

std::string structure_of(const AnchorRow& row) {
  const auto text = [](const std::optional<std::uint64_t>& value) { return value ? fmt::format("{} ", *value) : "- "; };
  std::string sizes = row.family + ' ' + row.dtype + ' ';
  if (row.nnz_b) sizes += text(row.inner) + text(row.cols) + text(row.nnz_b);
  for (const auto& value : {row.rows, row.nnz_a, row.products, row.seq_len, row.elements, row.bytes, row.batch,
                            row.hidden, row.layers, row.steps})
    sizes += text(value);
  return sizes;
}

PublishedSample sample_of(const AnchorRow& row, AnchorWork work, const Machine& machine) {
  PublishedSample sample;
  sample.structure = structure_of(row);
  sample.key = row.key;
  sample.point.seconds = *row.time_s;
  if (work == AnchorWork::product) sample.point.counts = product_work(sizes_of(row));
  if (work == AnchorWork::pass) sample.point.counts = pass_work(row);
  if (work != AnchorWork::sequential) return sample;
  const double directions = row.direction == "forward+backward" ? 2 : 1;
  // What the model has for a kernel of every step comes back with the step itself.
  const double kernels = directions * steps_of(row);
  const double body =
      sequential_seconds(row, machine, no_host()) - kernels * launch_costs(machine, machine.rates.back()).kernel_s();
  sample.point.counts = {0, 0, kernels, 0, 0};
  sample.point.seconds = std::max(*row.time_s - std::max(body, 0.0), *row.time_s / 100);
  return sample;
}

}  // namespace upsweep
