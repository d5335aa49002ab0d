#include <fmt/format.h>

#include "sections.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOperators = 100;

HtmlCell sparsity_cell(const StoredOperator& op) {
  if (!op.rows || !op.cols || !op.nnz || *op.rows == 0 || *op.cols == 0) return {Markup("-"), std::nullopt};
  const double sparsity = 1 - *op.nnz / (static_cast<double>(*op.rows) * static_cast<double>(*op.cols));
  return {Markup().text(fmt::format("{:.4g} %", 100 * sparsity)), sparsity};
}

std::optional<double> as_number(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

Markup operators_table(const RunDetails& run) {
  HtmlTable table("Operators and their transposed Jacobians", {{"number"},
                                                               {"operator", false},
                                                               {"kind", false},
                                                               {"input", false},
                                                               {"output", false},
                                                               {"rows"},
                                                               {"columns"},
                                                               {"entries"},
                                                               {"sparsity (%)"},
                                                               {"memory (bytes)"},
                                                               {"dense back-propagation (FLOPs)"}});
  for (const StoredOperator& op : run.operators) {
    if (table.rows() == kMostOperators) break;
    table.row({count_cell(static_cast<double>(op.index)), text_cell(op.name), text_cell(op.kind),
               text_cell(op.in_shape), text_cell(op.out_shape), count_cell(as_number(op.rows)),
               count_cell(as_number(op.cols)), count_cell(op.nnz), sparsity_cell(op), bytes_cell(op.bytes),
               count_cell(op.baseline_flops)});
  }
  Markup out = table.markup();
  if (run.operators.size() > kMostOperators) {
    out.add("<p class=\"note\">")
        .text(fmt::format("The first {} of {} operators.", kMostOperators, run.operators.size()));
    out.add("</p>\n");
  }
  return out;
}

}  // namespace

std::string model_id(const StoredRun& run) {
  std::string id = "model-";
  for (const char c : run.model_hash.substr(0, 64)) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    id += is_plain ? c : '_';
  }
  return id + (run.pattern == "sample" ? "-sample" : "-guaranteed");
}

Markup model_section(const SectionContext& context, const RunDetails& run) {
  Markup out("<section");
  out.attribute("id", model_id(run.run)).add("><h3>");
  out.text(fmt::format("{} ({})", shortened(run.run.model, 80), run.run.pattern)).add("</h3>\n<p class=\"about\">");
  out.text(fmt::format("{}, content {}", shortened(run.run.model_file, 200), shortened(run.run.model_hash, 64)));
  out.add("</p>\n");
  if (!run.operators.empty()) out.add(operators_table(run));
  if (context.shelf.is_open()) {
    context.shelf.put(spy_figure(context.store.pictures(run.run.model_hash, run.run.pattern)), out);
  }
  return out.add(left_out_note(context, "run", run.run.id)).add("</section>\n");
}

}  // namespace upsweep
