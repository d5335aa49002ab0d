#pragma once

#include "upsweep/app/session.hpp"
#include "upsweep/report/chain_report.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/passes_report.hpp"
#include "upsweep/report/stacked_report.hpp"
#include "upsweep/report/train_report.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/store/pass_record.hpp"

namespace upsweep {

/// What all records of a recurrent model have in common.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const std::string& command, const RecurrentModel& model);

/// A validation as it is kept.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const PassesReport& report);

/// A profile as it is kept: figures of all ops.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model,
                                     const HomogeneousProfile& profile, const PramProfile& pram);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const DeviceProfileReport& report);

/// A search as it is kept: a pass per candidate and scheme, depth 0 or the sequential pass first, the best of all
/// marked.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const SearchResult& result);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const DeviceSearchReport& report);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const StackedReport& report);

/// A training as it is kept: a pass per curve, its seconds the means over the iterations.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const TrainReport& report);

}  // namespace upsweep
