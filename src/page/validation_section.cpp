#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "candidates.hpp"
#include "sections.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

Markup schedules_table(std::span<const RunDetails> runs) {
  HtmlTable table("Schedules that were run (medians)", {{"", "schedule", Unit::text},
                                                        {"", "backend", Unit::text},
                                                        {"", "workers", Unit::count},
                                                        {"", "FLOPs", Unit::count},
                                                        {"", "predicted", Unit::seconds},
                                                        {"", "measured", Unit::seconds},
                                                        {"", "predicted to measured", Unit::ratio},
                                                        {"", "measured, vs plain", Unit::speedup},
                                                        {"", "building", Unit::seconds},
                                                        {"", "of the rounding bound", Unit::share},
                                                        {"", "result", Unit::text}});
  const RunDetails* fastest = fastest_of(runs);
  const auto plain = std::find_if(runs.begin(), runs.end(), [](const RunDetails& run) {
    return is_plain(run.run) && !run.measurements.empty() && run.measurements.back().measured_s > 0;
  });
  for (const RunDetails& run : runs) {
    for (const StoredMeasurement& m : run.measurements) {
      const bool is_last = &m == &run.measurements.back();
      const auto ratio =
          m.predicted_s && m.measured_s > 0 ? std::optional(*m.predicted_s / m.measured_s) : std::nullopt;
      Value result = Value(&run == fastest && is_last ? "right, fastest" : "right");
      if (!m.mismatch.empty()) {
        result = Value("MISMATCH: " + shortened(m.mismatch)).bad();
      }
      table.row({Value(shortened(run.run.schedule)).linked(fmt::format("run-{}", run.run.id)), Value(m.backend),
                 m.workers, run.run.flops, m.predicted_s, m.measured_s, ratio,
                 plain == runs.end() || !(m.measured_s > 0)
                     ? std::nullopt
                     : std::optional(plain->measurements.back().measured_s / m.measured_s),
                 m.measured_build_s, m.worst_share_of_bound, result},
                &run == fastest && is_last);
    }
  }
  return table.markup();
}

/// Where it ran.
std::string devices_text(const RunGroup& group, std::span<const RunDetails> runs) {
  std::string text = shown_time(group.runs.front().created_utc);
  const auto measured =
      std::find_if(runs.begin(), runs.end(), [](const RunDetails& run) { return !run.measurements.empty(); });
  if (measured != runs.end()) {
    const StoredMeasurement& m = measured->measurements.back();
    text += fmt::format(". Ran on {}", shortened(m.device.empty() ? m.backend : m.device));
    if (!m.driver.empty()) text += fmt::format(", {}", shortened(m.driver));
    text += fmt::format("; {} execution, {} bytes a value", m.execution, m.value_bytes);
  }
  if (group.machine) text += fmt::format(". Predictions: {}", machine_text_of(*group.machine));
  return text + ".";
}

}  // namespace

Markup validation_section(const SectionContext& context, const RunGroup& group, SectionEntry& entry) {
  std::vector<RunDetails> runs;
  for (const StoredRun& run : group.runs) {
    if (auto details = context.store.details(run.id)) runs.push_back(std::move(*details));
  }
  if (const RunDetails* fastest = fastest_of(runs)) {
    entry.schedule = fastest->run.schedule;
    entry.flops = fastest->run.flops;
    entry.bytes = fastest->run.peak_live_bytes;
    entry.predicted_s = fastest->measurements.back().predicted_s;
    entry.measured_s = fastest->measurements.back().measured_s;
  }
  Markup out("<section");
  out.attribute("id", group.id())
      .add("><h3>")
      .text(fmt::format("{}, {} ({})", group.title(), shortened(group.runs.front().model, 80),
                        group.runs.front().pattern));
  out.add("</h3>\n<p class=\"about\">")
      .text(devices_text(group, runs))
      .add("</p>\n")
      .add(verdict_markup(group.verdict))
      .add(schedules_table(runs));
  if (context.shelf.is_open()) context.shelf.put(measured_figure(runs), out);
  out.add(left_out_note(context, "run", group.runs.front().id));
  for (const RunDetails& run : runs) {
    out.add("<details").attribute("id", fmt::format("run-{}", run.run.id));
    if (runs.size() == 1) out.add(" open");
    out.add("><summary>Run ").text(fmt::format("{}: ", run.run.id)).element("b", shortened(run.run.schedule));
    out.add("</summary>\n").add(run_body(context, run)).add("</details>\n");
  }
  return out.add("</section>\n");
}

}  // namespace upsweep
