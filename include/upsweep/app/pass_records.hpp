#pragma once

#include "upsweep/app/session.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/report/passes_report.hpp"
#include "upsweep/report/train_report.hpp"
#include "upsweep/search/device_search.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/store/pass_record.hpp"

namespace upsweep {

/// Settings and outcome of a search as they are kept.
[[nodiscard]] SearchRecord search_record(const SearchResult& result);

/// What all records of a recurrent model have in common.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const std::string& command, const RecurrentModel& model);

/// A validation as it is kept.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const PassesReport& report);

/// A profile as it is kept: figures of all ops, and how it was compared with plain back-propagation; of a pass on a
/// machine beside the sequential one.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model,
                                     const HomogeneousProfile& profile, const SearchResult& compared);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const Machine& machine,
                                     const std::string& method, const DevicePrediction& prediction);

/// A search as it is kept: a pass per candidate and scheme, depth 0 or the sequential pass first, the best of all
/// marked; of a stack of layers a profile, too.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const SearchResult& result);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const Machine& machine,
                                     const DeviceSearchResult& result);
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const std::string& command, const RecurrentModel& model,
                                     const StackedSearchResult& result);

/// A training as it is kept: a pass per curve, its seconds the means over the iterations.
[[nodiscard]] PassRecord pass_record(const Caller& invocation, const TrainReport& report);

}  // namespace upsweep
