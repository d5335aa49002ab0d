#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "solve_sentences.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/solve_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

double quotient_of(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

std::string error_text(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "infinite"; }

std::string head_text(const SolveReport& report) {
  return fmt::format(
      "{}: {} pattern, input {}, {}, {}, {} worker{}, {} right side{}\n"
      "Backward system, {} form: {} unknowns in {} blocks with {} couplings; tolerance {:.3g} of the residual\n\n",
      report.model_name, report.pattern, report.input, report.loss, report.value_bytes == 4 ? "fp32" : "fp64",
      report.workers, report.workers == 1 ? "" : "s", report.batch, report.batch == 1 ? "" : "s",
      report.form == SystemForm::unit ? "unit" : "scaled", report.shape.unknowns(), report.shape.blocks.size(),
      report.shape.couplings(), report.tolerance);
}

Table system_table(const SolveReport& report) {
  std::vector<std::vector<Value>> rows;
  for (std::size_t k = 0; k < report.shape.blocks.size(); ++k) {
    const BlockShape& block = report.shape.blocks[k];
    rows.push_back({k, block_name(report, k), block.size, block.link_nnz, block.scaling_nnz, report.shape.flops(k)});
  }
  return {"",
          {{"", "block", Unit::exact},
           {"", "gradient at", Unit::text},
           {"", "size", Unit::exact},
           {"", "link nnz"},
           {"", "f' nnz"},
           {"", "FLOPs"}},
          std::move(rows)};
}

/// A number of few digits for people, which may be infinite.
Value error_value(double value) { return Value(value).shown(error_text(value)); }

/// A row per method.
Table methods_table(const SolveReport& report) {
  const SolveRun& direct = report.runs.front();
  using Item = const SolveRun*;
  const auto if_done = [](Item run, auto value) { return run->converged() ? Value(value) : Value(); };
  const auto ratio = [&direct](Item run, std::uint64_t SolveRun::*of) {
    return run->converged() && direct.*of > 0 ? std::optional(quotient_of(run->*of, direct.*of)) : std::nullopt;
  };
  const auto of_last = [](std::string name, std::string head, double IterationPoint::*figure) {
    return Field<Item>(std::move(name), std::move(head), Unit::exact, [figure](Item run) {
      return run->history.empty() ? Value() : error_value(run->history.back().*figure);
    });
  };
  return {
      "methods", each_of(report.runs),
      std::vector<Field<Item>>{
          {"name", "method", Unit::text,
           [](Item run) {
             return Value(run->name).shown(run->omega == 1 ? run->name
                                                           : fmt::format("{} omega {:.4g}", run->name, run->omega));
           }},
          {"group", {}, Unit::exact, [](Item run) { return run->setting.group; }},
          {"omega",
           {},
           Unit::exact,
           [](Item run) { return run->setting.method == SolveMethod::richardson ? Value(run->omega) : Value(); }},
          {"converged", {}, Unit::text, [](Item run) { return run->converged(); }},
          {"failed", {}, Unit::text, [](Item run) { return run->converged() ? Value() : Value(run->failed); }},
          {"iterations", "eta", Unit::exact, &SolveRun::iterations},
          {"bound", "at most", Unit::exact, &SolveRun::bound},
          {"products", {}, Unit::exact, [=](Item run) { return if_done(run, run->products); }},
          of_last("residual", "residual", &IterationPoint::residual),
          of_last("error", "error", &IterationPoint::error),
          of_last("first_error", "1st error", &IterationPoint::first_error),
          {"usable_from", {}, Unit::exact, [](Item run) { return usable_from(*run); }},
          {"flops_per_iteration", {}, Unit::count, [](Item run) { return run->cost.flops(); }},
          {"flops", "FLOPs", Unit::count, [=](Item run) { return if_done(run, run->flops); }},
          {"flops_to_substitution", "of subst.'s", Unit::ratio, [=](Item run) { return ratio(run, &SolveRun::flops); }},
          {"makespan_per_iteration", {}, Unit::count, [](Item run) { return run->cost.makespan; }},
          {"makespan", "time", Unit::count, [=](Item run) { return if_done(run, run->makespan); }},
          {"makespan_to_substitution", {}, Unit::ratio, [=](Item run) { return ratio(run, &SolveRun::makespan); }},
          {"speedup_over_substitution", "vs subst.", Unit::speedup,
           [=](Item run) { return speedup_of(ratio(run, &SolveRun::makespan)); }},
          {"vectors", "vectors", Unit::exact, [](Item run) { return run->cost.vectors; }},
          {"vector_bytes", "memory", Unit::bytes, [](Item run) { return run->cost.vector_bytes; }},
          {"", "", Unit::text, [](Item run) { return Value(run->converged() ? "" : "no solution"); }},
          {"verdict", {}, Unit::object, [report](Item run) { return Value::object(verdict_sentence(report, *run)); }},
          {"history", {}, Unit::object, [](Item run) { return Value::object(history_json(*run)); }}}};
}

/// The state of each iterative method after some iterations; nothing where none iterated.
std::optional<Table> rungs_table(const SolveReport& report) {
  std::vector<Column> columns = {{"", "eta", Unit::exact}};
  std::map<std::size_t, std::map<std::size_t, IterationPoint>> points;  // by iteration and method
  std::vector<std::size_t> shown;
  for (std::size_t m = 1; m < report.runs.size(); ++m) {
    if (report.runs[m].history.empty()) continue;
    columns.push_back({"", fmt::format("{}:", report.runs[m].name), Unit::exact});
    columns.push_back({"", "usable", Unit::exact});
    shown.push_back(m);
    for (IterationPoint& point : rungs(report.runs[m])) points[point.iteration][m] = std::move(point);
  }
  if (shown.empty()) return std::nullopt;
  std::vector<std::vector<Value>> rows;
  for (const auto& [iteration, by_method] : points) {
    std::vector<Value> cells = {iteration};
    for (const std::size_t m : shown) {
      const auto found = by_method.find(m);
      const bool is_there = found != by_method.end();
      cells.push_back(is_there ? error_value(found->second.first_error) : Value(""));
      cells.push_back(
          is_there ? Value(fmt::format("{}/{}", usable_blocks(found->second).value_or(0), report.shape.blocks.size()))
                   : Value(""));
    }
    rows.push_back(std::move(cells));
  }
  return Table("", columns, std::move(rows));
}

std::string failures_text(const SolveReport& report) {
  std::string text;
  for (const SolveRun& run : report.runs) {
    if (run.converged()) continue;
    text += fmt::format("No solution: {}.\n", run.failed);
    std::vector<std::string> norms;
    for (const IterationPoint& point : rungs(run))
      norms.push_back(fmt::format("{}: {}", point.iteration, error_text(point.residual)));
    if (!norms.empty()) text += fmt::format("  residuals by iteration: {}\n", fmt::join(norms, ", "));
  }
  return text.empty() ? "" : text + '\n';
}

Document forward_document(const SolveReport& report) {
  Document document;
  if (!report.forward) return document;
  const ForwardPart& part = *report.forward;
  std::vector<std::vector<Value>> rows;
  for (std::size_t s = 1; s <= part.history.errors.size(); ++s) {
    const std::vector<double>& errors = part.history.errors[s - 1];
    const auto exact = std::ranges::count_if(part.history.until_exact, [&](std::size_t until) { return until <= s; });
    rows.push_back({s, error_value(errors.back()), error_value(std::ranges::max(errors)),
                    fmt::format("{}/{}", exact, errors.size())});
  }
  const std::string needed =
      part.history.needed ? fmt::format("{} of at most {} sweeps stay within {:.3g}", *part.history.needed,
                                        part.history.until_exact.back(), report.tolerance)
                          : fmt::format("The {} sweeps that are exact by structure leave more than {:.3g}, by rounding",
                                        part.history.until_exact.back(), report.tolerance);
  const std::string cost = part.cost.plain_flops == 0
                               ? fmt::format("{} FLOPs", short_count(part.cost.flops, 1))
                               : fmt::format("{} FLOPs, {} of a plain pass", short_count(part.cost.flops, 1),
                                             short_ratio(quotient_of(part.cost.flops, part.cost.plain_flops)));
  return std::move(document.say(fmt::format("Approximate forward propagation, D from {}:\n", part.start))
                       .show({"",
                              {{"", "sweep", Unit::exact},
                               {"", "output error", Unit::exact},
                               {"", "worst error", Unit::exact},
                               {"", "exact by structure", Unit::exact}},
                              std::move(rows)})
                       .say(fmt::format("\n{}; a sweep by substitution has {}, and {} divisions.\n\n", needed, cost,
                                        short_count(part.cost.divisions, 1))));
}

Document formulas_document(const SolveReport& report) {
  Document document;
  if (!report.formulas) return document;
  using Item = FormulaRow;
  return std::move(
      document
          .say("Formulas of Naumov 2018 in multiply-adds, n_k the sizes of the scaled form's blocks, beside what the "
               "sparse chain takes:\n")
          .show({"", *report.formulas,
                 std::vector<Field<Item>>{{"", "equation", Unit::exact, &FormulaRow::equation},
                                          {"", "what", Unit::text, &FormulaRow::what},
                                          {"", "formula", Unit::count, &FormulaRow::formula},
                                          {"", "exact", Unit::count, &FormulaRow::exact},
                                          {"", "formula/exact", Unit::ratio,
                                           [](const Item& row) {
                                             return std::isfinite(row.difference()) ? Value(1 + row.difference())
                                                                                    : Value("infinite");
                                           }}}})
          .say("\n"));
}

}  // namespace

Document document(const SolveReport& report) {
  Document document;
  document.facts([report] { return solve_json(report); })
      .say(head_text(report))
      .show(system_table(report))
      .say("\n")
      .show_sheet(methods_table(report))
      .say(
          "\neta: iterations; at most: in exact arithmetic; error: of the gradients against plain back-propagation, "
          "largest of all layers\nand of the first; time: FLOPs one after the other on the workers;\nof subst.'s: "
          "FLOPs over those of substitution; vs subst.: speed-up over it.\n\n")
      .say(start_text(report));
  if (std::optional<Table> table = rungs_table(report)) {
    document
        .say("Error of the first layer's gradient after eta iterations, and layers whose gradient is within " +
             percent(kUsableError) + ":\n")
        .show(std::move(*table))
        .say("\n");
  }
  document.say(failures_text(report))
      .add(forward_document(report))
      .add(formulas_document(report))
      .say(conditions_text(report));
  for (const SolveRun& run : report.runs) {
    const std::string sentence = verdict_sentence(report, run);
    if (!sentence.empty()) document.say(sentence + '\n');
  }
  return std::move(document.say(outcome_text(report)));
}

}  // namespace upsweep
