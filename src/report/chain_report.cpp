#include "upsweep/report/chain_report.hpp"

#include <fmt/format.h>

#include "homogeneous_parts.hpp"

namespace upsweep {
namespace {

const char* kind_text(ElementKind kind) {
  switch (kind) {
    case ElementKind::dense:
      return "dense";
    case ElementKind::diagonal:
      return "diagonal";
    case ElementKind::banded:
      return "banded";
    case ElementKind::uniform:
      return "uniform";
  }
  return "";
}

std::string kinds_text(const HomogeneousChain& chain) {
  std::string text;
  for (const ElementKind kind : chain.kinds) text += fmt::format("{}{}", text.empty() ? "" : " and ", kind_text(kind));
  return text;
}

std::string structure_text(const HomogeneousChain& chain) {
  switch (chain.kinds.front()) {
    case ElementKind::banded:
      return fmt::format(", {} off the diagonal at most", chain.half_bandwidth);
    case ElementKind::uniform:
      return fmt::format(", {:.4g} of the entries at random", chain.density);
    default:
      return "";
  }
}

Json time_json(const ChainProfileReport& report) {
  if (!report.seconds) return {};
  return {{"machine", report.machine ? Json(*report.machine) : Json()}, {"seconds", {{"level", *report.seconds}}}};
}

ClosedFormCounts counted(const ChainProfileReport& report) {
  return {report.profile, report.pram, report.reference, report.requested};
}

Json chain_model_json(const ChainModel& model) {
  const HomogeneousChain& chain = model.chain;
  const ElementKind kind = chain.kinds.front();
  return {{"name", model.name},
          {"chain",
           {{"kind", kinds_text(chain)},
            {"length", chain.elements},
            {"size", chain.size},
            {"half_bandwidth", kind == ElementKind::banded ? Json(chain.half_bandwidth) : Json()},
            {"density", kind == ElementKind::uniform ? Json(chain.density) : Json()}}},
          {"value_bytes", model.value_bytes}};
}

}  // namespace

std::string chain_model_text(const ChainModel& model) {
  const HomogeneousChain& chain = model.chain;
  return fmt::format("{}: chain of {} {} Jacobian{} of {} x {}{}", model.name, chain.elements, kinds_text(chain),
                     chain.elements == 1 ? "" : "s", chain.size, chain.size, structure_text(chain));
}

std::string expectation_text(const ChainModel& model) {
  return model.chain.is_exact() ? "" : "Expected counts, not exact ones: entries are random.\n";
}

Json to_json(const ChainProfileReport& report) {
  Json object = {
      {"model", chain_model_json(report.model)}, {"exact", report.model.chain.is_exact()}, {"pattern", "guaranteed"}};
  add_counts(object, counted(report), std::nullopt);
  object["time"] = time_json(report);
  return object;
}

std::string to_csv(const ChainProfileReport& report) { return levels_csv(report.profile); }

std::string to_text(const ChainProfileReport& report, const TextStyle& style) {
  const HomogeneousProfile& profile = report.profile;
  std::string text =
      fmt::format("{}\nSchedule {} over {} elements: {} ops in {} levels\n\n{}\n{}", chain_model_text(report.model),
                  profile.schedule, profile.chain.length(), profile.all.ops, profile.levels,
                  levels_text(profile, style), figures_text(counted(report)));
  if (report.seconds) {
    text += fmt::format("Predicted on {} ({} worker{}): {} with barriers (level).\n",
                        report.machine.value_or("the machine"), report.pram.workers,
                        report.pram.workers == 1 ? "" : "s", short_seconds(*report.seconds));
  }
  return text + expectation_text(report.model);
}

}  // namespace upsweep
