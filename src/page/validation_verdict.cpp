#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html.hpp"
#include "upsweep/report/format.hpp"
#include "verdict.hpp"
#include "verdict_words.hpp"

namespace upsweep {
namespace {

/// How far predictions are off, where the machine was measured.
std::string prediction_errors_text(std::span<const RunDetails> runs) {
  double worst = 0;
  std::size_t predicted = 0;
  const StoredMachine* machine = nullptr;
  for (const RunDetails& run : runs) {
    if (run.measurements.empty()) continue;
    const StoredMeasurement& last = run.measurements.back();
    if (!last.predicted_s || last.measured_s <= 0 || !last.mismatch.empty()) continue;
    ++predicted;
    worst = std::max(worst, std::fabs(*last.predicted_s / last.measured_s - 1));
    if (run.machine) machine = &*run.machine;
  }
  if (predicted == 0) return "";
  if (machine != nullptr && machine->origin != "calibration") {
    return fmt::format(" Predictions are those of {}, a {}, no calibration of what ran: their errors say nothing.",
                       shortened(machine->name), shortened(machine->origin, 40));
  }
  return fmt::format(" Predicted times are at most {:.3g} % off.", 100 * worst);
}

}  // namespace

std::string validation_verdict(std::span<const RunDetails> runs) {
  const RunDetails* fastest = nullptr;
  const RunDetails* plain = nullptr;
  std::size_t measured = 0;
  std::size_t wrong = 0;
  const auto seconds = [](const RunDetails& run) { return run.measurements.back().measured_s; };
  for (const RunDetails& run : runs) {
    if (run.measurements.empty()) continue;
    ++measured;
    if (!run.measurements.back().mismatch.empty()) {
      ++wrong;
      continue;
    }
    if (is_plain(run.run)) plain = &run;
    if (fastest == nullptr || seconds(run) < seconds(*fastest)) fastest = &run;
  }
  if (measured == 0) return "Nothing was measured.";
  std::string text = wrong == 0 ? fmt::format("{} ran and gave the right gradients.",
                                              measured == 1 ? "1 schedule" : fmt::format("All {} schedules", measured))
                                : fmt::format("{} of {} schedules gave WRONG results.", wrong, measured);
  if (fastest == nullptr) return text;
  text += fmt::format(" The fastest is {} with {}", shortened(fastest->run.schedule), short_seconds(seconds(*fastest)));
  if (plain != nullptr && plain != fastest && seconds(*plain) > 0) {
    text += fmt::format(" against {} of plain back-propagation: {}", short_seconds(seconds(*plain)),
                        fastest->run.graph_bp_flops ? faster_text(seconds(*fastest) / seconds(*plain), kSameMeasurement)
                                                    : pays_text(seconds(*fastest) / seconds(*plain), kSameMeasurement));
  } else if (plain == fastest && measured > 1) {
    text += ", plain back-propagation itself: no scan is faster here";
  }
  return text + "." + prediction_errors_text(runs);
}

}  // namespace upsweep
