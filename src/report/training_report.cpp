#include "upsweep/report/training_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

/// Compute and link of a data-parallel step, one row each.
std::string two_rows(const std::vector<StepEntry>& first, const std::vector<StepEntry>& second,
                     const std::vector<std::string>& names, TimelineStyle style) {
  std::vector<StepEntry> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return timeline_text(all, names, style);
}

std::string kernels_csv(const std::string& name, const RegionSchedule& schedule) {
  std::string csv;
  for (std::size_t region = 0; region < schedule.kernels.size(); ++region) {
    for (const std::size_t layer : schedule.kernels[region]) {
      csv += csv_line({name, fmt::format("{}", region + 1), fmt::format("{}", layer + 1),
                       plain_number(schedule.begin[layer]), plain_number(schedule.length[layer])});
    }
  }
  return csv;
}

std::string region_text(const MultiRegion& step, const RegionSchedule& schedule) {
  TextTable table(
      {{"region"}, {"main stream", TextTable::Align::left}, {"clock"}, {"sub-stream", TextTable::Align::left}});
  for (std::size_t region = 0; region < step.regions(); ++region) {
    std::vector<std::string> main;
    for (const StepOp& op : step.main_stream[region])
      main.push_back(fmt::format("{}{}", letter(op.kind), op.layer + 1));
    std::vector<std::string> sub;
    for (const std::size_t layer : schedule.kernels[region]) sub.push_back(fmt::format("W{}", layer + 1));
    table.row({fmt::format("{}", region + 1), fmt::format("{}", fmt::join(main, " ")),
               plain_number(schedule.now[region]), fmt::format("{}", fmt::join(sub, " "))});
  }
  return table.text();
}

}  // namespace

Json to_json(const TrainingFile& file, const DataParallelStudy& study, const DataParallelAnswers& answers) {
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

std::string to_csv(const DataParallelStudy&, const DataParallelAnswers& answers) {
  std::string csv = csv_line({"link", "k", "makespan", "backward_end", "idle"});
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    for (std::size_t k = 0; k < runs.size(); ++k) {
      csv += csv_line({to_string(rule), fmt::format("{}", k), plain_number(runs[k].makespan),
                       plain_number(runs[k].backward_end), plain_number(runs[k].idle)});
    }
  }
  return csv;
}

std::string to_text(const TrainingFile& file, const DataParallelStudy& study, const DataParallelAnswers& answers,
                    TimelineStyle style) {
  const DataParallelRun& plain = answers.conventional;
  const DataParallelRun& chosen = answers.chosen;
  std::string text = fmt::format(
      "{}: data parallel, {} layers, from the gradient of the loss to the end of the next "
      "forward pass\n{}\n",
      file.name, study.step.layers(), source_text(file));
  TextTable table({{"link", TextTable::Align::left},
                   {"conventional (k = 0)"},
                   {"best k"},
                   {"makespan"},
                   {"to k = 0"},
                   {"speed-up"}});
  for (const LinkRule rule : kLinkRules) {
    const auto& runs = answers.runs[static_cast<std::size_t>(rule)];
    const auto best = std::ranges::min_element(
        runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(std::min(answers.max_k, runs.size() - 1) + 1), {},
        &DataParallelRun::makespan);
    table.row({to_string(rule), time_text(file, runs.front().makespan), fmt::format("{}", best - runs.begin()),
               time_text(file, best->makespan), short_ratio(runs.front().makespan / best->makespan),
               short_ratio(plain.makespan / best->makespan)});
  }
  text += table.text();
  text += fmt::format(
      "\nto k = 0: against the conventional order over the same link; speed-up: against it over a fifo "
      "link. best k: of all{}.\n",
      study.memory ? fmt::format(" up to {}, which the memory allows", answers.max_k) : "");
  text += fmt::format("The search under {} tried {} of {} k and chose {}: {}, of which the device idles {}.\n",
                      to_string(study.search_rule), answers.search.evaluated.size(), study.step.layers(),
                      answers.search.k, time_text(file, chosen.makespan), time_text(file, chosen.idle));
  if (answers.optimum_nonpreemptive) {
    text += fmt::format("Best of all backward orders and link sequences: {}.\n",
                        time_text(file, *answers.optimum_nonpreemptive));
  }
  text += optimum_text(file, chosen.makespan, answers.optimum);
  if (style != TimelineStyle::none) {
    text += "\nconventional order, fifo link\n\n" + two_rows(plain.compute, plain.link, {"device", "link"}, style);
    const std::string order =
        answers.search.k == 0 ? "conventional order" : fmt::format("reverse first-{}", answers.search.k);
    text += fmt::format("\n{}, {} link\n\n", order, to_string(study.search_rule)) +
            two_rows(chosen.compute, chosen.link, {"device", "link"}, style);
  }
  return text + note_text(file);
}

