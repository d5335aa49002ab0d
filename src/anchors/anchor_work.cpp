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

/// Steps of all loops of a row.
double loops_of(const AnchorRow& row) { return steps_of(row) * (row.direction == "forward+backward" ? 2 : 1); }

/// "row says no rows and no products", or empty.
std::string lacks(std::initializer_list<std::pair<const char*, bool>> sizes) {
  std::string names;
  for (const auto& [name, is_there] : sizes) {
    if (!is_there) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names.empty() ? "" : fmt::format("the row has no {}", names);
}

/// Loops over steps in one kernel that the state stays in, of a library.
bool is_persistent(const AnchorRow& row) { return !is_own(row) && launch_of(row) == LaunchMode::fused; }

BackwardMethod method_of(const AnchorRow& row) {
  const BackwardMethod one_kernel = {.kind = BackwardKind::blocked, .depth = 0, .blocks = {.blocks = 1}};
  if (!is_own(row)) return is_persistent(row) ? one_kernel : BackwardMethod{};
  const BackwardMethod method = parse_backward_method(row.algorithm);
  return method.kind == BackwardKind::sequential ? one_kernel : method;
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

bool is_own(const AnchorRow& row) { return row.library == "upsweep"; }

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
    if (!is_own(row)) return is_sequential(row) ? AnchorWork::layer : AnchorWork::pass;
    try {
      method_of(row);
    } catch (const std::invalid_argument& error) {
      skipped = error.what();
      return std::nullopt;
    }
    return AnchorWork::layer;
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

double layer_seconds(const AnchorRow& row, const Machine& machine, DeviceAssumptions assumptions,
                     const PublishedRates* rates) {
  if (rates != nullptr && !is_persistent(row)) assume_steps(*rates, assumptions);
  const BackwardMethod method = method_of(row);
  const DevicePrediction prediction =
      predict_on_device(machine, shape_of(row), method, value_bytes_of(row), assumptions);
  const bool has_backward = row.direction.find("backward") != std::string::npos;
  const bool has_forward = !has_backward || row.direction.find("forward") != std::string::npos;
  const bool has_parameters = has_backward && row.direction.find("states") == std::string::npos;
  double seconds = has_forward ? (is_persistent(row) ? prediction.hidden_s() : prediction.forward.seconds()) : 0;
  if (has_backward) seconds += prediction.hidden_s();
  if (has_parameters) seconds += prediction.parameter_gradients.seconds();
  seconds *= static_cast<double>(std::max<std::uint64_t>(1, row.layers.value_or(1)));
  if (rates != nullptr && is_persistent(row)) seconds += step_seconds(*rates) * loops_of(row);
  return seconds;
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
  if (work != AnchorWork::layer) return sample;
  DeviceAssumptions one_kernel;
  one_kernel.forward_kernels = one_kernel.backward_kernels = 1;
  double body = layer_seconds(row, machine, one_kernel, nullptr);
  // What the model has for a kernel of every step comes back with the step itself.
  if (!is_persistent(row)) body -= loops_of(row) * launch_costs(machine, machine.rates.back()).kernel_s();
  sample.point.counts = {0, 0, loops_of(row), 0, 0};
  sample.point.seconds = std::max(*row.time_s - std::max(body, 0.0), *row.time_s / 100);
  return sample;
}

}  // namespace upsweep
