#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent_options.hpp"
#include "upsweep/app/search.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/document/size.hpp"

namespace upsweep::cli {
namespace {

constexpr int kSearchInterrupted = 130;

struct SearchCommand {
  ModelOptions model;
  RecurrentOptions recurrent;
  OnnxTexts onnx;
  std::string objective = "time";
  bool live = false;
  std::optional<std::string> memory;
  std::optional<std::string> schemes;
  CountOptions count;
};

/// What --memory says; 0: no limit.
std::uint64_t memory_of(const std::string& text) {
  if (text == "none") return 0;
  try {
    return parse_size("--memory", text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, or none", error.what()));
  }
}

SearchRequest request_of(const SearchCommand& options) {
  SearchRequest request;
  request.model = options.model.model;
  request.onnx = onnx_options(options.onnx);
  request.pattern = pattern_kind(options.model);
  set_frame(options.model, request);
  request.db = options.model.db;
  if (options.objective == "critical-flops") request.objective = Objective::critical_flops;
  if (options.objective == "work-flops") request.objective = Objective::work_flops;
  request.live = options.live;
  if (options.memory) request.memory = memory_of(*options.memory);
  if (options.schemes) {
    request.schemes = *options.schemes == "hybrid" ? SchemeChoice::hybrid
                      : *options.schemes == "all"  ? SchemeChoice::all
                                                   : SchemeChoice::optimal;
  }
  set_counting(options.count, request);
  request.sizes = sizes_of(options.recurrent);
  request.assumptions = assumptions_of(options.recurrent);
  return request;
}

int run_search(const SearchCommand& options, const Invocation& invocation, const Client& client) {
  std::optional<GentleStop> stop;  // before the first answer, while weights are made, Ctrl-C ends the process at once
  Watch watch = client.watch;
  if (client.is_program) {
    watch.stop = &GentleStop::flag();
    watch.answered = [&] { stop.emplace(true); };
  }
  const SearchRequest request = request_of(options);
  const std::string note = options.memory ? bare_size_note(*options.memory) : "";
  if (!note.empty()) client.watch.say(fmt::format("--memory {} {}", *options.memory, note));
  const auto outcome = outcome_of(request, invocation, watch);
  say_stored(client.watch, options.model.db, outcome->run_ids);
  give(client, options.model.format, outcome);
  return outcome->is_interrupted ? kSearchInterrupted : 0;
}

}  // namespace

Command declare_search(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "search", "Choose the schedule: every hybrid depth and every other scheme scored, the best and why");
  auto options = std::make_shared<SearchCommand>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent);
  declare_onnx_options(*app, options->onnx);
  app->add_option("--objective", options->objective, "what to minimise")
      ->check(CLI::IsMember({"time", "critical-flops", "work-flops"}))
      ->capture_default_str();
  app->add_option(
         "--schemes", options->schemes,
         "all schedules, the hybrid depths alone, or all and, of a network, the best order of products that is found")
      ->check(CLI::IsMember({"all", "hybrid", "optimal"}))
      ->default_str("all");
  app->add_flag("--live", options->live, "leave out dead ops, whose values no result depends on");
  app->add_option(
         "--memory", options->memory,
         "refuse schedules whose live values take more; bytes, or with a unit as 16GB or 16GiB, or none; default: what "
         "the machine "
         "file says")
      ->type_name("SIZE");
  declare_count_options(*app, options->count);
  declare_estimate_options(*app, options->count);
  return {app, [options, &invocation](const Client& client) { return run_search(*options, invocation, client); },
          &options->model.db};
}

}  // namespace upsweep::cli
