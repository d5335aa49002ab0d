#include <fmt/format.h>

#include <algorithm>

#include "train_models.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/learning/image_data.hpp"
#include "upsweep/learning/network_training.hpp"

namespace upsweep {
namespace {

void require_methods(const TrainSpec& spec) {
  static_cast<void>(backend_of(spec, Ability::network_training));
  if (spec.backward.empty())
    refuse(spec, spec.lines.backward, "backward", "it is empty, accepted is a list of 1 or more");
  for (const std::string& name : spec.backward) {
    try {
      static_cast<void>(network_backward_name(name));
    } catch (const std::invalid_argument& error) {
      refuse(spec, spec.lines.backward, "backward", error.what());
    }
  }
}

std::size_t batch_of(const TrainSpec& spec) {
  if (!spec.batch)
    throw spec.error(spec.lines.train, "batch is missing, accepted is the number of images of an iteration");
  return *spec.batch;
}

/// Throws BackendError where activations and their gradients do not fit into this machine.
void require_network_memory(const TrainSpec& spec, const Network& network, std::size_t batch) {
  std::uint64_t per_image = 0;
  for (const std::size_t link : network.links()) add_to(per_image, elements(network.operators()[link].in_shape));
  const std::uint64_t needed = checked_mul(batch, checked_mul(per_image, 2 * sizeof(double)));
  const std::uint64_t there = available_memory();
  if (needed <= there) return;
  throw BackendError(fmt::format(
      "{}: activations and gradients of {} images need {}, this machine has {} left; a smaller batch lowers it",
      spec.file, batch, short_bytes(static_cast<double>(needed)), short_bytes(static_cast<double>(there))));
}

/// Throws InputError where images, model and batch do not go together.
ImageData data_of(const TrainSpec& spec, const Model& model, std::size_t batch) {
  const Network& network = model.network;
  const Shape& output = network.operators().back().out_shape;
  if (output.size() != 1) {
    throw spec.error(spec.lines.model, fmt::format("{} has the output {}, accepted is one number per class, [features]",
                                                   spec.model_file, to_string(output)));
  }
  ImageData data = [&] {
    if (const auto* cifar = std::get_if<CifarData>(&spec.data)) return ImageData::cifar10(cifar->folder);
    const auto& made = std::get<SyntheticImageData>(spec.data);
    try {
      return ImageData::synthetic(network.input(), output[0], made.samples, made.seed);
    } catch (const std::invalid_argument& error) {
      throw spec.error(spec.lines.data, error.what());
    }
  }();
  if (data.shape() != network.input() || data.classes() > output[0]) {
    throw spec.error(
        spec.lines.data,
        fmt::format("images of {} and {} classes, {} takes {} and has {} outputs, accepted "
                    "is a model for these images",
                    to_string(data.shape()), data.classes(), spec.model_file, to_string(network.input()), output[0]));
  }
  if (data.samples() < batch) {
    throw spec.error(spec.lines.data, fmt::format("data has {} samples, accepted are at least the {} of a batch",
                                                  data.samples(), batch));
  }
  return data;
}

std::string description_of(const Network& network) {
  return fmt::format("network of {} operators ({} Jacobians), images {}", network.operators().size(),
                     network.links().size(), to_string(network.input()));
}

}  // namespace

TrainReport train_network_model(const TrainSpec& spec, const TrainProgress& progress) {
  require_methods(spec);
  const Model model = require_network(load_model(spec.model_file, Numbers::run), "train beside recurrent models");
  model.at_operators([&] {
    require_no_blocks(model.network, "training");
    require_pattern_memory(model.network, model.weights, available_memory());
  });
  require_optimizer(spec, model.value_bytes);
  NetworkTraining training;
  training.batch = batch_of(spec);
  training.iterations = spec.iterations;
  training.optimizer = spec.optimizer;
  training.shuffle_seed = spec.shuffle_seed;
  require_network_memory(spec, model.network, training.batch);
  const ImageData data = data_of(spec, model, training.batch);
  TrainReport report;
  report.result =
      model.value_bytes == 8
          ? train_network_by_all<double>(model.network, model.weights, training, data, spec.backward, progress)
          : train_network_by_all<float>(model.network, model.weights, training, data, spec.backward, progress);
  report.spec = spec;
  report.model = model.name;
  report.model_hash = model.content_hash;
  report.description = description_of(model.network);
  report.batch = training.batch;
  report.samples = data.samples();
  report.value_bytes = model.value_bytes;
  report.parameters = trained_parameters(model.network, model.weights);
  const DeviceFacts facts = make_backend(spec.backend)->facts();
  report.device = facts.device;
  report.driver = facts.driver;
  return report;
}

}  // namespace upsweep
