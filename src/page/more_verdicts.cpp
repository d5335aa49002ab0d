#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "html.hpp"
#include "upsweep/report/format.hpp"
#include "verdict.hpp"
#include "verdict_words.hpp"

namespace upsweep {
namespace {

/// What methods of a recurrent model are compared by.
struct PassBasis {
  std::string_view what;
  bool is_seconds = true;
  double same = kSamePrediction;               ///< see faster_text()
  double (*of)(const PassRow& row) = nullptr;  ///< > 0, or NaN
};

double total_or_nan(const std::optional<PassSeconds>& seconds) {
  return seconds && seconds->total() > 0 ? seconds->total() : NAN;
}

/// Measured times where there are any, else predicted ones, else counts: figures of one kind are compared only. Null
/// where there is nothing of these.
const PassBasis* basis_of(const PassRecord& record) {
  static constexpr std::array kBases = {
      PassBasis{"measured for a backward pass", true, kSameMeasurement,
                [](const PassRow& row) { return total_or_nan(row.measured); }},
      PassBasis{"predicted for a backward pass", true, kSamePrediction,
                [](const PassRow& row) { return total_or_nan(row.predicted); }},
      PassBasis{"FLOPs on the longest worker, for one sequence", false, kSamePrediction, [](const PassRow& row) {
                  const double flops = row.makespan_flops.value_or(0);
                  return flops > 0 ? flops : NAN;
                }}};
  const auto found = std::ranges::find_if(kBases, [&](const PassBasis& basis) {
    return std::ranges::any_of(record.passes, [&](const PassRow& row) { return basis.of(row) > 0; });
  });
  return found == kBases.end() ? nullptr : &*found;
}

/// Back-propagation through time, or whatever else comes first; null where it did not run or is wrong.
const PassRow* plain_pass(const PassRecord& record) {
  const auto found = std::ranges::find_if(record.passes, [](const PassRow& row) {
    return row.method == "bptt" || row.method == "linear" || row.method == "hybrid:0";
  });
  const PassRow* plain = found != record.passes.end() ? &*found : record.passes.empty() ? nullptr : &record.passes[0];
  return plain == nullptr || plain->failure || plain->mismatch ? nullptr : plain;
}

/// A training's figure of a variant, without an index.
const TrainingFigure* figure_named(const TrainingRecord& record, std::size_t variant, const char* name) {
  const auto found = std::ranges::find_if(record.figures, [&](const TrainingFigure& figure) {
    return figure.variant == variant && !figure.index && figure.name == name;
  });
  return found == record.figures.end() ? nullptr : &*found;
}

FigureData details_of(const StoredAnswer& answer) {
  FigureData details = FigureData::parse(answer.details, nullptr, false);
  return details.is_object() ? details : FigureData::object();
}

double number_of(const FigureData& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

std::string text_of(const FigureData& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// "1.107x to 1.745x" of all answers that tell; empty: none does.
std::string speedups_text(const std::vector<FigureData>& answers) {
  double least = INFINITY;
  double most = 0;
  for (const FigureData& answer : answers) {
    least = std::fmin(least, number_of(answer, "speedup_least"));
    most = std::fmax(most, number_of(answer, "speedup_most"));
  }
  if (!(most > 0) || !std::isfinite(least)) return "";
  return least == most ? short_ratio(least) : fmt::format("{} to {}", short_ratio(least), short_ratio(most));
}

/// "3 of 9 places everywhere, 2 nowhere, 4 from or up to a value", and what limits the scan there.
std::string crossovers_text(const std::vector<FigureData>& answers) {
  std::size_t everywhere = 0;
  std::size_t nowhere = 0;
  std::size_t unknown = 0;
  std::map<std::string, std::size_t> bindings;
  for (const FigureData& answer : answers) {
    const std::string faster = text_of(answer, "faster");
    everywhere += faster == "everywhere" ? 1 : 0;
    nowhere += faster == "nowhere" ? 1 : 0;
    unknown += faster == "unknown" ? 1 : 0;
    if (const std::string binding = text_of(answer, "binding"); !binding.empty()) ++bindings[binding];
  }
  const std::size_t some = answers.size() - everywhere - nowhere - unknown;
  std::string text;
  const auto part = [&](std::size_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} at {} of {} place{}", text.empty() ? "" : ", ", what, count, answers.size(),
                        answers.size() == 1 ? "" : "s");
  };
  part(everywhere, "everywhere");
  part(some, "in a part of the axis");
  part(nowhere, "nowhere");
  part(unknown, "unknown");
  const std::string along = text_of(answers.front(), "along");
  text = fmt::format("Along {} the scan is faster {}", along.empty() ? "the axis" : shortened(along, 60), text);
  if (const std::string speedups = speedups_text(answers); !speedups.empty()) text += fmt::format(" ({})", speedups);
  const auto most = std::ranges::max_element(bindings, {}, [](const auto& binding) { return binding.second; });
  if (most != bindings.end()) {
    text += fmt::format("; {}{}", bindings.size() == 1 ? "" : "most often ", binds_text(shortened(most->first, 40)));
  }
  return text + ".";
}

std::string wins_text(const FigureData& best) {
  std::string text;
  if (const std::string speedups = speedups_text({best}); !speedups.empty()) {
    text = fmt::format("The best scan runs at {} the speed of plain back-propagation", speedups);
  }
  const auto wins = best.find("wins");
  if (wins != best.end() && wins->is_object() && !wins->empty() && wins->begin().value().is_number()) {
    text += fmt::format("{} {} wins most often, at {} of {} points", text.empty() ? "The schedule" : "; the schedule",
                        shortened(wins->begin().key(), 60), short_count(wins->begin().value().get<double>()),
                        short_count(std::fmax(0, number_of(best, "points"))));
  }
  return text.empty() ? text : text + ".";
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
                        pays_text(seconds(*fastest) / seconds(*plain), kSameMeasurement));
  } else if (plain == fastest && measured > 1) {
    text += ", plain back-propagation itself: the scan does not pay here";
  }
  text += ".";
  double worst = 0;
  std::size_t predicted = 0;
  for (const RunDetails& run : runs) {
    if (run.measurements.empty()) continue;
    const StoredMeasurement& last = run.measurements.back();
    if (!last.predicted_s || last.measured_s <= 0) continue;
    ++predicted;
    worst = std::max(worst, std::fabs(*last.predicted_s / last.measured_s - 1));
  }
  if (predicted > 0) text += fmt::format(" Predicted times are at most {:.3g} % off.", 100 * worst);
  return text;
}