Json to_json(const TrainingFile& file, const FirstKMemoryStudy& study, const FirstKMemoryAnswers& answers) {
  Json object = training_head(file);
  object["f"] = json_numbers(answers.memory_of_k);
  object["max_k"] = answers.max_k;
  object["limits"] = json_numbers(study.limits);
  return object;
}

std::string to_csv(const FirstKMemoryStudy&, const FirstKMemoryAnswers& answers) {
  std::string csv = csv_line({"k", "memory"});
  for (std::size_t k = 0; k < answers.memory_of_k.size(); ++k)
    csv += csv_line({fmt::format("{}", k), plain_number(answers.memory_of_k[k])});
  return csv;
}

std::string to_text(const TrainingFile& file, const FirstKMemoryStudy& study, const FirstKMemoryAnswers& answers,
                    TimelineStyle) {
  std::string text = fmt::format("{}: memory of reverse first-k\n\n", file.name);
  TextTable memory({{"k"}, {"memory"}});
  for (std::size_t k = 0; k < answers.memory_of_k.size(); ++k)
    memory.row({fmt::format("{}", k), plain_number(answers.memory_of_k[k])});
  text += memory.text() + '\n';
  TextTable limits({{"limit"}, {"largest k"}, {"", TextTable::Align::left}});
  for (std::size_t i = 0; i < study.limits.size(); ++i) {
    const bool fits = answers.fits[i];
    limits.row({plain_number(study.limits[i]), fmt::format("{}", answers.max_k[i]),
                fits ? "" : fmt::format("does not fit: more than {} is needed", answers.memory_of_k.front())});
  }
  return text + limits.text() + note_text(file);
}

Json to_json(const TrainingFile& file, const MultiRegionStudy&, const MultiRegionAnswers& answers) {
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

std::string to_csv(const MultiRegionStudy&, const MultiRegionAnswers& answers) {
  return csv_line({"schedule", "region", "kernel", "begin", "length"}) + kernels_csv("algorithm1", answers.algorithm1) +
         kernels_csv("with_memory", answers.with_memory.schedule);
}

std::string to_text(const TrainingFile& file, const MultiRegionStudy& study, const MultiRegionAnswers& answers,
                    TimelineStyle style) {
  const RegionFallback& fallback = answers.with_memory;
  std::string text = fmt::format("{}: one GPU with two streams, {} layers in {} regions\n\n", file.name,
                                 study.step.layers(), study.step.regions());
  TextTable table({{"schedule", TextTable::Align::left}, {"makespan"}, {"speed-up"}, {"estimate"}, {"peak memory"}});
  table.row({"one stream", plain_number(answers.one_stream_makespan), "1.000x", "-", "-"});
  const auto add = [&](const std::string& name, const RegionSchedule& schedule, const RegionRun& run) {
    table.row({name, plain_number(run.makespan), short_ratio(answers.one_stream_makespan / run.makespan),
               plain_number(schedule.estimate), plain_number(schedule.peak_memory)});
  };
  add("multi-region", answers.algorithm1, answers.algorithm1_run);
  add(fmt::format("in memory, {} pre-scheduled", fallback.pre_regions), fallback.schedule, answers.with_memory_run);
  text += table.text();
  if (!fallback.fits) {
    text += fmt::format("\nNo schedule stays below the memory limit of {}.\n", plain_number(study.step.memory_limit));
  }
  const std::string optimum = optimum_text(file, answers.algorithm1_run.makespan, answers.optimum);
  if (!optimum.empty()) text += '\n' + optimum;
  text += "\nmulti-region\n\n" + region_text(study.step, answers.algorithm1) + '\n' +
          timeline_text(answers.algorithm1_run.timeline, {"main", "sub"}, style);
  if (fallback.pre_regions > 0) {
    text += "\nin memory\n\n" + region_text(study.step, fallback.schedule) + '\n' +
            timeline_text(answers.with_memory_run.timeline, {"main", "sub"}, style);
  }
  text += "\nclock: time of the sub-stream in the region.\n";
  return text + note_text(file);
}

}  // namespace upsweep
