#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {
namespace {

std::optional<double> total_of(const std::optional<PassSeconds>& seconds) {
  return seconds ? std::optional(seconds->total()) : std::nullopt;
}

HtmlCell pass_result(const PassRow& row) {
  const auto bad = [](const std::string& text) {
    return HtmlCell{Markup("<span class=\"bad\">").text(text).add("</span>"), std::nullopt};
  };
  if (row.failure) return bad(fmt::format("did not run: {}", shortened(*row.failure)));
  if (row.mismatch) return bad(fmt::format("MISMATCH: {}", shortened(*row.mismatch)));
  if (row.best.value_or(false)) return text_cell("best");
  return text_cell(row.measured ? "right" : "");
}

Markup methods_table(const PassRecord& record) {
  // Counts of profiles and searches are those of one sequence; measured passes take the whole batch.
  const bool of_sequence = record.hidden > 0 && (record.command == "search" || record.command == "profile");
  HtmlTable table("Backward methods, seconds of one pass",
                  {{"method", false},
                   {"backend", false},
                   {of_sequence ? "FLOPs of a sequence" : "FLOPs"},
                   {"memory (bytes)"},
                   {of_sequence ? "makespan of a sequence (FLOPs)" : "makespan (FLOPs)"},
                   {"predicted (seconds)"},
                   {"measured (seconds)"},
                   {"Jacobians (seconds)"},
                   {"up (seconds)"},
                   {"middle (seconds)"},
                   {"down (seconds)"},
                   {"of the rounding bound"},
                   {"result", false}});
  for (const PassRow& row : record.passes) {
    const std::optional<PassSeconds>& phases = row.measured ? row.measured : row.predicted;
    const auto phase = [&](double PassSeconds::*member) {
      return seconds_cell(phases ? std::optional((*phases).*member) : std::nullopt);
    };
    table.row({text_cell(row.method), text_cell(row.backend.empty() ? "-" : row.backend), count_cell(row.flops),
               bytes_cell(row.bytes), count_cell(row.makespan_flops), seconds_cell(total_of(row.predicted)),
               seconds_cell(total_of(row.measured)), phase(&PassSeconds::jacobians), phase(&PassSeconds::up),
               phase(&PassSeconds::middle), phase(&PassSeconds::down), percent_cell(row.worst_share), pass_result(row)},
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

/// First and last losses of each method.
Markup losses_table(const PassRecord& record) {
  if (record.losses.empty()) return {};
  HtmlTable table("Training", {{"method", false},
                               {"iterations"},
                               {"first loss"},
                               {"loss, last iteration"},
                               {"accuracy, last iteration"},
                               {"largest difference of losses"}});
  const auto number = [](double value) { return HtmlCell{Markup().text(fmt::format("{:.5g}", value)), value}; };
  for (std::size_t i = 0; i < record.passes.size(); ++i) {
    const LossPoint* first = nullptr;
    const LossPoint* last = nullptr;
    for (const LossPoint& point : record.losses) {
      if (point.pass != i) continue;
      if (first == nullptr) first = &point;
      last = &point;
    }
    if (first == nullptr) continue;
    const auto& difference = record.passes[i].loss_difference;
    table.row({text_cell(record.passes[i].method), count_cell(static_cast<double>(last->iteration + 1)),
               number(first->loss), number(last->loss), percent_cell(last->accuracy),
               difference ? number(*difference) : HtmlCell{Markup("-"), {}}});
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
  out.add(methods_table(record)).add(losses_table(record));
  if (context.shelf.is_open()) {
    context.shelf.put(passes_figure(passes), out);
    context.shelf.put(losses_figure(passes), out);
  }
  return out.add(left_out_note(context, "run", passes.id)).add("</section>\n");
}

}  // namespace upsweep
