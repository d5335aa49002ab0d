#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "train_models.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/io/feature_file.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/learning/recurrent_training.hpp"

namespace upsweep {
namespace {

std::vector<BackwardMethod> methods_of(const TrainSpec& spec) {
  std::vector<BackwardMethod> methods;
  for (const std::string& name : spec.backward) {
    try {
      methods.push_back(parse_backward_method(name));
    } catch (const std::invalid_argument& error) {
      refuse(spec, spec.lines.backward, "backward", error.what());
    }
  }
  if (methods.empty()) refuse(spec, spec.lines.backward, "backward", "it is empty, accepted is a list of 1 or more");
  return methods;
}

void require_supported(const TrainSpec& spec, const RecurrentBackend& backend,
                       const std::vector<BackwardMethod>& methods, const PassShape& shape) {
  for (const BackwardMethod& method : methods) {
    const std::string reason = unsupported_pass(backend, method, shape_for(method, shape));
    if (!reason.empty()) refuse(spec, spec.lines.backward, "backward", reason);
  }
}

/// Throws BackendError where states, gradients and inputs do not fit into this machine.
void require_training_memory(const TrainSpec& spec, const PassShape& shape, unsigned value_bytes) {
  const std::uint64_t per_step = (shape.cell.kind == CellKind::gru ? 6 : 2) * shape.cell.hidden + shape.cell.input;
  const std::uint64_t there = available_memory();
  std::string text = "2^64 bytes or more";
  try {
    const std::uint64_t needed =
        checked_mul(checked_mul(shape.steps + 1, shape.batch), checked_mul(per_step, value_bytes));
    if (needed <= there) return;
    text = short_bytes(static_cast<double>(needed));
  } catch (const CountOverflow&) {
    // More than any machine has.
  }
  throw BackendError(
      fmt::format("{}: states and gradients of {} steps of {} sequences need {}, this machine has {} left; "
                  "fewer steps or a smaller batch lower it",
                  spec.file, shape.steps, shape.batch, text, short_bytes(static_cast<double>(there))));
}

SequenceData data_of(const TrainSpec& spec, const CellShape& cell, std::size_t steps, unsigned value_bytes) {
  if (std::holds_alternative<FeatureData>(spec.data)) return load_features(spec, cell, steps, value_bytes);
  if (const auto* bits = std::get_if<BitstreamData>(&spec.data)) {
    if (cell.input != 1) {
      throw spec.error(spec.lines.data,
                       fmt::format("bitstream has one bit per step, {} takes {} inputs, accepted is a model with 1",
                                   spec.model_file, cell.input));
    }
    return SequenceData::bitstream({bits->samples, steps, cell.input, cell.classes}, bits->seed);
  }
  const auto& made = std::get<SyntheticFeatureData>(spec.data);
  return SequenceData::synthetic_features({made.samples, steps, cell.input, cell.classes}, made.seed);
}

std::string description_of(const PassShape& shape) {
  const bool is_gru = shape.cell.kind == CellKind::gru;
  return fmt::format("{} of {} input{}, {} hidden elements and {} classes, {} steps{}",
                     is_gru ? "gru" : fmt::format("rnn ({})", to_string(shape.cell.nonlinearity)), shape.cell.input,
                     shape.cell.input == 1 ? "" : "s", shape.cell.hidden, shape.cell.classes, shape.steps,
                     shape.is_fused ? "" : ", two Jacobians per step");
}

}  // namespace

TrainReport train_recurrent_model(const TrainSpec& spec, const TrainProgress& progress) {
  const RecurrentBackend& backend = *backend_of(spec, Ability::recurrent_training).recurrent;
  require_available(backend.name(), backend.availability());
  const std::vector<BackwardMethod> methods = methods_of(spec);
  const RecurrentModel model = load_recurrent(read_yaml(spec.model_file));
  require_optimizer(spec, model.value_bytes);
  RecurrentTraining training;
  training.shape = {model.shape, spec.steps.value_or(model.steps), spec.batch.value_or(model.batch), model.is_fused};
  training.iterations = spec.iterations;
  training.optimizer = spec.optimizer;
  training.start = recurrent_weights<double>(model);
  training.shuffle_seed = spec.shuffle_seed;
  require_supported(spec, backend, methods, training.shape);
  require_training_memory(spec, training.shape, model.value_bytes);
  const SequenceData data = data_of(spec, model.shape, training.shape.steps, model.value_bytes);
  if (data.shape().samples < training.shape.batch) {
    throw spec.error(spec.lines.data, fmt::format("data has {} samples, accepted are at least the {} of a batch",
                                                  data.shape().samples, training.shape.batch));
  }
  TrainReport report;
  report.result = model.value_bytes == 8 ? train_by_all<double>(training, data, backend, methods, progress)
                                         : train_by_all<float>(training, data, backend, methods, progress);
  report.spec = spec;
  report.model = model.name;
  report.model_hash = model.content_hash;
  report.description = description_of(training.shape);
  report.shape = training.shape;
  report.batch = training.shape.batch;
  report.steps = training.shape.steps;
  report.samples = data.shape().samples;
  report.value_bytes = model.value_bytes;
  for (const auto array : std::as_const(training.start).arrays()) report.parameters += array.size();
  const DeviceFacts facts = backend.facts();
  report.device = facts.device;
  report.driver = facts.driver;
  return report;
}

}  // namespace upsweep
