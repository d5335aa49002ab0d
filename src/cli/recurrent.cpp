#include "recurrent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/recurrent_report.hpp"

namespace upsweep::cli {
namespace {

HomogeneousChain chain_of(const RecurrentModel& model) {
  return model.is_fused ? fused_chain(model.shape.hidden, model.steps) : unfused_chain(model.shape.hidden, model.steps);
}

}  // namespace

bool is_recurrent(const ModelOptions& options) {
  if (!is_recurrent_file(options.model)) return false;
  const auto refuse = [&](const std::string& what) -> InputError {
    return InputError(
        fmt::format("{}: {} with a recurrent model, which is counted by closed forms", options.model, what));
  };
  if (options.pattern != "guaranteed") throw refuse("--pattern sample, accepted is guaranteed");
  if (options.machine) throw refuse("--machine, accepted are figures in FLOPs");
  if (options.db) throw refuse("--db, accepted is --format json");
  return true;
}

int profile_recurrent(const ModelOptions& options, const std::string& schedule) {
  const ScheduleRequest request = parse_schedule(schedule);
  const RecurrentModel model = load_recurrent(options.model);
  const HomogeneousChain chain = chain_of(model);
  const HomogeneousProfile profile = profile_homogeneous(chain, request.depth, model.value_bytes);
  const std::uint64_t workers =
      options.workers ? parse_positive("--workers", *options.workers) : std::max<std::uint64_t>(1, profile.widest);
  const HomogeneousPram pram = homogeneous_pram(profile, workers);
  const RecurrentProfileReport report{model, profile, pram, homogeneous_reference(chain, model.value_bytes),
                                      request.text};
  print_result(
      options.format, [&] { return to_json(report); }, [&] { return to_csv(report); }, [&] { return to_text(report); });
  return 0;
}

int search_recurrent(const ModelOptions& options, SearchOptions search) {
  const RecurrentModel model = load_recurrent(options.model);
  const HomogeneousChain chain = chain_of(model);
  search.value_bytes = model.value_bytes;
  if (options.workers) search.workers = parse_positive("--workers", *options.workers);
  const HomogeneousSearchResult result = search_homogeneous(chain, search);
  const RecurrentSearchReport report{model, result,
                                     overtaking_workers(chain, search.execution, search.scope, chain.elements)};
  print_result(
      options.format, [&] { return to_json(report); }, [&] { return to_csv(report); }, [&] { return to_text(report); });
  return 0;
}

}  // namespace upsweep::cli
