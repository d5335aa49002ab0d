#include "upsweep/report/training_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "training_parts.hpp"
#include "upsweep/report/timeline.hpp"

namespace upsweep {
namespace {

Json detail_json(const DataParallelRun& run) {
  return {{"makespan", json_number(run.makespan)},  {"backward_end", json_number(run.backward_end)},
          {"busy", json_number(run.busy)},          {"idle", json_number(run.idle)},
          {"sync_end", json_numbers(run.sync_end)}, {"forward_start", json_numbers(run.forward_start)}};
}

Json kernel_map(const std::vector<double>& of_layers) {
  Json map = Json::object();
  for (std::size_t layer = 1; layer < of_layers.size(); ++layer)
    map[fmt::format("{}", layer + 1)] = json_number(of_layers[layer]);
  return map;
}

std::vector<std::size_t> layer_numbers(const std::vector<std::size_t>& layers) {
  std::vector<std::size_t> numbers;
  for (const std::size_t layer : layers) numbers.push_back(layer + 1);
  return numbers;
}

Json schedule_json(const RegionSchedule& schedule, const RegionRun& run) {
  Json regions = Json::array();
  for (const std::vector<std::size_t>& kernels : schedule.kernels) regions.push_back(layer_numbers(kernels));
  return {{"schedule", std::move(regions)},
          {"begin", kernel_map(schedule.begin)},
          {"length", kernel_map(schedule.length)},
          {"now", json_numbers(schedule.now)},
          {"overflow", layer_numbers(schedule.overflow)},
          {"estimate", json_number(schedule.estimate)},
          {"executed",
           {{"makespan", json_number(run.makespan)},
            {"main_end", json_number(run.main_end)},
            {"sub_end", json_number(run.sub_end)}}}};
}

/// All operations of two lists.
std::vector<StepEntry> both(const std::vector<StepEntry>& first, const std::vector<StepEntry>& second) {
  std::vector<StepEntry> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// Kernels with their regions and times, of both schedules.
Table kernels_table(const MultiRegionAnswers& answers) {
  std::vector<std::vector<Value>> rows;
  const auto add = [&rows](const char* name, const RegionSchedule& schedule) {
    for (std::size_t region = 0; region < schedule.kernels.size(); ++region) {
      for (const std::size_t layer : schedule.kernels[region]) {
        rows.push_back(
            {name, region + 1, layer + 1, number_value(schedule.begin[layer]), number_value(schedule.length[layer])});
      }
    }
  };
  add("algorithm1", answers.algorithm1);
  add("with_memory", answers.with_memory.schedule);
  return {"", {{"schedule"}, {"region"}, {"kernel"}, {"begin"}, {"length"}}, std::move(rows)};
}

/// Ops of both streams by region.
Table regions_table(const MultiRegion& step, const RegionSchedule& schedule) {
  std::vector<std::vector<Value>> rows;
  for (std::size_t region = 0; region < step.regions(); ++region) {
    std::vector<std::string> main;
    for (const StepOp& op : step.main_stream[region])
      main.push_back(fmt::format("{}{}", letter(op.kind), op.layer + 1));
    std::vector<std::string> sub;
    for (const std::size_t layer : schedule.kernels[region]) sub.push_back(fmt::format("W{}", layer + 1));
    rows.push_back({region + 1, fmt::format("{}", fmt::join(main, " ")), number_value(schedule.now[region]),
                    fmt::format("{}", fmt::join(sub, " "))});
  }
  return {"",
          {{"", "region", Unit::exact},
           {"", "main stream", Unit::text},
           {"", "clock", Unit::exact},
           {"", "sub-stream", Unit::text}},
          std::move(rows)};
}

/// Makespans by link rule and k.
Table links_table(const DataParallelAnswers& answers) {
  std::vector<std::vector<Value>> rows;
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    for (std::size_t k = 0; k < runs.size(); ++k) {
      rows.push_back({to_string(rule), k, number_value(runs[k].makespan), number_value(runs[k].backward_end),
                      number_value(runs[k].idle)});
    }
  }
  return {"", {{"link"}, {"k"}, {"makespan"}, {"backward_end"}, {"idle"}}, std::move(rows)};
}

/// The best k of each link rule, for people.
Table best_table(const TrainingFile& file, const DataParallelAnswers& answers) {
  std::vector<std::vector<Value>> rows;
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    const auto best = std::ranges::min_element(
        runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(std::min(answers.max_k, runs.size() - 1) + 1), {},
        &DataParallelRun::makespan);
    rows.push_back({to_string(rule), time_value(file, runs.front().makespan), best - runs.begin(),
                    time_value(file, best->makespan), runs.front().makespan / best->makespan,
                    answers.conventional.makespan / best->makespan});
  }
  return {"",
          {{"", "link", Unit::text},
           {"", "conventional (k = 0)", Unit::exact},
           {"", "best k", Unit::exact},
           {"", "makespan", Unit::exact},
           {"", "vs k = 0", Unit::speedup},
           {"", "vs k = 0, fifo", Unit::speedup}},
          std::move(rows)};
}

Json data_parallel_json(const TrainingFile& file, const DataParallelStudy& study, const DataParallelAnswers& answers) {
  Json object = training_head(file);
  Json makespans = Json::object();
  for (const LinkRule rule : kLinkRules) {
    Json& row = makespans[to_string(rule)] = Json::array();
    for (const DataParallelRun& run : answers.runs[static_cast<std::size_t>(rule)])
      row.push_back(json_number(run.makespan));
  }
  if (file.source) {
    object["layers"] = {{"F", json_numbers(study.step.forward)},
                        {"O", json_numbers(study.step.output_gradient)},
                        {"W", json_numbers(study.step.weight_gradient)},
                        {"S", json_numbers(study.step.synchronisation)}};
  }
  object["makespan_by_link_and_k"] = std::move(makespans);
  object["search_link"] = to_string(study.search_rule);
  object["search_k"] = answers.search.k;
  object["search_evaluated"] = answers.search.evaluated;
  object["max_k"] = answers.max_k;
  if (answers.optimum_nonpreemptive) object["optimum_nonpreemptive"] = json_number(*answers.optimum_nonpreemptive);
  if (answers.optimum) object["optimum"] = optimum_json(answers.optimum);
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    for (std::size_t k = 0; k < runs.size(); ++k)
      object[fmt::format("detail_{}_k{}", to_string(rule), k)] = detail_json(runs[k]);
  }
  return object;
}