std::string passes_verdict(const PassRecord& record) {
  const PassBasis* basis = basis_of(record);
  const auto wrong = std::ranges::count_if(record.passes, [](const PassRow& row) { return row.mismatch.has_value(); });
  std::string text;
  if (wrong > 0) text = fmt::format("{} of {} methods gave WRONG gradients. ", wrong, record.passes.size());
  const PassRow* best = nullptr;
  if (basis != nullptr) {
    for (const PassRow& row : record.passes) {
      const double value = basis->of(row);
      if (row.failure || row.mismatch || !(value > 0)) continue;
      if (best == nullptr || value < basis->of(*best)) best = &row;
    }
  }
  if (best == nullptr) {
    const auto chosen =
        std::ranges::find_if(record.passes, [](const PassRow& row) { return row.best.value_or(false); });
    if (chosen != record.passes.end()) return text + fmt::format("The best is {}.", shortened(chosen->method));
    return text + fmt::format("{} methods were counted.", record.passes.size());
  }
  const auto amount = [&](double value) { return basis->is_seconds ? short_seconds(value) : short_count(value); };
  const double value = basis->of(*best);
  const PassRow* plain = plain_pass(record);
  const double plain_value = plain != nullptr ? basis->of(*plain) : NAN;
  text += fmt::format("{} on {}: {} with {} {}", basis->is_seconds ? "Fastest" : "Best", workers_text(record.workers),
                      shortened(best->method), amount(value), basis->what);
  if (best == plain) {
    if (record.passes.size() > 1) text += ": no scan is faster";
  } else if (plain_value > 0) {
    text += fmt::format(", {} of {} ({}): {}", short_ratio(value / plain_value), shortened(plain->method),
                        amount(plain_value), faster_text(value / plain_value, basis->same));
  }
  return text + ".";
}

