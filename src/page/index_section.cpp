#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"

namespace upsweep {

Markup runs_index(std::span<const SectionEntry> runs, std::size_t most) {
  HtmlTable table("Runs, newest first; of a search its best candidate", {{"run", false},
                                                                         {"made (UTC)", false},
                                                                         {"what", false},
                                                                         {"model", false},
                                                                         {"schedule", false},
                                                                         {"workers"},
                                                                         {"FLOPs"},
                                                                         {"best scan to plain"},
                                                                         {"memory (bytes)"},
                                                                         {"predicted (seconds)"},
                                                                         {"measured (seconds)"}});
  for (const SectionEntry& run : runs.first(std::min(most, runs.size()))) {
    table.row({run.id.empty() ? text_cell(run.title) : link_cell(run.title, run.id), time_cell(run.created_utc),
               text_cell(run.what), text_cell(shortened(run.model, 60)),
               text_cell(run.schedule.empty() ? "-" : shortened(run.schedule, 60)),
               count_cell(static_cast<double>(run.workers)), count_cell(run.flops), ratio_cell(run.ratio),
               bytes_cell(run.bytes), seconds_cell(run.predicted_s), seconds_cell(run.measured_s)});
  }
  Markup out = table.markup();
  if (runs.size() > most) {
    out.add("<p class=\"note\">").text(fmt::format("{} older ones are not listed: ", runs.size() - most));
    out.add("<code>upsweep runs</code></p>\n");
  }
  return out;
}

Markup studies_index(std::span<const StoredStudy> studies, std::size_t most) {
  HtmlTable table(
      "Studies, newest first",
      {{"study", false}, {"name", false}, {"made (UTC)", false}, {"points"}, {"axes", false}, {"state", false}});
  for (const StoredStudy& study : studies.first(std::min(most, studies.size()))) {
    std::string axes;
    for (const StoredAxis& axis : study.axes) {
      if (!axes.empty()) axes += ", ";
      axes += shortened(axis.name, 60);
    }
    table.row({link_cell(fmt::format("Study {}", study.id), fmt::format("study-{}", study.id)),
               text_cell(shortened(study.name, 60)), time_cell(study.created_utc),
               count_cell(static_cast<double>(study.points)), text_cell(axes.empty() ? "-" : axes),
               text_cell(study.is_complete ? "complete" : "not complete")});
  }
  Markup out = table.markup();
  if (studies.size() > most) {
    out.add("<p class=\"note\">").text(fmt::format("{} older ones are not listed: ", studies.size() - most));
    out.add("<code>upsweep runs</code></p>\n");
  }
  return out;
}

}  // namespace upsweep
