#include "upsweep/app/train.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "calibrating.hpp"
#include "outputs.hpp"
#include "train_models.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/figure/study_figures.hpp"
#include "upsweep/figure/svg.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/train_file.hpp"
#include "upsweep/learning/network_backward.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// The canonical name of a backward pass that recurrent models or networks of operators have.
std::string canonical(const std::string& name) {
  std::optional<std::string> found;
  try {
    found = to_string(parse_backward_method(name));
  } catch (const std::invalid_argument&) {
    // It may be one of a network.
  }
  try {
    if (!found) found = network_backward_name(name);
  } catch (const std::invalid_argument&) {
    throw RequestError(
        "backward",
        fmt::format(": '{}' is no backward method, accepted are linear, hybrid:L, blelloch; bptt, blocked:P and "
                    "blocked:P:R of recurrent models; bp, kogge-stone, sklansky, brent-kung, recursive-doubling, "
                    "cyclic-reduction and blocked:P of networks of operators",
                    name));
  }
  return *found;
}

std::vector<std::string> canonical_names(const std::vector<std::string>& asked) {
  std::vector<std::string> names;
  for (const std::string& one : asked) {
    std::string name = canonical(one);
    if (std::ranges::find(names, name) != names.end())
      throw RequestError("backward", fmt::format("has '{}' twice, accepted is each once", name));
    names.push_back(std::move(name));
  }
  return names;
}

void check_setting(const char* field, const std::optional<std::uint64_t>& number, std::uint64_t most) {
  if (number == 0U) throw RequestError(field, "is 0, accepted is an integer of at least 1");
  if (number && *number > most) throw RequestError(field, fmt::format("is {}, accepted are at most {}", *number, most));
}

/// Checks what can be before a file is opened. Throws RequestError.
void check_train(const TrainRequest& request) {
  check_setting("iterations", request.iterations, TrainLimits::kIterations);
  check_setting("batch", request.batch, TrainLimits::kBatch);
  check_setting("steps", request.steps, TrainLimits::kSteps);
  check_setting("workers", request.workers, INT64_MAX);
  // Those of networks are among them.
  if (request.backend) static_cast<void>(require_backend(*request.backend, Ability::recurrent_training));
  if (request.svg && (request.svg->empty() || *request.svg == "-")) {
    throw RequestError(
        "svg", fmt::format("is '{}', accepted is the name of a file: standard output has the report", *request.svg));
  }
}

/// The file with what the request replaces.
TrainSpec read_spec(const TrainRequest& request, const std::optional<std::vector<std::string>>& backward) {
  TrainSpec spec = load_train(read_yaml(request.file));
  if (request.steps && !spec.is_recurrent) {
    throw RequestError("steps",
                       fmt::format(", accepted is a recurrent model: {} is a network of operators", spec.model_file));
  }
  spec.iterations = request.iterations.value_or(spec.iterations);
  const auto replace = [](const auto& value, auto& setting, int& line) {
    if (!value) return;
    setting = *value;
    line = 0;
  };
  replace(request.batch, spec.batch, spec.lines.batch);
  replace(request.steps, spec.steps, spec.lines.steps);
  replace(request.backend, spec.backend, spec.lines.backend);
  replace(backward, spec.backward, spec.lines.backward);
  return spec;
}

std::size_t worker_count(const TrainRequest& request) {
  const std::size_t most = parallel_slots();
  const std::uint64_t workers = request.workers.value_or(most);
  if (workers > most)
    throw BackendError(fmt::format("`workers` is {}, accepted are 1 to {} on this machine", workers, most));
  return workers;
}