Json multi_region_json(const TrainingFile& file, const MultiRegionAnswers& answers) {
  Json object = training_head(file);
  object["one_stream_makespan"] = json_number(answers.one_stream_makespan);
  object["algorithm1"] = schedule_json(answers.algorithm1, answers.algorithm1_run);
  Json with_memory = schedule_json(answers.with_memory.schedule, answers.with_memory_run);
  with_memory["pre_regions"] = answers.with_memory.pre_regions;
  with_memory["peaks"] = json_numbers(answers.with_memory.peaks);
  with_memory["fits"] = answers.with_memory.fits;
  object["with_memory"] = std::move(with_memory);
  if (answers.optimum) object["optimum"] = optimum_json(answers.optimum);
  return object;
}

}  // namespace

Document document(const TrainingFile& file, const DataParallelStudy& study, const DataParallelAnswers& answers,
                  TimelineStyle style) {
  const DataParallelRun& plain = answers.conventional;
  const DataParallelRun& chosen = answers.chosen;
  Document document;
  document.facts([&] { return data_parallel_json(file, study, answers); })
      .sheet(links_table(answers))
      .say(fmt::format("{}: data parallel, {} layers, from the gradient of the loss to the end of the next forward "
                       "pass\n{}\n",
                       file.name, study.step.layers(), source_text(file)))
      .show(best_table(file, answers))
      .say(
          fmt::format("\nvs: speed-up over the conventional order, over the same link and over a fifo link. best k: of "
                      "all{}.\n"
                      "The search under {} tried {} of {} k and chose {}: {}, of which the device idles {}.\n",
                      study.memory ? fmt::format(" up to {}, which the memory allows", answers.max_k) : "",
                      to_string(study.search_rule), answers.search.evaluated.size(), study.step.layers(),
                      answers.search.k, time_text(file, chosen.makespan), time_text(file, chosen.idle)));
  if (answers.optimum_nonpreemptive) {
    document.say(fmt::format("Best of all backward orders and link sequences: {}.\n",
                             time_text(file, *answers.optimum_nonpreemptive)));
  }
  document.say(optimum_text(file, chosen.makespan, answers.optimum));
  if (style != TimelineStyle::none) {
    const std::string order =
        answers.search.k == 0 ? "conventional order" : fmt::format("reverse first-{}", answers.search.k);
    const std::vector<StepEntry> before = both(plain.compute, plain.link);
    const std::vector<StepEntry> after = both(chosen.compute, chosen.link);
    const TimelineScale scale = timeline_scale(both(before, after), style);
    document.say('\n' + heading_text(file, scale) + "\nconventional order, fifo link\n\n" +
                 timeline_text(before, {"device", "link"}, scale) +
                 fmt::format("\n{}, {} link\n\n", order, to_string(study.search_rule)) +
                 timeline_text(after, {"device", "link"}, scale));
  }
  return std::move(document.say(note_text(file)));
}

