#include "upsweep/report/stacked_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/recurrent/stacked_steps.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostRows = 12;  // of the table; more ways are cut to the notable ones

Json stacked_model_json(const RecurrentModel& model) {
  Json object = {{"name", model.name},
                 {"input", {model.shape.input}},
                 {"recurrent",
                  {{"cell", to_string(model.shape.kind)},
                   {"layers", model.layers},
                   {"hidden_size", model.shape.hidden},
                   {"steps", model.steps},
                   {"batch", model.batch},
                   {"fused", model.is_fused}}}};
  if (model.shape.kind == CellKind::rnn) object["recurrent"]["nonlinearity"] = to_string(model.shape.nonlinearity);
  return object;
}

Json ops_json(const StackedOps& ops) { return {{"matrix", ops.matrix}, {"vector", ops.vector}}; }

Json stages_json(const StackedProfile& profile) {
  Json stages = Json::array();
  for (const StackedStage& stage : profile.stages) {
    Json additions = Json::array();
    for (const StackedOps& level : stage.additions) additions.push_back(ops_json(level));
    stages.push_back({{"phase", to_string(stage.phase)},
                      {"repeat", stage.repeat},
                      {"products", ops_json(stage.products)},
                      {"additions", std::move(additions)}});
  }
  return stages;
}

/// Score of a way over that of the wavefront.
std::optional<double> ratio(const StackedReport& report, const StackedCandidate& candidate) {
  const auto wavefront = static_cast<double>(report.result.wavefront().score);
  if (wavefront == 0) return std::nullopt;
  return static_cast<double>(candidate.score) / wavefront;
}

std::string ratio_text(const std::optional<double>& ratio) { return ratio ? short_ratio(*ratio) : "-"; }

std::uint64_t sum(const StackedOps& ops) { return checked_add(ops.matrix, ops.vector); }

Json method_json(const StackedReport& report, const StackedCandidate& candidate) {
  const StackedProfile& profile = candidate.profile;
  const StackedSteps predicted = predicted_steps(profile.shape, profile.method);
  const std::optional<double> to_wavefront = ratio(report, candidate);
  Json object = {
      {"name", to_string(profile.method)},
      {"feasible", candidate.feasible},
      {"reason", candidate.feasible ? Json() : Json(candidate.reason)},
      {"score", candidate.score},
      {"levels", profile.levels},
      {"addition_levels", profile.addition_levels},
      {"predicted",
       {{"formula", predicted.formula}, {"levels", predicted.levels}, {"addition_levels", predicted.addition_levels}}},
      {"ops", sum(profile.products)},
      {"mm_ops", profile.products.matrix},
      {"mv_ops", profile.products.vector},
      {"additions", sum(profile.additions)},
      {"flops", profile.flops},
      {"addition_flops", profile.addition_flops},
      {"per_step_flops", profile.per_step_flops},
      {"critical_path_flops", profile.critical_path_flops},
      {"makespan", {{"unit", candidate.makespan.unit}, {"flops", candidate.makespan.flops}}},
      {"ratio_to_wavefront", to_wavefront ? Json(*to_wavefront) : Json()},
      {"widest_level", profile.widest},
      {"memory_bytes", profile.memory_bytes}};
  if (report.is_profile) object["levels_detail"] = stages_json(profile);
  return object;
}

bool scan_pays(const StackedSearchResult& result) {
  return result.best && result.candidates[*result.best].score < result.wavefront().score;
}

std::string model_text(const RecurrentModel& model) {
  return fmt::format("{}: {} layers of {} of {} hidden elements, {} steps", model.name, model.layers,
                     to_string(model.shape.kind), model.shape.hidden, model.steps);
}

