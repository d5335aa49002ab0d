#include "analysis.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/chain.hpp"

namespace upsweep::cli {

Model load(const ModelOptions& options) {
  Model model =
      load_model(options.model, pattern_kind(options) == PatternKind::sample ? Numbers::needed : Numbers::structure);
  try {
    require_pattern_memory(model.network, model.weights, machine_memory());
  } catch (const OperatorError& error) {
    throw model.located(error);
  }
  return model;
}

Analysis analyse_with_progress(const Model& model, PatternKind pattern, std::vector<Schedule> schedules) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto progress = [&](std::size_t done, std::size_t inputs) {
    if (!terminal) return;
    if (done < inputs) {
      fmt::print(stderr, "\rupsweep: counting products, input {} of {} ...", done + 1, inputs);
    } else {
      fmt::print(stderr, "\r\033[K");
    }
    std::fflush(stderr);
  };
  const NetworkView view{model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes};
  try {
    return analyse(view, pattern, std::move(schedules), progress);
  } catch (const OperatorError& error) {
    throw model.located(error);
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", model.file, error.what()));
  }
}

}  // namespace upsweep::cli
