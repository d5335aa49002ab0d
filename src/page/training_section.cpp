#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "verdict.hpp"

namespace upsweep {
namespace {

/// A figure of a variant that is no list's entry.
std::optional<double> figure_of(const TrainingRecord& record, std::size_t variant, const char* name) {
  const auto found = std::find_if(record.figures.begin(), record.figures.end(), [&](const TrainingFigure& figure) {
    return figure.variant == variant && !figure.index && figure.name == name;
  });
  return found == record.figures.end() ? std::nullopt : std::optional(found->value);
}

Markup variants_table(const TrainingRecord& record) {
  const auto has = [&](const char* name) {
    return std::any_of(record.figures.begin(), record.figures.end(),
                       [&](const TrainingFigure& figure) { return !figure.index && figure.name == name; });
  };
  const bool has_bubbles = has("bubble_fraction");
  std::vector<HtmlTable::Column> columns = {
      {"variant", false},
      {record.is_in_seconds ? "makespan (seconds)" : "makespan (units of the file)"},
      {"to the best"}};
  if (has_bubbles) columns.push_back({"idle (% of all devices' time)"});
  HtmlTable table("Variants", columns);
  for (std::size_t i = 0; i < record.variants.size(); ++i) {
    const auto makespan = figure_of(record, i, "makespan");
    HtmlCell time = seconds_cell(makespan);
    if (makespan && !record.is_in_seconds) time.content = Markup().text(fmt::format("{:.6g}", *makespan));
    const bool is_comparable = makespan && record.best_makespan && *record.best_makespan > 0;
    std::vector<HtmlCell> cells = {
        text_cell(record.variants[i]), time,
        ratio_cell(is_comparable ? std::optional(*makespan / *record.best_makespan) : std::nullopt)};
    if (has_bubbles) cells.push_back(percent_cell(figure_of(record, i, "bubble_fraction")));
    table.row(cells, record.best == i);
  }
  return table.markup();
}

}  // namespace

Markup training_section(const SectionContext& context, const StoredTraining& training) {
  const TrainingRecord& record = training.record;
  Markup out("<section");
  out.attribute("id", fmt::format("run-{}", training.id)).add("><h3>");
  out.text(fmt::format("Run {}: training step {}", training.id, shortened(record.name, 80)));
  std::string about = fmt::format("{}. {} on {} device{}", shown_time(training.created_utc), shortened(record.kind),
                                  record.devices, record.devices == 1 ? "" : "s");
  if (!record.model.empty()) about += fmt::format(", costs of {}", shortened(record.model));
  const std::string machine = entry_of(training).machine;
  if (!machine.empty()) about += fmt::format(", {}", machine);
  out.add("</h3>\n<p class=\"about\">").text(about).add(".</p>\n<p class=\"verdict\">");
  out.text(training_verdict(record)).add("</p>\n").add(variants_table(record));
  if (context.shelf.is_open()) {
    context.shelf.put(variants_figure(training), out);
    context.shelf.put(step_timeline_figure(training), out);
  }
  return out.add(left_out_note(context, "run", training.id)).add("</section>\n");
}

}  // namespace upsweep
