#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/report/command_text.hpp"

namespace upsweep {
std::string machine_text_of(const StoredMachine& machine) {
  std::string text = fmt::format("{} ({}, {})", shortened(machine.name), machine.kind, machine.origin);
  if (!machine.device.empty()) text += fmt::format(", {}", shortened(machine.device));
  if (!machine.driver.empty()) text += fmt::format(", driver {}", shortened(machine.driver));
  if (!machine.date.empty()) text += fmt::format(", {}", shortened(machine.date, 40));
  if (machine.fit_median_error) text += fmt::format(", fit off by {:.3g} % (median)", 100 * *machine.fit_median_error);
  return text;
}

Markup provenance(std::span<const SectionEntry> entries, std::size_t most) {
  Markup out("<h2 id=\"provenance\">Where this comes from</h2>\n<p>Counting rule of this program: <b>");
  out.text(kCountingRule).add("</b>. Simulated times follow from counts alone; predicted ones from the machine that ");
  out.add("stands beside them; measured ones were taken on the device that is named. These commands make each ");
  out.add("section again (with <code>--db FILE</code> they are stored):</p>\n");
  const bool has_machines =
      std::any_of(entries.begin(), entries.end(), [](const auto& e) { return !e.machine.empty(); });
  std::vector<Column> columns = {{"", "section", Unit::text},      {"", "command", Unit::code},
                                 {"", "made (UTC)", Unit::moment}, {"", "tool", Unit::text},
                                 {"", "content hash", Unit::code}, {"", "counting rule", Unit::text}};
  if (has_machines) columns.push_back({"", "machine", Unit::text});
  HtmlTable table("Provenance", columns);
  for (const SectionEntry& entry : entries.first(std::min(most, entries.size()))) {
    std::vector<Value> cells = {entry.id.empty() ? Value(entry.title) : Value(entry.title).linked(entry.id),
                                command_text(entry.parameters, false),
                                entry.created_utc,
                                Value(entry.tool_version),
                                shortened(entry.content_hash, 64),
                                Value(entry.rule.empty() ? "-" : entry.rule)};
    if (has_machines) cells.emplace_back(entry.machine.empty() ? "-" : entry.machine);
    table.row(cells);
  }
  out.add(table.markup());
  if (entries.size() > most) {
    out.add("<p class=\"note\">")
        .text(fmt::format("{} older ones are not listed.", entries.size() - most))
        .add("</p>\n");
  }
  return out;
}

}  // namespace upsweep
