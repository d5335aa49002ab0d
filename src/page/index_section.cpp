#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/document/estimate_mark.hpp"

namespace upsweep {

Markup runs_index(std::span<const SectionEntry> runs, std::size_t most) {
  HtmlTable table("Runs, newest first; of a search its best candidate",
                  {{"", "run", Unit::text},
                   {"", "model", Unit::text},
                   {"", "speed-up of the best scan", Unit::speedup},
                   {"", "schedule", Unit::text},
                   {"", "predicted", Unit::seconds},
                   {"", "measured", Unit::seconds},
                   {"", "what", Unit::text},
                   {"", "machine", Unit::text},
                   {"", "workers", Unit::count},
                   {"", "FLOPs", Unit::count},
                   {"", "memory", Unit::bytes},
                   {"", "made (UTC)", Unit::moment}});
  for (const SectionEntry& run : runs.first(std::min(most, runs.size()))) {
    const auto speedup =
        run.verdict.ratio && *run.verdict.ratio > 0 ? std::optional(1 / *run.verdict.ratio) : std::nullopt;
    const auto marked = [&](Value figure, Unit unit) { return marked_unless(run.is_exact, std::move(figure), unit); };
    table.row({run.id.empty() ? Value(run.title) : Value(run.title).linked(run.id), Value(shortened(run.model, 60)),
               speedup, Value(run.schedule.empty() ? "-" : shortened(run.schedule, 60)),
               marked(run.predicted_s, Unit::seconds), run.measured_s, Value(run.what),
               Value(run.machine_name.empty() ? "-" : shortened(run.machine_name, 60)), run.workers,
               marked(run.flops, Unit::count), marked(run.bytes, Unit::bytes), run.created_utc});
  }
  Markup out = table.markup();
  if (runs.size() > most) {
    out.add("<p class=\"note\">").text(fmt::format("{} older ones are not listed: ", runs.size() - most));
    out.add("<code>upsweep runs</code></p>\n");
  }
  return out;
}

Markup studies_index(std::span<const StoredStudy> studies, std::size_t most) {
  HtmlTable table("Studies, newest first", {{"", "study", Unit::text},
                                            {"", "name", Unit::text},
                                            {"", "made (UTC)", Unit::moment},
                                            {"", "points", Unit::count},
                                            {"", "axes", Unit::text},
                                            {"", "state", Unit::text}});
  for (const StoredStudy& study : studies.first(std::min(most, studies.size()))) {
    std::string axes;
    for (const StoredAxis& axis : study.axes) {
      if (!axes.empty()) axes += ", ";
      axes += shortened(axis.name, 60);
    }
    table.row({Value(fmt::format("Study {}", study.id)).linked(fmt::format("study-{}", study.id)),
               Value(shortened(study.name, 60)), study.created_utc, study.points, Value(axes.empty() ? "-" : axes),
               Value(study.is_complete ? "complete" : "not complete")});
  }
  Markup out = table.markup();
  if (studies.size() > most) {
    out.add("<p class=\"note\">").text(fmt::format("{} older ones are not listed: ", studies.size() - most));
    out.add("<code>upsweep runs</code></p>\n");
  }
  return out;
}

}  // namespace upsweep
