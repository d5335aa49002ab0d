#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

/// A figure of a variant that is no list's entry.
std::optional<double> figure_of(const TrainingRecord& record, std::size_t variant, const char* name) {
  const auto found = std::find_if(record.figures.begin(), record.figures.end(), [&](const TrainingFigure& figure) {
    return figure.variant == variant && !figure.index && figure.name == name;
  });
  return found == record.figures.end() ? std::nullopt : std::optional(found->value);
}

/// The largest of a variant's figures of a list.
std::optional<double> largest_of(const TrainingRecord& record, std::size_t variant, const char* name) {
  std::optional<double> largest;
  for (const TrainingFigure& figure : record.figures) {
    if (figure.variant == variant && figure.index && figure.name == name)
      largest = std::max(largest.value_or(figure.value), figure.value);
  }
  return largest;
}

/// What the terminal says beside a variant.
std::string variant_remark(const TrainingRecord& record, std::size_t variant) {
  const bool is_best = record.best == variant;
  std::string text = is_best ? "best" : figure_of(record, variant, "does_not_fit") ? "does not fit" : "";
  const auto makespan = figure_of(record, variant, "makespan");
  if (text.empty() && makespan && makespan == record.best_makespan) text = "as fast";
  if (record.variants[variant] == "scan linear") text = "no scan, any device";
  const bool is_scan = record.variants[variant].starts_with("scan ");
  if (is_scan && text.empty() && makespan && record.best_makespan && *makespan < *record.best_makespan)
    text = "faster than every policy";
  const bool is_stale = std::any_of(record.figures.begin(), record.figures.end(), [&](const TrainingFigure& figure) {
    return figure.variant == variant && figure.name == "staleness" && figure.value > 0;
  });
  if (is_stale) text += text.empty() ? "stale weights" : ", stale weights";
  return text;
}

/// Memory by k, largest k by limit: figures of `upsweep training` on reverse first-k within memory.
Markup first_k_tables(const TrainingRecord& record) {
  HtmlTable memory("Memory with the gradients of the first k layers deferred",
                   {{"", "k", Unit::count}, {"", "memory (units of the file)", Unit::count}});
  HtmlTable limits("The largest k that fits",
                   {{"", "memory limit (units of the file)", Unit::count}, {"", "largest k", Unit::count}});
  const auto plain = [](double value) { return Value(value).shown(fmt::format("{:.10g}", value)); };
  const auto largest_k = [&](std::uint64_t index) {
    const auto found = std::find_if(record.figures.begin(), record.figures.end(), [&](const TrainingFigure& figure) {
      return figure.name == "max_k" && figure.index == index;
    });
    return found == record.figures.end() ? Value("none") : plain(found->value);
  };
  for (const TrainingFigure& figure : record.figures) {
    if (!figure.index) continue;
    if (figure.name == "f") memory.row({plain(static_cast<double>(*figure.index)), plain(figure.value)});
    if (figure.name == "limit") limits.row({plain(figure.value), largest_k(*figure.index)});
  }
  Markup out;
  if (memory.rows() > 0) out.add(memory.markup());
  if (limits.rows() > 0) out.add(limits.markup());
  return out;
}

Markup variants_table(const TrainingRecord& record) {
  const auto has = [&](const char* name) {
    return std::any_of(record.figures.begin(), record.figures.end(),
                       [&](const TrainingFigure& figure) { return !figure.index && figure.name == name; });
  };
  const bool has_bubbles = has("bubble_fraction");
  const auto reference = record.variants.empty() ? std::nullopt : figure_of(record, 0, "makespan");
  std::vector<Column> columns = {
      {"", "variant", Unit::text},
      {"", record.is_in_seconds ? "makespan" : "makespan (units of the file)", Unit::seconds},
      {"", reference ? fmt::format("speed-up (against {})", shortened(record.variants.front(), 40)) : "speed-up",
       Unit::speedup}};
  if (has_bubbles) columns.push_back({"", "idle (% of all devices' time)", Unit::share});
  const auto has_list = [&](const char* name) {
    return std::any_of(record.figures.begin(), record.figures.end(),
                       [&](const TrainingFigure& figure) { return figure.index && figure.name == name; });
  };
  const bool has_bytes = has_list("memory_bytes");
  const bool has_tensors = has_list("peak_act_plus_grad");
  if (has_tensors) columns.push_back({"", "tensors (most on a device)", Unit::exact});
  if (has_bytes) columns.push_back({"", "memory (most on a device, weights included)", Unit::bytes});
  columns.push_back({"", "remark", Unit::text});
  HtmlTable table("Variants", columns);
  for (std::size_t i = 0; i < record.variants.size(); ++i) {
    const auto makespan = figure_of(record, i, "makespan");
    Value time = makespan;
    if (makespan && !record.is_in_seconds) time = Value(makespan).shown(fmt::format("{:.6g}", *makespan));
    std::vector<Value> cells = {
        Value(record.variants[i]), time,
        reference && makespan && *makespan > 0 ? std::optional(*reference / *makespan) : std::nullopt};
    if (has_bubbles) cells.emplace_back(figure_of(record, i, "bubble_fraction"));
    if (has_tensors) {
      const auto tensors = largest_of(record, i, "peak_act_plus_grad");
      const double size = figure_of(record, i, "tensor_size").value_or(1);
      cells.push_back(tensors ? Value(*tensors * size).shown(fmt::format("{:.4g}", *tensors * size)) : Value());
    }
    if (has_bytes) cells.emplace_back(largest_of(record, i, "memory_bytes"));
    cells.emplace_back(variant_remark(record, i));
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
  out.add("</h3>\n<p class=\"about\">").text(about).add(".</p>\n").add(verdict_markup(record.verdict));
  const bool is_first_k = record.kind == "reverse_first_k_memory";
  out.add(is_first_k ? first_k_tables(record) : variants_table(record));
  if (context.shelf.is_open()) {
    context.shelf.put(variants_figure(training), out);
    context.shelf.put(step_timeline_figure(training), out);
  }
  return out.add(left_out_note(context, "run", training.id)).add("</section>\n");
}

}  // namespace upsweep
