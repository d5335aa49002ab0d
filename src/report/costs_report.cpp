#include <fmt/format.h>

#include "training_parts.hpp"

namespace upsweep {
namespace {

std::string layer_text(const TrainingFile& file, std::size_t layer) {
  if (!file.source || layer >= file.source->layer_names.size()) return "";
  return file.source->layer_names[layer];
}

/// A cost, or nothing for an operation that does not exist.
Value cost_value(const TrainingFile& file, double cost) { return cost > 0 ? time_value(file, cost) : Value(); }

/// The first columns: a layer and its name.
std::vector<Column> columns_of(const std::vector<const char*>& heads) {
  std::vector<Column> columns = {{"", "layer", Unit::exact}, {"", "", Unit::text}};
  for (const char* head : heads) columns.push_back({"", head, Unit::exact});
  return columns;
}

}  // namespace

Document costs_document(const TrainingFile& file, const PipelineStudy& study) {
  const PipelineChoice& choice = study.choices.front();
  const Pipeline& pipeline = choice.pipeline;
  std::vector<std::vector<Value>> rows;
  for (std::uint32_t layer = 0; layer < pipeline.layers(); ++layer) {
    const auto cost = [&](StepOpKind kind) { return cost_value(file, pipeline.cost({kind, layer, 0})); };
    const bool has_next = layer + 1 < pipeline.layers();
    const double size = has_next ? pipeline.transfer_sizes[layer] : 0;
    rows.push_back({layer + 1, layer_text(file, layer), pipeline.device_of[layer], cost(StepOpKind::forward),
                    cost(StepOpKind::output_gradient), cost(StepOpKind::weight_gradient), cost(StepOpKind::update),
                    !has_next     ? Value()
                    : file.source ? Value(size).in(Unit::bytes)
                                  : number_value(size)});
  }
  Document document;
  return std::move(
      document
          .say(fmt::format("\nCosts of {} per micro-batch; size: of the tensor to the next layer\n\n", choice.label))
          .show({"", columns_of({"device", "F", "O", "W", "U", "size"}), std::move(rows)}));
}

Document costs_document(const TrainingFile& file, const DataParallelStudy& study) {
  std::vector<std::vector<Value>> rows;
  for (std::uint32_t layer = 0; layer < study.step.layers(); ++layer) {
    const auto cost = [&](StepOpKind kind) { return cost_value(file, study.step.cost({kind, layer, 0})); };
    rows.push_back({layer + 1, layer_text(file, layer), cost(StepOpKind::forward), cost(StepOpKind::output_gradient),
                    cost(StepOpKind::weight_gradient), time_value(file, study.step.synchronisation[layer])});
  }
  Document document;
  return std::move(
      document.say("\nCosts; S: time on the link\n\n").show({"", columns_of({"F", "O", "W", "S"}), std::move(rows)}));
}

}  // namespace upsweep
