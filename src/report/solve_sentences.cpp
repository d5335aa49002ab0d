#include "solve_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

double quotient(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

std::string number_text(double value) { return value < 1e4 ? fmt::format("{:.4g}", value) : short_count(value); }

/// The latest point that a truncated solution of at most half the iterations could stop at, if there is one.
const IterationPoint* half_way(const std::vector<IterationPoint>& points, std::size_t iterations) {
  const IterationPoint* found = nullptr;
  for (const IterationPoint& point : points) {
    if (point.iteration > 0 && 2 * point.iteration <= iterations) found = &point;
  }
  return found;
}

/// What a truncated solution leaves, and from which iteration on it is enough.
std::string truncated_text(const SolveReport& report, const SolveRun& run) {
  std::string text;
  const std::vector<IterationPoint> points = rungs(run);
  if (const IterationPoint* point = half_way(points, run.iterations); point != nullptr) {
    text += fmt::format("; {} leave{} {} error in the first layer's gradient, and {} of {} layers within {}",
                        counted(point->iteration, "iteration"), point->iteration == 1 ? "s" : "",
                        percent(point->first_error), usable_blocks(*point).value_or(0), report.shape.blocks.size(),
                        percent(kUsableError));
  }
  const std::optional<std::size_t> usable = usable_from(run);
  if (!usable) {
    text += fmt::format(
        "; gradients of layers are still off by up to {} at the end, which the tolerance of the whole "
        "residual hides",
        percent(run.history.back().error));
  } else if (*usable < run.iterations) {
    const std::uint64_t direct = report.runs.front().makespan;
    text += fmt::format("; from {} on all layers are within {}",
                        *usable == 0 ? std::string("the start") : fmt::format("iteration {}", *usable),
                        percent(kUsableError));
    // Of BiCGStab the products of restarts up to there are not known.
    if (run.setting.method != SolveMethod::bicgstab && direct > 0 && *usable > 0) {
      const double time = static_cast<double>(*usable) * static_cast<double>(run.cost.makespan);
      text += ", " + speed_text(time / static_cast<double>(direct), "substitution");
    }
  }
  return text;
}

}  // namespace

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.3g} %", 100 * share) : "infinite"; }

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string start_text(const SolveReport& report) {
  const auto iterated = std::ranges::find_if(report.runs, [](const SolveRun& run) {
    return run.setting.method != SolveMethod::substitution && !run.history.empty();
  });
  if (iterated == report.runs.end()) return "";
  if (!report.warm_start) {
    return fmt::format(
        "Start v = c: a product with the matrix carries the loss gradient over one coupling (of hybrid:B, B), so that "
        "no truncation helps:\nfewer than {} products (of hybrid:B, a Bth) leave the first layer's gradient at 0, an "
        "error of 100 %.\n\n",
        report.shape.couplings());
  }
  const IterationPoint& start = iterated->history.front();
  return fmt::format(
      "Start from the gradients of input {}: off by {} in the first layer and by {} at most, {} of {} layers within "
      "{}.\n\n",
      *report.warm_start, percent(start.first_error), percent(start.error), usable_blocks(start).value_or(0),
      report.shape.blocks.size(), percent(kUsableError));
}

std::string conditions_text(const SolveReport& report) {
  std::vector<const ConditionVerdict*> heads;
  std::map<const ConditionVerdict*, std::pair<std::string, std::string>> methods;  // for which it holds, and not
  for (const ConditionVerdict& verdict : report.verdicts) {
    const auto same = std::ranges::find_if(heads, [&](const ConditionVerdict* head) {
      return head->condition == verdict.condition && head->right == verdict.right && !verdict.method.empty();
    });
    const ConditionVerdict* head = same == heads.end() ? &verdict : *same;
    if (same == heads.end()) heads.push_back(head);
    if (verdict.method.empty()) continue;
    auto& [held, missed] = methods[head];
    std::string& list = verdict.holds ? held : missed;
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", verdict.method, number_text(verdict.left));
  }
  std::string text;
  for (const ConditionVerdict* head : heads) {
    const std::string right = number_text(head->right);
    if (head->method.empty()) {
      text += fmt::format("{}: {} ({} against {}; {}).\n", head->condition, head->holds ? "holds" : "does not hold",
                          number_text(head->left), right, head->meaning);
      continue;
    }
    const auto& [held, missed] = methods[head];
    text += fmt::format("{} = {} ({}): {}{}.\n", head->condition, right, head->meaning,
                        held.empty() ? "" : fmt::format("holds for {}{}", held, missed.empty() ? "" : "; "),
                        missed.empty() ? "" : fmt::format("does not hold for {}", missed));
  }
  return text.empty() ? "" : text + '\n';
}

std::string outcome_text(const SolveReport& report) {
  const SolveRun& direct = report.runs.front();
  const SolveRun* best = nullptr;
  for (const SolveRun& run : report.runs) {
    const bool is_iterative = run.setting.method != SolveMethod::substitution;
    if (is_iterative && run.converged() && (best == nullptr || run.makespan < best->makespan)) best = &run;
  }
  if (best == nullptr) return "";
  const std::string found =
      fmt::format("{} takes {} FLOPs in {}, substitution {}", best->name, short_count(best->makespan, 1),
                  counted(best->iterations, "iteration"), short_count(direct.makespan, 1));
  if (best->makespan < direct.makespan) {
    return fmt::format("Least time to this tolerance: {}; the first layer's gradient is then {:.3g} % off.\n", found,
                       100 * best->history.back().first_error);
  }
  const std::uint64_t one = best->cost.makespan;
  const std::uint64_t paying = one == 0 || direct.makespan == 0 ? 0 : (direct.makespan - 1) / one;
  return fmt::format("None of these takes less time than substitution: {}; one iteration takes {}, so that {} would.\n",
                     found, short_count(one, 1), paying == 0 ? "none" : fmt::format("at most {}", paying));
}

std::string verdict_sentence(const SolveReport& report, const SolveRun& run) {
  if (!run.converged() || run.setting.method == SolveMethod::substitution) return "";
  if (repeats_jacobi(run, report.runs)) return fmt::format("{} with omega 1 is jacobi's iteration.", run.name);
  const SolveRun& direct = report.runs.front();
  std::string text = fmt::format("{} needs {}{} iteration{} for {:.3g}", run.name, run.iterations,
                                 run.bound ? fmt::format(" of at most {}", *run.bound) : "",
                                 run.bound.value_or(run.iterations) == 1 ? "" : "s", report.tolerance);
  text += truncated_text(report, run);
  if (direct.flops > 0) {
    text += fmt::format("; {} the work of substitution and {} on {}", short_ratio(quotient(run.flops, direct.flops)),
                        speed_text(quotient(run.makespan, direct.makespan)), counted(report.workers, "worker"));
  }
  return text + '.';
}

}  // namespace upsweep