std::string plural(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Positions of the ways that the table has: all of few; of many the best of each kind, its ends and Kogge-Stone.
std::vector<std::size_t> rows_of(const StackedSearchResult& result) {
  const std::vector<StackedCandidate>& all = result.candidates;
  std::vector<std::size_t> rows;
  std::size_t first = 0;  // of the kind
  while (first < all.size()) {
    std::size_t end = first;
    std::size_t best = first;
    for (; end < all.size() && all[end].profile.method.kind == all[first].profile.method.kind; ++end) {
      if (all[end].score < all[best].score) best = end;
    }
    for (std::size_t i = first; i < end; ++i) {
      const bool is_end = i == first || i + 2 >= end;  // the least and the largest depth, and Kogge-Stone
      if (all.size() <= kMostRows || is_end || i == best || i == result.best) rows.push_back(i);
    }
    first = end;
  }
  return rows;
}

std::string table_text(const StackedReport& report, const std::vector<std::size_t>& rows, const TextStyle& style) {
  const StackedSearchResult& result = report.result;
  TextTable table({{"way", TextTable::Align::left},
                   {"levels"},
                   {"+ adding"},
                   {"ops"},
                   {"FLOPs"},
                   {"path"},
                   {"span"},
                   {"memory"},
                   {"to wavefront"},
                   {"", TextTable::Align::left}});
  const auto count = [](std::uint64_t number) { return short_count(static_cast<double>(number)); };
  for (const std::size_t i : rows) {
    const StackedCandidate& candidate = result.candidates[i];
    const StackedProfile& profile = candidate.profile;
    std::string note = result.best == i ? "<- best" : "";
    if (!candidate.feasible) note = "does not fit: " + candidate.reason;
    table.row(
        {to_string(profile.method), count(profile.levels), count(profile.addition_levels), count(sum(profile.products)),
         count(profile.flops), count(profile.critical_path_flops), count(candidate.makespan.flops),
         short_bytes(static_cast<double>(profile.memory_bytes)), ratio_text(ratio(report, candidate)), note},
        result.best == i ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

/// The candidate with the least of a figure; the first of equal ones.
template <class Figure>
const StackedCandidate& least(const StackedSearchResult& result, Figure figure) {
  return *std::ranges::min_element(result.candidates, {}, figure);
}

std::string fewest_text(const StackedSearchResult& result) {
  const auto all_levels = [](const StackedCandidate& c) { return c.profile.levels + c.profile.addition_levels; };
  const auto all_flops = [](const StackedCandidate& c) { return c.profile.flops; };
  const StackedCandidate& steps = least(result, all_levels);
  const StackedCandidate& work = least(result, all_flops);
  return fmt::format("Fewest steps: {}, {} levels of products and {} of additions; least FLOPs: {}, {}.\n",
                     to_string(steps.profile.method), steps.profile.levels, steps.profile.addition_levels,
                     to_string(work.profile.method), short_count(static_cast<double>(work.profile.flops)));
}

std::string verdict_text(const StackedReport& report) {
  const StackedSearchResult& result = report.result;
  if (!result.best) return "No best way: none fits.\n";
  const StackedCandidate& best = result.candidates[*result.best];
  const std::string on = plural(result.workers, "worker");
  if (!scan_pays(result))
    return fmt::format("No scan pays here: on {} no way beats {}.\n", on, to_string(best.profile.method));
  return fmt::format("A scan pays: on {} {} takes {} of the wavefront ({}).\n", on, to_string(best.profile.method),
                     ratio_text(ratio(report, best)), to_string(result.options.objective));
}

}  // namespace

Json to_json(const StackedReport& report) {
  const StackedSearchResult& result = report.result;
  const std::uint64_t values = stacked_jacobian_values(result.shape);
  Json methods = Json::array();
  for (const StackedCandidate& candidate : result.candidates) methods.push_back(method_json(report, candidate));
  Json best = result.best ? methods[*result.best] : Json();
  if (report.is_profile && result.best) best.erase("levels_detail");
  Json overtaking;
  if (report.overtaking) {
    overtaking = {{"workers", report.overtaking->workers},
                  {"method", to_string(report.overtaking->method)},
                  {"flops", report.overtaking->flops},
                  {"wavefront_flops", report.overtaking->wavefront_flops}};
  }
  return {{"model", report.is_profile ? stacked_model_json(report.model) : Json(report.model.name)},
          {"layers", result.shape.layers},
          {"steps", result.shape.steps},
          {"hidden", result.shape.hidden},
          {"objective", to_string(result.options.objective)},
          {"execution", "level"},
          {"workers", result.workers},
          {"memory_limit", result.options.memory_limit ? Json(*result.options.memory_limit) : Json()},
          {"methods", std::move(methods)},
          {"best", std::move(best)},
          {"margin", result.margin ? Json(*result.margin) : Json()},
          {"scan_pays", scan_pays(result)},
          {"overtaking", std::move(overtaking)},
          {"wavefront", {{"flops", result.wavefront().profile.flops}}},
          {"chain_build", {{"values", values}, {"bytes", checked_mul(result.options.value_bytes, values)}}}};
}

std::string to_csv(const StackedReport& report) {
  std::string csv = csv_line({"method", "feasible", "score", "levels", "addition_levels", "ops", "flops",
                              "addition_flops", "per_step_flops", "critical_path_flops", "makespan_unit",
                              "makespan_flops", "ratio_to_wavefront", "memory_bytes"});
  for (const StackedCandidate& candidate : report.result.candidates) {
    const StackedProfile& profile = candidate.profile;
    const auto number = [](std::uint64_t value) { return fmt::format("{}", value); };
    const std::optional<double> to_wavefront = ratio(report, candidate);
    csv += csv_line({to_string(profile.method), candidate.feasible ? "true" : "false", number(candidate.score),
                     number(profile.levels), number(profile.addition_levels), number(sum(profile.products)),
                     number(profile.flops), number(profile.addition_flops), number(profile.per_step_flops),
                     number(profile.critical_path_flops), number(candidate.makespan.unit),
                     number(candidate.makespan.flops), to_wavefront ? fmt::format("{}", *to_wavefront) : "",
                     number(profile.memory_bytes)});
  }
  return csv;
}

std::string to_text(const StackedReport& report, const TextStyle& style) {
  const StackedSearchResult& result = report.result;
  const std::vector<std::size_t> rows = rows_of(result);
  std::string text = fmt::format("{}, {}\n\n{}\n", model_text(report.model), plural(result.workers, "worker"),
                                 table_text(report, rows, style));
  if (rows.size() < result.candidates.size()) {
    text += fmt::format("{} other depths: with --format csv or json.\n", result.candidates.size() - rows.size());
  }
  text += fmt::format(
      "levels: of block products, + adding: of additions between them; path, span: critical path and makespan in FLOPs "
      "on the workers, additions included; to wavefront: {}. Figures are those of one sequence.\n\n",
      to_string(result.options.objective));
  text += fewest_text(result);
  text += verdict_text(report);
  text += report.overtaking
              ? fmt::format("A scan overtakes the wavefront from {} on ({}).\n",
                            plural(report.overtaking->workers, "worker"), to_string(report.overtaking->method))
              : "With no number of workers does a scan overtake the wavefront.\n";
  return text;
}

}  // namespace upsweep
