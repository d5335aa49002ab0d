#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/learning/curve.hpp"

namespace upsweep {
namespace {

std::optional<double> total_of(const std::optional<PassSeconds>& seconds) {
  return seconds ? std::optional(seconds->total()) : std::nullopt;
}

Value pass_result(const PassRow& row) {
  const auto bad = [](const std::string& text) { return Value(text).bad(); };
  if (row.failure) return bad(fmt::format("did not run: {}", shortened(*row.failure)));
  if (row.mismatch) return bad(fmt::format("MISMATCH: {}", shortened(*row.mismatch)));
  if (row.best.value_or(false)) return Value("best");
  return Value(row.measured ? "right" : "");
}

Markup methods_table(const PassRecord& record) {
  // Counts of profiles and searches are those of one sequence; measured passes take the whole batch.
  const bool of_sequence = record.hidden > 0 && (record.command == "search" || record.command == "profile");
  HtmlTable table("Backward methods, seconds of one pass",
                  {{"", "method", Unit::text},
                   {"", "backend", Unit::text},
                   {"", of_sequence ? "FLOPs of a sequence" : "FLOPs"},
                   {"", "memory", Unit::bytes},
                   {"", of_sequence ? "makespan of a sequence (FLOPs)" : "makespan (FLOPs)"},
                   {"", "predicted", Unit::seconds},
                   {"", "measured", Unit::seconds},
                   {"", "Jacobians", Unit::seconds},
                   {"", "up", Unit::seconds},
                   {"", "middle", Unit::seconds},
                   {"", "down", Unit::seconds},
                   {"", "of the rounding bound", Unit::share},
                   {"", "result", Unit::text}});
  for (const PassRow& row : record.passes) {
    const std::optional<PassSeconds>& phases = row.measured ? row.measured : row.predicted;
    const auto phase = [&](double PassSeconds::*member) {
      return phases ? std::optional((*phases).*member) : std::nullopt;
    };
    table.row(
        {Value(row.method), Value(row.backend.empty() ? "-" : row.backend), row.flops, row.bytes, row.makespan_flops,
         total_of(row.predicted), total_of(row.measured), phase(&PassSeconds::jacobians), phase(&PassSeconds::up),
         phase(&PassSeconds::middle), phase(&PassSeconds::down), row.worst_share, pass_result(row)},
        row.best.value_or(false));
  }
  return table.markup();
}

std::string passes_facts(const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  std::string text = fmt::format("{}. {}", shown_time(passes.created_utc), shortened(record.network));
  if (record.hidden > 0) text += fmt::format(", {} hidden elements", record.hidden);
  if (record.steps > 0) text += fmt::format(", {} steps", record.steps);
  text += fmt::format(", batch {}, {} bytes a value, {} worker{}", record.batch, record.value_bytes, record.workers,
                      record.workers == 1 ? "" : "s");
  if (record.forward_s) text += fmt::format(", forward pass {}", short_seconds(*record.forward_s));
  if (record.parameters_s) text += fmt::format(", parameter gradients {}", short_seconds(*record.parameters_s));
  const std::string machine = entry_of(passes).machine;
  if (!machine.empty()) text += fmt::format("; {}", machine);
  return text + ".";
}

/// The losses of a method with their accuracies, by iteration.
struct MethodLosses {
  std::vector<double> loss;
  std::vector<double> accuracy;
};

/// First and last losses of each method, as `train` prints them.
Markup losses_table(const PassRecord& record) {
  if (record.losses.empty()) return {};
  std::vector<MethodLosses> methods(record.passes.size());
  std::size_t longest = 0;
  for (const LossPoint& point : record.losses) {
    if (point.pass >= methods.size()) continue;
    methods[point.pass].loss.push_back(point.loss);
    methods[point.pass].accuracy.push_back(point.accuracy);
    longest = std::max(longest, methods[point.pass].loss.size());
  }
  const std::size_t last = last_iterations(longest);
  const std::string of = last == 1 ? "of the last iteration" : fmt::format("mean of the last {} iterations", last);
  HtmlTable table("Training", {{"", "method", Unit::text},
                               {"", "iterations", Unit::count},
                               {"", "first loss", Unit::count},
                               {"", fmt::format("last loss ({})", of), Unit::count},
                               {"", fmt::format("accuracy ({})", of), Unit::share},
                               {"", "largest difference of losses", Unit::count}});
  const auto number = [](double value) { return Value(value).shown(fmt::format("{:.6f}", value)); };
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const MethodLosses& method = methods[i];
    if (method.loss.empty()) continue;
    const auto& difference = record.passes[i].loss_difference;
    table.row({Value(record.passes[i].method), static_cast<double>(method.loss.size()), number(method.loss.front()),
               number(mean_of_last(method.loss, last)), mean_of_last(method.accuracy, last),
               difference ? Value(*difference).shown(fmt::format("{:.3g}", *difference)) : Value()});
  }
  return table.markup();
}

}  // namespace

Markup passes_section(const SectionContext& context, const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  Markup out("<section");
  out.attribute("id", fmt::format("run-{}", passes.id)).add("><h3>");
  out.text(fmt::format("Run {}: {} of {}", passes.id, record.command, shortened(record.model, 80)));
  out.add("</h3>\n<p class=\"about\">").text(passes_facts(passes)).add("</p>\n").add(verdict_markup(record.verdict));
  if (const auto kept = context.store.explanation_of(passes.id)) out.add(reasons_markup(read_explanation(*kept)));
  out.add(methods_table(record)).add(losses_table(record));
  if (context.shelf.is_open()) {
    context.shelf.put(passes_figure(passes), out);
    context.shelf.put(crossover_figure(passes), out);
    context.shelf.put(losses_figure(passes), out);
  }
  return out.add(left_out_note(context, "run", passes.id)).add("</section>\n");
}

}  // namespace upsweep