TrainReport train(const TrainSpec& spec, const Watch& watch) {
  const TrainProgress progress = [&](const LossCurve& curve, std::size_t index) {
    if (watch.stop != nullptr && *watch.stop) throw Interrupted();
    const std::size_t done = curve.loss.size();
    const std::size_t hundredth = std::max<std::size_t>(1, spec.iterations / 100);
    if (done % hundredth != 0) return;
    watch.show(fmt::format("training by {} ({} of {}), iteration {} of {}, loss {:.4g}", curve.backward, index + 1,
                           spec.backward.size(), done, spec.iterations, curve.loss.back()));
  };
  TrainReport report = spec.is_recurrent ? train_recurrent_model(spec, progress) : train_network_model(spec, progress);
  watch.show("");
  return report;
}

void write_svg(const std::string& path, const PassRecord& record, const Watch& watch) {
  if (const std::optional<Figure> figure = losses_figure({0, "", record})) {
    write_text_file(path, draw_svg(*figure, Theme::light));
  } else {
    watch.say(fmt::format("no iteration was finished: {} is not written", path));
  }
}

/// Throws InputError where a training diverged.
void require_finished(const TrainReport& report) {
  const std::size_t failures = report.result.failures();
  if (failures == 0) return;
  const auto first = std::ranges::find_if(report.result.curves, [](const LossCurve& curve) { return !!curve.failure; });
  const std::string others =
      failures == 1 ? "" : fmt::format(" (and {} more of {} trainings)", failures - 1, report.result.curves.size());
  throw InputError(fmt::format("{}: {}{}", report.spec.file, *first->failure, others));
}

/// Runs all steps, whatever becomes of the others; what the first of those that failed has thrown.
std::exception_ptr run_steps(const std::vector<std::function<void()>>& steps) {
  std::exception_ptr failure;
  for (const auto& step : steps) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  return failure;
}

}  // namespace

const BackendEntry& backend_of(const TrainSpec& spec, Ability ability) {
  try {
    return find_backend(spec.backend, ability);
  } catch (const std::invalid_argument& error) {
    refuse(spec, spec.lines.backend, "backend", error.what());
  }
}

TrainOutcome run(const TrainRequest& request, const Caller& caller, const Watch& watch) {
  std::optional<std::vector<std::string>> backward;
  if (request.backward) backward = canonical_names(*request.backward);
  check_train(request);
  const TrainSpec spec = read_spec(request, backward);
  // A training takes long: what would be in the way of its picture is said before.
  if (request.svg) {
    std::vector<NamedFile> read = arrays_of("file", spec.model_file);
    read.insert(read.begin(), {{"file", request.file}, {"db", request.db.value_or("")}, {"file", spec.model_file}});
    check_output({"svg", *request.svg, kFigureMark}, read, request.force);
    require_charts();
  }
  const std::size_t workers = worker_count(request);
  const auto store = open_store(request.db);
  const ThreadLimit limit(workers);
  TrainOutcome outcome{train(spec, watch)};
  outcome.report.workers = workers;
  outcome.verdict = train_verdict(outcome.report);
  PassRecord record = pass_record(caller, outcome.report);
  record.verdict = kept(outcome.verdict);
  // For the same reason, what goes wrong here must not keep back the rest.
  outcome.failure = run_steps({[&] {
                                 if (request.svg) write_svg(*request.svg, record, watch);
                               },
                               [&] {
                                 if (store) outcome.run_ids = {store->save(record)};
                               },
                               [&] { require_finished(outcome.report); }});
  return outcome;
}

Document document(const TrainOutcome& outcome) {
  Document document = upsweep::document(outcome.report);
  add_verdict(document, outcome.verdict);
  return document;
}

void refuse(const TrainSpec& spec, int line, const std::string& field, const std::string& message) {
  if (line == 0) throw RequestError(field, ": " + message);
  throw spec.error(line, message);
}

void require_optimizer(const TrainSpec& spec, unsigned value_bytes) {
  try {
    require_valid(spec.optimizer, value_bytes);
  } catch (const std::invalid_argument& error) {
    throw spec.error(spec.lines.optimizer, fmt::format("optimizer of train: {}", error.what()));
  }
}

}  // namespace upsweep
