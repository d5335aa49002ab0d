#include <fmt/format.h>

#include "training_parts.hpp"

namespace upsweep {
namespace {

std::string layer_text(const TrainingFile& file, std::size_t layer) {
  if (!file.source || layer >= file.source->layer_names.size()) return "";
  return file.source->layer_names[layer];
}

/// A cost, or "-" for an operation that does not exist.
std::string cost_text(const TrainingFile& file, double cost) { return cost > 0 ? time_text(file, cost) : "-"; }

std::string size_text(const TrainingFile& file, double size) {
  return file.source ? short_bytes(size) : plain_number(size);
}

}  // namespace

std::string costs_text(const TrainingFile& file, const PipelineStudy& study) {
  const PipelineChoice& choice = study.choices.front();
  const Pipeline& pipeline = choice.pipeline;
  TextTable table({{"layer"}, {"", TextTable::Align::left}, {"device"}, {"F"}, {"O"}, {"W"}, {"U"}, {"size"}});
  for (std::uint32_t layer = 0; layer < pipeline.layers(); ++layer) {
    const auto cost = [&](StepOpKind kind) { return cost_text(file, pipeline.cost({kind, layer, 0})); };
    table.row({fmt::format("{}", layer + 1), layer_text(file, layer), fmt::format("{}", pipeline.device_of[layer]),
               cost(StepOpKind::forward), cost(StepOpKind::output_gradient), cost(StepOpKind::weight_gradient),
               cost(StepOpKind::update),
               layer + 1 < pipeline.layers() ? size_text(file, pipeline.transfer_sizes[layer]) : "-"});
  }
  return fmt::format("\nCosts of {} per micro-batch; size: of the tensor to the next layer\n\n{}", choice.label,
                     table.text());
}

std::string costs_text(const TrainingFile& file, const DataParallelStudy& study) {
  TextTable table({{"layer"}, {"", TextTable::Align::left}, {"F"}, {"O"}, {"W"}, {"S"}});
  for (std::uint32_t layer = 0; layer < study.step.layers(); ++layer) {
    const auto cost = [&](StepOpKind kind) { return cost_text(file, study.step.cost({kind, layer, 0})); };
    table.row({fmt::format("{}", layer + 1), layer_text(file, layer), cost(StepOpKind::forward),
               cost(StepOpKind::output_gradient), cost(StepOpKind::weight_gradient),
               time_text(file, study.step.synchronisation[layer])});
  }
  return "\nCosts; S: time on the link\n\n" + table.text();
}

}  // namespace upsweep
