#include "upsweep/report/recurrent_report.hpp"

#include <fmt/format.h>

#include "homogeneous_parts.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

Json recurrent_model_json(const RecurrentModel& model) {
  Json object = {{"name", model.name},
                 {"input", {model.shape.input}},
                 {"recurrent",
                  {{"cell", to_string(model.shape.kind)},
                   {"hidden_size", model.shape.hidden},
                   {"steps", model.steps},
                   {"batch", model.batch},
                   {"fused", model.is_fused}}}};
  if (model.shape.kind == CellKind::rnn) object["recurrent"]["nonlinearity"] = to_string(model.shape.nonlinearity);
  return object;
}

}  // namespace

std::string recurrent_model_text(const RecurrentModel& model) {
  return fmt::format("{}: {} of {} hidden elements, {} steps, {} Jacobian{} per step", model.name,
                     to_string(model.shape.kind), model.shape.hidden, model.steps, model.is_fused ? "one" : "two",
                     model.is_fused ? "" : "s");
}

std::optional<std::uint64_t> recurrent_baseline_flops(const RecurrentModel& model) {
  if (model.shape.kind != CellKind::rnn) return std::nullopt;
  const std::uint64_t h = model.shape.hidden;
  return checked_add(checked_mul(model.steps - 1, checked_mul(2, checked_mul(h, h))),
                     checked_mul(model.steps, checked_mul(2, h)));
}

Json to_json(const RecurrentProfileReport& report) {
  Json object = {{"model", recurrent_model_json(report.model)}, {"pattern", "guaranteed"}};
  add_counts(object, {report.profile, report.pram, report.reference, report.requested},
             recurrent_baseline_flops(report.model));
  return object;
}

std::string to_csv(const RecurrentProfileReport& report) { return levels_csv(report.profile); }

std::string to_text(const RecurrentProfileReport& report, const TextStyle& style) {
  const HomogeneousProfile& profile = report.profile;
  return fmt::format(
      "{}\nSchedule {} over {} elements: {} ops in {} levels\n\n{}\n{}Figures are those of one sequence.\n",
      recurrent_model_text(report.model), profile.schedule, profile.chain.length(), profile.all.ops, profile.levels,
      levels_text(profile, style), figures_text({profile, report.pram, report.reference, report.requested}));
}

}  // namespace upsweep
