#include "upsweep/report/stacked_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "recurrent_model_json.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/recurrent/stacked_steps.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostRows = 12;  // of the table; more ways are cut to the notable ones

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

/// Score of way i over that of the wavefront.
std::optional<double> ratio(const StackedReport& report, std::size_t i) {
  const double wavefront = *report.result.linear().score;
  if (wavefront == 0) return std::nullopt;
  return *report.result.candidates[i].score / wavefront;
}

std::string ratio_text(const std::optional<double>& ratio) { return ratio ? short_ratio(*ratio) : "-"; }

std::uint64_t sum(const StackedOps& ops) { return checked_add(ops.matrix, ops.vector); }

Json method_json(const StackedReport& report, std::size_t i) {
  const Candidate& candidate = report.result.candidates[i];
  const StackedProfile& profile = report.result.profiles[i];
  const StackedSteps predicted = predicted_steps(profile.shape, profile.method);
  const std::optional<double> to_wavefront = ratio(report, i);
  Json object = {
      {"name", to_string(profile.method)},
      {"feasible", candidate.feasible},
      {"reason", candidate.feasible ? Json() : Json(candidate.reason)},
      {"score", static_cast<std::uint64_t>(*candidate.score)},
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
      {"makespan", {{"unit", candidate.pram.level.unit}, {"flops", candidate.pram.level.flops}}},
      {"makespan_shared", candidate.pram.shared_flops},
      {"bound_shared", candidate.pram.shared_bound_flops},
      {"ratio_to_wavefront", to_wavefront ? Json(*to_wavefront) : Json()},
      {"widest_level", profile.widest},
      {"memory_bytes", profile.memory_bytes}};
  if (report.is_profile) object["levels_detail"] = stages_json(profile);
  return object;
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
  const std::vector<StackedProfile>& all = result.profiles;
  const auto score = [&result](std::size_t i) { return *result.candidates[i].score; };
  std::vector<std::size_t> rows;
  std::size_t first = 0;  // of the kind
  while (first < all.size()) {
    std::size_t end = first;
    std::size_t best = first;
    for (; end < all.size() && all[end].method.kind == all[first].method.kind; ++end) {
      if (score(end) < score(best)) best = end;
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
                   {"span,shared"},
                   {"memory"},
                   {"to wavefront"},
                   {"", TextTable::Align::left}});
  const auto count = [](std::uint64_t number) { return short_count(static_cast<double>(number)); };
  for (const std::size_t i : rows) {
    const Candidate& candidate = result.candidates[i];
    const StackedProfile& profile = result.profiles[i];
    std::string note = result.best == i ? "<- best" : "";
    if (!candidate.feasible) note = "does not fit: " + candidate.reason;
    table.row({to_string(profile.method), count(profile.levels), count(profile.addition_levels),
               count(sum(profile.products)), count(profile.flops), count(profile.critical_path_flops),
               count(candidate.pram.level.flops), count(candidate.pram.shared_flops),
               short_bytes(static_cast<double>(profile.memory_bytes)), ratio_text(ratio(report, i)), note},
              result.best == i ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

std::string fewest_text(const StackedSearchResult& result) {
  const auto all_levels = [](const StackedProfile& p) { return p.levels + p.addition_levels; };
  const StackedProfile& steps = *std::ranges::min_element(result.profiles, {}, all_levels);
  const StackedProfile& work = *std::ranges::min_element(result.profiles, {}, &StackedProfile::flops);
  return fmt::format("Fewest steps: {}, {} levels of products and {} of additions; least FLOPs: {}, {}.\n",
                     to_string(steps.method), steps.levels, steps.addition_levels, to_string(work.method),
                     short_count(static_cast<double>(work.flops)));
}

/// The search as that of any kind of model.
SearchReport search_report(const StackedReport& report) {
  SearchReport search{report.model.name, "stack", model_text(report.model), report.result};
  search.input = "sequence";
  search.plain = "the wavefront";
  search.linear_flops = report.result.linear().totals.flops / report.result.options.batch;
  return search;
}

}  // namespace

Verdict search_verdict(const StackedReport& report) {
  Verdict verdict = search_verdict(search_report(report));
  if (report.is_profile) verdict.sentences.front().insert(0, "Of these ways alone: ");
  return verdict;
}

Json to_json(const StackedReport& report) {
  const StackedSearchResult& result = report.result;
  const std::uint64_t values = stacked_jacobian_values(result.shape);
  Json methods = Json::array();
  for (std::size_t i = 0; i < result.candidates.size(); ++i) methods.push_back(method_json(report, i));
  Json overtaking;
  if (report.overtaking) {
    overtaking = {{"workers", report.overtaking->workers},
                  {"method", to_string(report.overtaking->method)},
                  {"flops", report.overtaking->flops},
                  {"wavefront_flops", report.overtaking->wavefront_flops}};
  }
  Json json = to_json(search_report(report));
  if (result.best) {
    Json best = methods[*result.best];
    best.erase("levels_detail");
    json["best"].update(best);  // older names, of which two have other types
  }
  if (report.is_profile) json["model"] = recurrent_model_json(report.model);
  json["layers"] = result.shape.layers;
  json["steps"] = result.shape.steps;
  json["hidden"] = result.shape.hidden;
  json["methods"] = std::move(methods);
  json["overtaking_looked_for"] = true;
  json["overtaking"] = std::move(overtaking);
  json["wavefront"] = {{"flops", result.wavefront().flops}};
  json["chain_build"] = {{"values", values}, {"bytes", checked_mul(result.options.value_bytes, values)}};
  return json;
}

std::string to_csv(const StackedReport& report) {
  SearchReport search = search_report(report);
  search.more = [&report](std::size_t i, Json& candidate) {
    const StackedProfile& profile = report.result.profiles[i];
    candidate["addition_levels"] = profile.addition_levels;
    candidate["addition_flops"] = profile.addition_flops;
    candidate["per_step_flops"] = profile.per_step_flops;
  };
  return to_csv(search);
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
      "on the workers, additions included (shared: they share ops); to wavefront: {}. Figures are those of one "
      "sequence.\n\n",
      to_string(result.options.objective));
  text += fewest_text(result);
  return text;
}

}  // namespace upsweep