std::string training_verdict(const TrainingRecord& record) {
  const auto time = [&](double value) {
    return record.is_in_seconds ? short_seconds(value) : fmt::format("{:.6g} units of its file", value);
  };
  if (record.kind == "reverse_first_k_memory") {
    return "How much memory deferring the gradients of the first k layers takes, and the largest k that fits, stand in "
           "the table below.";
  }
  if (!record.best || *record.best >= record.variants.size() || !record.best_makespan) {
    return fmt::format("{} variants; none of them has a best makespan that fits.", record.variants.size());
  }
  const double best = *record.best_makespan;
  const std::string count =
      record.variants.size() == 1 ? "only variant" : fmt::format("best of {} variants", record.variants.size());
  std::string text = fmt::format("The {} is {} with {}", count, shortened(record.variants[*record.best]), time(best));
  const TrainingFigure* slowest = nullptr;
  std::size_t faster = 0;
  std::size_t fastest = 0;
  double least = best;
  for (std::size_t i = 0; i < record.variants.size(); ++i) {
    const TrainingFigure* makespan = figure_named(record, i, "makespan");
    if (makespan == nullptr || figure_named(record, i, "does_not_fit") != nullptr) continue;
    if (slowest == nullptr || makespan->value > slowest->value) slowest = makespan;
    if (!record.variants[i].starts_with("scan ") || makespan->value >= best) continue;
    ++faster;
    if (makespan->value < least) {
      least = makespan->value;
      fastest = i;
    }
  }
  if (faster > 0) {  // a scan is no policy: the file asks for the best of those
    text = fmt::format("The best policy is {} with {}; {} takes {}, {} of it", shortened(record.variants[*record.best]),
                       time(best), shortened(record.variants[fastest]), time(least), short_ratio(least / best));
  } else if (slowest != nullptr && best > 0 && slowest->value > best) {
    text += fmt::format(", {} than {} ({})", faster_text(best / slowest->value, 0),
                        shortened(record.variants[slowest->variant]), time(slowest->value));
  }
  return text + ".";
}

std::string study_verdict(const StoredStudy& study) {
  std::vector<FigureData> crossovers;
  const StoredAnswer* only = nullptr;
  const StoredAnswer* best = nullptr;
  for (const StoredAnswer& answer : study.answers) {
    FigureData details = details_of(answer);
    if (best == nullptr && answer.question == "best" && details.contains("wins")) best = &answer;
    if (answer.question != "crossover" || !details.contains("faster")) continue;
    crossovers.push_back(std::move(details));
    only = &answer;
  }
  std::string text;
  if (crossovers.size() == 1) text = shortened(only->sentence, 600) + ".";
  if (crossovers.size() > 1) text = crossovers_text(crossovers);
  if (best != nullptr) {
    const std::string wins = wins_text(details_of(*best));
    text += text.empty() || wins.empty() ? wins : fmt::format(" {}", wins);
  }
  if (text.empty() && !study.answers.empty()) text = shortened(study.answers.front().sentence, 600) + ".";
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string study_state(const StoredStudy& study, const std::vector<StudyPointRow>& points) {
  std::map<std::string, std::size_t> counts;
  for (const StudyPointRow& point : points) ++counts[point.status];
  std::string text = study.points == 1 ? "1 point" : fmt::format("{} points", study.points);
  const char* separator = ": ";
  for (const char* status : {"done", "infeasible", "invalid", "excluded"}) {
    const auto found = counts.find(status);
    if (found == counts.end()) continue;
    text += fmt::format("{}{} {}", separator, found->second, status);
    separator = ", ";
  }
  if (study.is_complete) return text + ".";
  return text + "; not all of them are there yet: the same command goes on with the rest.";
}

}  // namespace upsweep
