#include <fmt/format.h>

#include "sections.hpp"
#include "upsweep/figure/anchors_figure.hpp"
#include "upsweep/report/anchors_report.hpp"

namespace upsweep {

Markup anchors_section(const SectionContext& context, const StoredAnchors& anchors) {
  const AnchorReport& report = anchors.record.report;
  Markup out("<section");
  out.attribute("id", fmt::format("run-{}", anchors.id)).add("><h3>");
  out.text(fmt::format("Run {}: published times beside predictions", anchors.id)).add("</h3>\n<p class=\"about\">");
  out.text(
      fmt::format("{}. Tables {}. Errors are medians and 90th percentiles; rows that rates were fitted to are "
                  "predicted by rates without their structure.",
                  shown_time(anchors.created_utc), shortened(anchors.record.files, 300)));
  out.add("</p>\n").add(html_table("By family, device and library", anchor_families(report)).markup());
  const Table worst = worst_anchors(report);
  if (worst.rows() > 0) out.add(html_table("Predicted worst", worst).markup());
  if (context.shelf.is_open()) context.shelf.put(anchors_figure(report), out);
  return out.add(left_out_note(context, "run", anchors.id)).add("</section>\n");
}

}  // namespace upsweep
