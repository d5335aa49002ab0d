#include "upsweep/report/stacked_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "recurrent_model_json.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/document/numbers.hpp"
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
      {"ratio_to_wavefront", json_of(to_wavefront)},
      {"speedup_over_wavefront", json_of(speedup_of(to_wavefront))},
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

Table ways_table(const StackedReport& report, std::vector<std::size_t> rows) {
  const StackedSearchResult& result = report.result;
  const auto field = [&result](std::string head, Unit unit,
                               std::function<Value(const StackedProfile&, const Candidate&)> value) {
    return Field<std::size_t>("", std::move(head), unit, [&result, value = std::move(value)](std::size_t i) {
      return value(result.profiles[i], result.candidates[i]);
    });
  };
  using P = const StackedProfile&;
  using C = const Candidate&;
  const std::vector<std::size_t> places = rows;
  Table table("", std::move(rows),
              std::vector<Field<std::size_t>>{
                  field("way", Unit::text, [](P p, C) { return to_string(p.method); }),
                  field("levels", Unit::count, [](P p, C) { return p.levels; }),
                  field("+ adding", Unit::count, [](P p, C) { return p.addition_levels; }),
                  field("ops", Unit::count, [](P p, C) { return sum(p.products); }),
                  field("FLOPs", Unit::count, [](P p, C) { return p.flops; }),
                  field("path", Unit::count, [](P p, C) { return p.critical_path_flops; }),
                  field("span", Unit::count, [](P, C c) { return c.pram.level.flops; }),
                  field("span,shared", Unit::count, [](P, C c) { return c.pram.shared_flops; }),
                  field("memory", Unit::bytes, [](P p, C) { return p.memory_bytes; }),
                  {"", "vs wavefront", Unit::speedup, [report](std::size_t i) { return speedup_of(ratio(report, i)); }},
                  {"", "", Unit::text, [&result](std::size_t i) {
                     const Candidate& c = result.candidates[i];
                     if (!c.feasible) return Value("does not fit: " + c.reason);
                     return Value(result.best == i ? "<- best" : "");
                   }}});
  return std::move(table).marks([&result, places](std::size_t row) { return result.best == places[row]; });
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
  const auto field = [&result = report.result](std::string name, std::uint64_t StackedProfile::*figure) {
    return CandidateField(std::move(name), {}, Unit::count, [&result, figure](const CandidateRow& row) {
      return Value(result.profiles[row.place].*figure);
    });
  };
  search.more = {field("addition_levels", &StackedProfile::addition_levels),
                 field("addition_flops", &StackedProfile::addition_flops),
                 field("per_step_flops", &StackedProfile::per_step_flops)};
  return search;
}

/// What stacks have beside what every search has; `best` with older names, of which two have other types.
Json stack_json(const StackedReport& report) {
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
  Json json;
  if (result.best) {
    json["best"] = methods[*result.best];
    json["best"].erase("levels_detail");
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

}  // namespace

Verdict search_verdict(const StackedReport& report) {
  Verdict verdict = search_verdict(search_report(report));
  if (report.is_profile) verdict.sentences.front().insert(0, "Of these ways alone: ");
  return verdict;
}

Document document(const StackedReport& report) {
  const StackedSearchResult& result = report.result;
  const std::vector<std::size_t> rows = rows_of(result);
  Document document = search_figures(search_report(report));
  document.facts([report] { return stack_json(report); })
      .say(fmt::format("{}, {}\n\n", model_text(report.model), plural(result.workers, "worker")))
      .show(ways_table(report, rows))
      .say("\n");
  if (rows.size() < result.candidates.size()) {
    document.say(fmt::format("{} other depths: with --format csv or json.\n", result.candidates.size() - rows.size()));
  }
  return std::move(document.say(fmt::format(
      "levels: of block products, + adding: of additions between them; path, span: critical path and makespan in FLOPs "
      "on the workers, additions included (shared: they share ops); to wavefront: {}. Figures are those of one "
      "sequence.\n\n{}",
      to_string(result.options.objective), fewest_text(result))));
}

}  // namespace upsweep
