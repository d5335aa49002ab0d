#include <algorithm>

#include "analysis.hpp"
#include "chain.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/report/profile_report.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep::cli {
namespace {

struct ProfileOptions {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::string schedule = "blelloch";
};

int run_profile(const ProfileOptions& options, const Invocation& invocation, const CLI::App& app) {
  check_model_options(options.model);
  check_recurrent_options(options.recurrent, options.model);
  check_profile_schedule(options.schedule);
  if (is_chain(options.model, options.recurrent)) return profile_chain(options.model, options.schedule);
  if (is_recurrent(options.model, options.recurrent)) {
    return profile_recurrent(options.model, options.recurrent, options.schedule, invocation);
  }
  const ScheduleRequest request = schedule_request(options.schedule);

  const std::optional<Machine> machine = load_machine_of(options.model);
  const Model model = load(options.model);
  const auto store = open_store(options.model.db);
  const std::size_t length = model.network.links().size() + 1;
  Console console(app);
  const Watch watch = console.watch();
  const Analysis analysis =
      analyse_network(model, pattern_kind(options.model), {make_schedule(request, length)}, watch);
  const ScheduleProfile& profile = analysis.schedules.front();
  const std::size_t workers = workers_of(options.model, widest_level(profile.schedule), machine ? &*machine : nullptr);
  const PramProfile pram = pram_profile(profile, workers);
  std::optional<ProfileTimes> times;
  if (machine) times = profile_times(*machine, profile, analysis.network, workers, model.value_bytes);

  if (store) {
    RunContext context = run_context(invocation, "profile", pattern_kind(options.model), model, analysis.network);
    add_machine(context, machine ? &*machine : nullptr, workers, model.value_bytes);
    RunRecord run{request.text, &profile, pram, {}, {}, {}};
    if (times) {
      run.predicted_level_s = times->level.seconds;
      run.predicted_dag_s = times->dag.seconds;
      if (const auto binding = binding_of(profile, *machine, workers, Execution::dag, model.value_bytes))
        run.binding = to_string(*binding);
    }
    report_stored(options.model.db, store->save(context, {run}, std::nullopt));
  }
  const ProfileReport report{model.name, model.network,         analysis.network, profile,
                             pram,       options.model.pattern, request.text,     times};
  print_report(options.model.format, report);
  if (store) save_pictures(*store, model, pattern_kind(options.model), watch);
  return 0;
}

}  // namespace

Command declare_profile(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("profile", "Count the products of one scan schedule and simulate it on a PRAM");
  auto options = std::make_shared<ProfileOptions>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent);
  app->add_option(
         "--schedule", options->schedule,
         "linear (or substitution), blelloch, hybrid:L cut after L levels, kogge-stone, sklansky, brent-kung, "
         "recursive-doubling, cyclic-reduction or blocked:P; of a recurrent model linear, blelloch, hybrid:L and, with "
         "--machine, blocked:P; of a synthetic chain linear, blelloch, hybrid:L")
      ->capture_default_str();
  return {app, [options, app, &invocation] { return run_profile(*options, invocation, *app); }};
}

}  // namespace upsweep::cli
