#include <fmt/format.h>

#include "sections.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOperators = 100;

Value sparsity_of(const StoredOperator& op) {
  if (!op.rows || !op.cols || !op.nnz || *op.rows == 0 || *op.cols == 0) return {};
  const double sparsity = 1 - *op.nnz / (static_cast<double>(*op.rows) * static_cast<double>(*op.cols));
  return Value(sparsity).shown(fmt::format("{:.4g} %", 100 * sparsity));
}

Markup operators_table(const RunDetails& run) {
  HtmlTable table("Operators and their transposed Jacobians", {{"", "number", Unit::count},
                                                               {"", "operator", Unit::text},
                                                               {"", "kind", Unit::text},
                                                               {"", "input", Unit::text},
                                                               {"", "output", Unit::text},
                                                               {"", "rows", Unit::count},
                                                               {"", "columns", Unit::count},
                                                               {"", "entries", Unit::count},
                                                               {"", "sparsity (%)", Unit::count},
                                                               {"", "memory", Unit::bytes},
                                                               {"", "dense back-propagation (FLOPs)", Unit::count}});
  for (const StoredOperator& op : run.operators) {
    if (table.rows() == kMostOperators) break;
    table.row({op.index, Value(op.name), Value(op.kind), Value(op.in_shape), Value(op.out_shape), op.rows, op.cols,
               op.nnz, sparsity_of(op), op.bytes, op.baseline_flops});
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
