#include "upsweep/training/layer_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/dense_time.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

std::size_t workers_of(const Machine& machine, const MicroBatch& batch) {
  return batch.workers == 0 ? machine.workers() : batch.workers;
}

void check_batch(const MicroBatch& batch) {
  if (batch.samples == 0) throw std::invalid_argument("0 samples in a micro-batch, accepted is at least 1");
  if (batch.value_bytes != 4 && batch.value_bytes != 8)
    throw std::invalid_argument(fmt::format("{} bytes per number, accepted are 4 and 8", batch.value_bytes));
}

/// Entry o: the product of operator o; nothing in it for a view.
std::vector<OpProfile> vector_products(const Network& network, const NetworkWeights& weights, unsigned value_bytes) {
  std::vector<OpProfile> products(network.operators().size());
  for (const std::size_t o : network.links()) {
    products[o] = vector_product(
        vector_counts(guaranteed_pattern(network.operators()[o], weights[o], PatternForm::classes)), value_bytes);
  }
  return products;
}

/// Bytes that an iteration of the schedule `linear` comes back to, for one sample.
std::uint64_t linear_working_set(const Network& network, const std::vector<OpProfile>& products) {
  const auto& links = network.links();
  const Schedule schedule = linear_schedule(links.size() + 1);
  std::vector<std::uint64_t> bytes(schedule.values());
  bytes[0] = products[links.back()].left_bytes;
  for (std::size_t i = 1; i <= links.size(); ++i) bytes[i] = products[links[links.size() - i]].right_bytes;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id)
    bytes[schedule.value_of(id)] = products[links[links.size() - schedule.combines[id].later]].bytes;
  return peak_live_bytes(schedule, bytes, std::vector<bool>(schedule.combines.size(), true));
}

/// Weights that no mask removes, and biases, scales and shifts.
std::uint64_t kept_weights(const Operator& op, const OperatorWeights& weights) {
  const auto removed = std::count(weights.kept.begin(), weights.kept.end(), std::uint8_t{0});
  return weight_count(op) - static_cast<std::uint64_t>(removed);
}

DenseRates require_dense_rates(const Machine& machine, const MicroBatch& batch) {
  const std::size_t workers = workers_of(machine, batch);
  if (const std::optional<DenseRates> rates = dense_rates(machine, workers, batch.value_bytes)) return *rates;
  const char* const accepted = "accepted is a machine of kind cpu or gpu with them";
  if (machine.kind == MachineKind::pram) {
    throw std::invalid_argument(
        fmt::format("machine '{}' is of kind pram, which has no time for dense kernels; {}", machine.name, accepted));
  }
  throw std::invalid_argument(fmt::format(
      "machine '{}' has no FLOP/s and bandwidth that a dense kernel's time follows from (origin: {}; "
      "missing: {}); {}",
      machine.name, machine.provenance.origin, missing_dense_key(machine, workers, batch.value_bytes), accepted));
}

}  // namespace

LayerCosts csr_costs(const Network& network, const NetworkWeights& weights, const Machine& machine,
                     const MicroBatch& batch) {
  check_batch(batch);
  require_no_blocks(network, "sparse costs of layers (`kernels: dense` takes a block as a layer)");
  const std::vector<Operator>& operators = network.operators();
  if (weights.size() != operators.size()) {
    throw std::invalid_argument(fmt::format("weights of {} operators and a network of {}, expected the same number",
                                            weights.size(), operators.size()));
  }
  const std::vector<OperatorRange> layers = chain_layers(network);
  const std::vector<OpProfile> products = vector_products(network, weights, batch.value_bytes);
  const auto seconds_with = [&](std::uint64_t bytes) {
    const OpPlace place{.workers = workers_of(machine, batch), .value_bytes = batch.value_bytes, .working_set = bytes};
    std::vector<double> seconds(operators.size());
    for (std::size_t o = 0; o < operators.size(); ++o) {
      if (is_view(operators[o].kind)) continue;
      seconds[o] = equal_ops_seconds(op_work(products[o], 1, batch.value_bytes), batch.samples, machine, place);
    }
    return seconds;
  };
  const std::uint64_t bytes = cache_traffic(machine, checked_mul(batch.samples, linear_working_set(network, products)),
                                            [&](std::uint64_t tried) {
                                              const std::vector<double> seconds = seconds_with(tried);
                                              return std::accumulate(seconds.begin(), seconds.end(), 0.0);
                                            });
  const std::vector<double> op_seconds = seconds_with(bytes);
  LayerCosts costs;
  for (const OperatorRange& layer : layers) {
    double through = 0;  // either way, forward or backward
    double weight_gradient = 0;
    double inner = 0;
    std::uint64_t kept = 0;
    for (std::size_t o = layer.first; o <= layer.last; ++o) {
      if (is_view(operators[o].kind)) continue;
      const double seconds = op_seconds[o];
      through += seconds;
      if (weight_gradient > 0) inner += seconds;
      if (weight_shape(operators[o].kind, operators[o].in_shape)) weight_gradient += seconds;
      add_to(kept, kept_weights(operators[o], weights[o]));
    }
    const std::uint64_t output = elements(operators[layer.last].out_shape);
    costs.names.push_back(layer_name(network, layer));
    costs.forward.push_back(through);
    costs.output_gradient.push_back(through);
    costs.weight_gradient.push_back(weight_gradient);
    costs.inner_gradient.push_back(inner);
    costs.output_bytes.push_back(static_cast<double>(batch.samples) * static_cast<double>(output) * batch.value_bytes);
    costs.weight_bytes.push_back(static_cast<double>(kept) * batch.value_bytes);
  }
  return costs;
}

LayerCosts dense_costs(std::span<const LayerWork> layers, const Machine& machine, const MicroBatch& batch) {
  check_batch(batch);
  const DenseRates rates = require_dense_rates(machine, batch);
  // The host issues a kernel while the device works on the one before.
  const auto issued_seconds = [&](const KernelWork& work) {
    return std::max(rates.seconds(work, batch.samples), rates.host_s);
  };
  LayerCosts costs;
  for (const LayerWork& layer : layers) {
    const auto total = [&](KernelWork PartWork::*kernel) {
      double seconds = 0;
      for (const PartWork& part : layer.parts) {
        if (part.*kernel != KernelWork{}) seconds += issued_seconds(part.*kernel);
      }
      return seconds;
    };
    costs.names.push_back(layer.name);
    costs.forward.push_back(total(&PartWork::forward));
    costs.output_gradient.push_back(total(&PartWork::output_gradient));
    costs.weight_gradient.push_back(total(&PartWork::weight_gradient));
    double inner = 0;
    bool has_weights = false;
    for (const PartWork& part : layer.parts) {
      if (has_weights && part.output_gradient != KernelWork{}) inner += issued_seconds(part.output_gradient);
      has_weights = has_weights || part.weight_gradient != KernelWork{};
    }
    costs.inner_gradient.push_back(inner);
    costs.output_bytes.push_back(static_cast<double>(batch.samples) * static_cast<double>(layer.output) *
                                 batch.value_bytes);
    costs.weight_bytes.push_back(static_cast<double>(layer.weights()) * batch.value_bytes);
  }
  return costs;
}

}  // namespace upsweep
