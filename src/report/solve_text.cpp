#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "solve_sentences.hpp"
#include "upsweep/report/solve_report.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

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

std::string system_text(const SolveReport& report) {
  TextTable table({{"block"}, {"gradient at", Align::left}, {"size"}, {"link nnz"}, {"f' nnz"}, {"FLOPs"}});
  for (std::size_t k = 0; k < report.shape.blocks.size(); ++k) {
    const BlockShape& block = report.shape.blocks[k];
    table.row({fmt::format("{}", k), block_name(report, k), fmt::format("{}", block.size),
               short_count(block.link_nnz, 1), short_count(block.scaling_nnz, 1),
               short_count(report.shape.flops(k), 1)});
  }
  return table.text() + '\n';
}

std::string methods_text(const SolveReport& report) {
  TextTable table({{"method", Align::left},
                   {"eta"},
                   {"at most"},
                   {"residual"},
                   {"error"},
                   {"1st error"},
                   {"FLOPs"},
                   {"to subst."},
                   {"time"},
                   {"to subst."},
                   {"vectors"},
                   {"memory"},
                   {"", Align::left}});
  const SolveRun& direct = report.runs.front();
  for (const SolveRun& run : report.runs) {
    const bool done = run.converged();
    const IterationPoint* last = run.history.empty() ? nullptr : &run.history.back();
    const auto of_last = [&](double IterationPoint::*field) {
      return last == nullptr ? "-" : error_text(last->*field);
    };
    const auto if_done = [&](const std::string& text) { return done ? text : "-"; };
    const bool has_ratio = done && direct.flops > 0;
    table.row({run.omega == 1 ? run.name : fmt::format("{} omega {:.4g}", run.name, run.omega),
               fmt::format("{}", run.iterations), run.bound ? fmt::format("{}", *run.bound) : "-",
               of_last(&IterationPoint::residual), of_last(&IterationPoint::error),
               of_last(&IterationPoint::first_error), if_done(short_count(run.flops, 1)),
               has_ratio ? short_ratio(quotient_of(run.flops, direct.flops)) : "-",
               if_done(short_count(run.makespan, 1)),
               has_ratio ? short_ratio(quotient_of(run.makespan, direct.makespan)) : "-",
               fmt::format("{}", run.cost.vectors), short_bytes(run.cost.vector_bytes, 1), done ? "" : "no solution"});
  }
  return table.text() +
         "\neta: iterations; at most: in exact arithmetic; error: of the gradients against plain back-propagation, "
         "largest of all layers\nand of the first; time: FLOPs one after the other on the workers.\n\n";
}

/// The state after an iteration, of one method.
std::vector<std::string> rung_cells(const IterationPoint* point, std::size_t blocks) {
  if (point == nullptr) return {"", ""};
  return {error_text(point->first_error), fmt::format("{}/{}", usable_blocks(*point).value_or(0), blocks)};
}

std::string rungs_text(const SolveReport& report) {
  std::vector<TextTable::Column> columns = {{"eta"}};
  std::map<std::size_t, std::map<std::size_t, IterationPoint>> points;  // by iteration and method
  std::vector<std::size_t> shown;
  for (std::size_t m = 1; m < report.runs.size(); ++m) {
    if (report.runs[m].history.empty()) continue;
    columns.push_back({fmt::format("{}:", report.runs[m].name)});
    columns.push_back({"usable"});
    shown.push_back(m);
    for (IterationPoint& point : rungs(report.runs[m])) points[point.iteration][m] = std::move(point);
  }
  if (shown.empty()) return "";
  TextTable table(columns);
  for (const auto& [iteration, by_method] : points) {
    std::vector<std::string> cells = {fmt::format("{}", iteration)};
    for (const std::size_t m : shown) {
      const auto found = by_method.find(m);
      for (std::string& cell :
           rung_cells(found == by_method.end() ? nullptr : &found->second, report.shape.blocks.size())) {
        cells.push_back(std::move(cell));
      }
    }
    table.row(std::move(cells));
  }
  return "Error of the first layer's gradient after eta iterations, and layers whose gradient is within " +
         percent(kUsableError) + ":\n" + table.text() + '\n';
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

std::string forward_text(const SolveReport& report) {
  if (!report.forward) return "";
  const ForwardPart& part = *report.forward;
  TextTable table({{"sweep"}, {"output error"}, {"worst error"}, {"exact by structure"}});
  for (std::size_t s = 1; s <= part.history.errors.size(); ++s) {
    const std::vector<double>& errors = part.history.errors[s - 1];
    const auto exact = std::ranges::count_if(part.history.until_exact, [&](std::size_t until) { return until <= s; });
    table.row({fmt::format("{}", s), error_text(errors.back()), error_text(std::ranges::max(errors)),
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
  return fmt::format(
      "Approximate forward propagation, D from {}:\n{}\n{}; a sweep by substitution has {}, and {} "
      "divisions.\n\n",
      part.start, table.text(), needed, cost, short_count(part.cost.divisions, 1));
}

std::string formulas_text(const SolveReport& report) {
  if (!report.formulas) return "";
  TextTable table({{"equation"}, {"what", Align::left}, {"formula"}, {"exact"}, {"formula/exact"}});
  for (const FormulaRow& row : *report.formulas) {
    table.row({row.equation, row.what, short_count(row.formula), short_count(row.exact),
               std::isfinite(row.difference()) ? short_ratio(1 + row.difference()) : "infinite"});
  }
  return "Formulas of Naumov 2018 in multiply-adds, n_k the sizes of the scaled form's blocks, beside what the sparse "
         "chain takes:\n" +
         table.text() + '\n';
}

}  // namespace

std::string to_text(const SolveReport& report) {
  std::string text = head_text(report) + system_text(report) + methods_text(report) + start_text(report) +
                     rungs_text(report) + failures_text(report) + forward_text(report) + formulas_text(report) +
                     conditions_text(report);
  for (const SolveRun& run : report.runs) {
    const std::string sentence = verdict_sentence(report, run);
    if (!sentence.empty()) text += sentence + '\n';
  }
  return text + outcome_text(report);
}

}  // namespace upsweep
