#include "upsweep/app/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/report/formula_report.hpp"

namespace upsweep {
namespace {

/// The residues that a request asks for, of a stride of `step`. Throws RequestError.
std::vector<ImageSize> residues_of(const FormulaRequest& request, const Network& network, std::uint64_t step) {
  if (request.all_residues) {
    std::vector<ImageSize> all;
    for (std::uint64_t residue = 0; residue < step; ++residue) all.push_back({residue, residue});
    return all;
  }
  if (!request.residue) return {{network.input()[1] % step, network.input()[2] % step}};
  if (std::max(request.residue->height, request.residue->width) >= step) {
    throw RequestError("residue", fmt::format("is {}x{}, accepted are 0 to {}: the accumulated stride is {}",
                                              request.residue->height, request.residue->width, step - 1, step));
  }
  return {*request.residue};
}

}  // namespace

Document document(const FormulaOutcome& outcome) { return formulas_document(outcome.model, outcome.residues); }

FormulaOutcome run(const FormulaRequest& request, const Caller&, const Watch& watch) {
  const ScheduleRequest schedule = schedule_request(request.schedule);
  const Model model = require_network(load_model(request.model, Numbers::structure), "formula");
  if (model.network.input().size() != 3) {
    throw InputError(
        fmt::format("{}: `input` is [features], accepted is [channels, height, width]: formulas are of the "
                    "image's size",
                    model.file));
  }
  const MemoryCeiling ceiling(request.count_memory.value_or(machine_memory()));
  FormulaSettings settings;
  settings.schedule = [&](std::size_t length) { return schedule_over(schedule, length, {}); };
  settings.most_size = request.most_size;
  settings.limits.pairs = request.count_limit.value_or(kMostPairs);
  settings.limits.stop = watch.stop;
  settings.progress = [&](ImageSize size) {
    watch.show(fmt::format("counting images of {} x {}", size.height, size.width));
  };
  FormulaOutcome outcome{model.name, {}};
  try {
    model.at_operators([&] {
      const std::uint64_t step = accumulated_stride(model.network);
      for (const ImageSize& residue : residues_of(request, model.network, step)) {
        settings.residue = residue;
        outcome.residues.push_back(
            image_formulas({model.network, model.weights, nullptr, model.value_bytes}, settings));
      }
    });
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models or images", model.file, error.what()));
  }
  watch.show("");
  return outcome;
}

}  // namespace upsweep
