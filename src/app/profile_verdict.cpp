#include "profile_verdict.hpp"

#include "upsweep/report/search_report.hpp"

namespace upsweep {

Verdict verdict_of(const Model& model, PatternKind pattern, const CountedNetworkProfile& found) {
  const NetworkProfile& network = found.analysis.network;
  SearchReport report{model.name, "network", "", found.compared, to_string(pattern)};
  report.baseline_flops = network.baseline_flops;
  report.network = &model.network;
  report.network_profile = &network;
  report.priced_by = pricer_of(found.compared.options.machine);
  return profile_verdict(report);
}

Verdict verdict_of(const AnyModel& model, const CountedChainProfile& found) {
  const auto* chain = std::get_if<ChainModel>(&model);
  SearchReport report{chain != nullptr ? chain->name : std::get<RecurrentModel>(model).name,
                      chain != nullptr ? "chain" : "recurrent", "", found.compared};
  if (chain == nullptr) report.input = "sequence";
  report.priced_by = pricer_of(found.compared.options.machine);
  return profile_verdict(report);
}

Verdict verdict_of(const ProfileOutcome& outcome, const DeviceSearchResult& passes) {
  SearchReport report{std::get<RecurrentModel>(outcome.model).name, "recurrent", "", passes};
  report.plain = "the sequential pass";
  report.input = "sequence";
  report.priced_by = outcome.machine->kind == MachineKind::pram ? "pram" : "kernels";
  return profile_verdict(report);
}

}  // namespace upsweep