Document document(const TrainingFile& file, const FirstKMemoryStudy& study, const FirstKMemoryAnswers& answers,
                  TimelineStyle) {
  std::vector<std::vector<Value>> limits;
  for (std::size_t i = 0; i < study.limits.size(); ++i) {
    limits.push_back(
        {number_value(study.limits[i]), answers.max_k[i],
         answers.fits[i] ? "" : fmt::format("does not fit: more than {} is needed", answers.memory_of_k.front())});
  }
  Document document;
  return std::move(document
                       .facts([&] {
                         Json object = training_head(file);
                         object["f"] = json_numbers(answers.memory_of_k);
                         object["max_k"] = answers.max_k;
                         object["limits"] = json_numbers(study.limits);
                         return object;
                       })
                       .say(fmt::format("{}: memory of reverse first-k\n\n", file.name))
                       .show_sheet({"", numbered(answers.memory_of_k.size()),
                                    std::vector<Field<std::size_t>>{
                                        {"k", "k", Unit::exact, [](std::size_t k) { return k; }},
                                        {"memory", "memory", Unit::exact,
                                         [&answers](std::size_t k) { return number_value(answers.memory_of_k[k]); }}}})
                       .say("\n")
                       .show({"",
                              {{"", "limit", Unit::exact}, {"", "largest k", Unit::exact}, {"", "", Unit::text}},
                              std::move(limits)})
                       .say(note_text(file)));
}

Document document(const TrainingFile& file, const MultiRegionStudy& study, const MultiRegionAnswers& answers,
                  TimelineStyle style) {
  const RegionFallback& fallback = answers.with_memory;
  std::vector<std::vector<Value>> rows = {
      {"one stream", number_value(answers.one_stream_makespan), 1.0, Value(), Value()}};
  const auto add = [&](const std::string& name, const RegionSchedule& schedule, const RegionRun& run) {
    rows.push_back({name, number_value(run.makespan), answers.one_stream_makespan / run.makespan,
                    number_value(schedule.estimate), number_value(schedule.peak_memory)});
  };
  add("multi-region", answers.algorithm1, answers.algorithm1_run);
  add(fmt::format("in memory, {} pre-scheduled", fallback.pre_regions), fallback.schedule, answers.with_memory_run);
  Document document;
  document.facts([&] { return multi_region_json(file, answers); })
      .sheet(kernels_table(answers))
      .say(fmt::format("{}: one GPU with two streams, {} layers in {} regions\n\n", file.name, study.step.layers(),
                       study.step.regions()))
      .show({"",
             {{"", "schedule", Unit::text},
              {"", "makespan", Unit::exact},
              {"", "speed-up", Unit::ratio},
              {"", "estimate", Unit::exact},
              {"", "peak memory", Unit::exact}},
             std::move(rows)});
  if (!fallback.fits) {
    document.say(
        fmt::format("\nNo schedule stays below the memory limit of {}.\n", plain_number(study.step.memory_limit)));
  }
  const std::string optimum = optimum_text(file, answers.algorithm1_run.makespan, answers.optimum);
  if (!optimum.empty()) document.say('\n' + optimum);
  const TimelineScale scale =
      timeline_scale(both(answers.algorithm1_run.timeline, answers.with_memory_run.timeline), style);
  const auto timeline = [&](const std::string& title, const RegionSchedule& schedule, const RegionRun& run) {
    document.say("\n" + title + "\n\n")
        .show(regions_table(study.step, schedule))
        .say('\n' + timeline_text(run.timeline, {"main", "sub"}, scale));
  };
  timeline("multi-region", answers.algorithm1, answers.algorithm1_run);
  if (fallback.pre_regions > 0) timeline("in memory", fallback.schedule, answers.with_memory_run);
  return std::move(
      document.say("\nclock: time of the sub-stream in the region.\n" + heading_text(file, scale) + note_text(file)));
}

}  // namespace upsweep
