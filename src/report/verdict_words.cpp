#include "upsweep/report/verdict_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"

namespace upsweep {
namespace {

/// Of both rules; null where nothing was looked for.
template <class Member>
Json overtakes_json(const Verdict& verdict, const Member& member) {
  const auto json = [&](const OvertakingWorkers& rule) {
    const auto value = member(rule);
    return value ? Json(*value) : Json();
  };
  if (!verdict.overtakes) return {{"whole", Json()}, {"shared", Json()}};
  return {{"whole", json(verdict.overtakes->whole)}, {"shared", json(verdict.overtakes->shared)}};
}

/// Null where it is empty.
Json text_json(const std::string& text) { return Value::unless_empty(text).json(); }

Json frame_json(const VerdictFrame& frame) {
  return {{"workers", frame.workers ? Json(*frame.workers) : Json()},
          {"machine", text_json(frame.machine)},
          {"batch", frame.batch ? Json(*frame.batch) : Json()},
          {"ops", frame.ops.empty() ? Json() : Json(frame.ops)},
          {"execution", text_json(frame.execution)},
          {"launch", text_json(frame.launch)},
          {"pattern", text_json(frame.pattern)},
          {"scope", text_json(frame.scope)},
          {"library", text_json(frame.library)},
          {"memory_limit", frame.memory_limit ? Json(*frame.memory_limit) : Json()},
          {"memory_unit", frame.memory_limit ? Json(frame.memory_unit) : Json()},
          {"priced_by", text_json(frame.priced_by)},
          {"varies", frame.varies}};
}

Json parts_json(const VerdictParts& parts) {
  return {{"headline", text_json(parts.headline)},   {"under", text_json(parts.under)},
          {"standing", text_json(parts.standing)},   {"binds", text_json(parts.binds)},
          {"overtakes", text_json(parts.overtakes)}, {"turned_by", parts.turned_by}};
}

/// "from 3 workers on"; with the name of the scan where several were compared: "from 3 workers on, hybrid:1 first".
std::string from_text(const OvertakingWorkers& rule, bool is_one) {
  std::string text = fmt::format("from {} on", workers_text(*rule.from));
  if (rule.loses_again() == true && rule.always_from) text += fmt::format(" (always from {} on)", *rule.always_from);
  if (!is_one && !rule.scan.empty()) text += fmt::format(", {} first", rule.scan);
  return rule.loses_again() == true && !rule.always_from ? text + ", but not with every larger number" : text;
}

}  // namespace

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

std::string to_string(Pays pays) {
  switch (pays) {
    case Pays::yes:
      return "yes";
    case Pays::only_if_ops_are_whole:
      return "only-if-ops-are-whole";
    case Pays::no:
      break;
  }
  return "no";
}

std::string pays_text(const Verdict& verdict) {
  const std::optional<Pays> pays = verdict.pays();
  if (!pays) return "nothing follows for the scan";
  if (pays == Pays::only_if_ops_are_whole) return "the scan pays only if ops are whole";
  return pays == Pays::yes ? pays_text(0.5, 0) : pays_text(std::max(1.0, verdict.ratio().value_or(2)), verdict.same);
}

std::string overtaking_text(const std::optional<Overtakes>& overtakes, const std::string& plain,
                            const std::string& scan, const std::string& frame) {
  if (!overtakes) return "";
  const bool is_one = !scan.empty();
  const auto text = [&](const OvertakingWorkers& rule, const std::string& name, const std::string& none,
                        const std::string& found) {
    if (!rule.is_known) return fmt::format("whether {} overtakes is not known", name);
    return rule.from ? found + from_text(rule, is_one) : none;
  };
  const std::string whole = is_one ? text(overtakes->whole, scan, fmt::format("{} does not overtake {}", scan, plain),
                                          fmt::format("{} overtakes {} ", scan, plain))
                                   : text(overtakes->whole, "a scan", "none of the compared scans overtakes " + plain,
                                          fmt::format("scans overtake {} ", plain));
  const std::string shared = is_one ? text(overtakes->shared, "it", "it does not", "it does ")
                                    : text(overtakes->shared, "a scan", "none does", "scans do ");
  return fmt::format("{} each op runs on one worker, {}; where workers share ops, {}.",
                     frame.empty() ? "Where" : frame + "where", whole, shared);
}

Json verdict_json(const Verdict& verdict) {
  Json baselines = Json::array();
  for (const Baseline& baseline : verdict.baselines) {
    const bool has_scan = !baseline.best_scan.empty();
    const std::optional<double> ratio = baseline.ratio();
    baselines.push_back({{"name", baseline.name},
                         {"score", baseline.missing.empty() ? Json(baseline.score) : Json()},
                         {"unit", baseline.is_seconds ? "s" : "flops"},
                         {"best_scan", has_scan ? Json(baseline.best_scan) : Json()},
                         {"scan_score", has_scan ? Json(baseline.scan_score) : Json()},
                         {"ratio", ratio ? Json(*ratio) : Json()},
                         {"speedup", json_of(speedup_of(ratio))},
                         {"interval", interval_json(baseline.interval)},
                         {"scan_interval", interval_json(baseline.scan_interval)},
                         {"interval_from", text_json(baseline.interval_from)},
                         {"scan_interval_from", text_json(baseline.scan_interval_from)},
                         {"exact", !baseline.is_estimate},
                         {"within_uncertainty", baseline.is_within_uncertainty()}});
    if (!baseline.missing.empty()) baselines.back()["missing"] = baseline.missing;
  }
  const std::optional<Pays> pays = verdict.pays();
  const bool is_compared = !verdict.baselines.empty();
  const std::optional<bool> is_uncertain = verdict.is_uncertain();
  return {{"frame", verdict.frame ? frame_json(*verdict.frame) : Json()},
          {"pays", pays ? Json(to_string(*pays)) : Json()},
          {"uncertain", is_uncertain ? Json(*is_uncertain) : Json()},
          {"decided_by", is_compared ? Json(verdict.baselines.front().is_seconds ? "seconds" : "flops") : Json()},
          {"baselines", std::move(baselines)},
          {"overtakes_from", overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.from; })},
          {"overtakes_first", overtakes_json(verdict,
                                             [](const OvertakingWorkers& rule) {
                                               return rule.scan.empty() ? std::optional<std::string>() : rule.scan;
                                             })},
          {"overtakes_always_from",
           overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.always_from; })},
          {"loses_again", overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.loses_again(); })},
          {"overtakes_known",
           overtakes_json(verdict, [](const OvertakingWorkers& rule) { return std::optional(rule.is_known); })},
          {"payback", payback_json(verdict.payback)},
          {"parts", parts_json(verdict.parts)},
          {"sentence", fmt::format("{}", fmt::join(verdict.sentences, " "))}};
}

void add_verdict(Document& document, const Verdict& verdict) {
  document.facts([&verdict] { return Json{{"verdict", verdict_json(verdict)}}; }).say(verdict_text(verdict));
}

std::string standing_sentence(Verdict& verdict, std::string under, std::string standing, std::string binds) {
  std::string text = fmt::format("{}: {}{}{}.", under, standing, binds.empty() ? "" : "; ", binds);
  verdict.parts.under = std::move(under);
  verdict.parts.standing = std::move(standing);
  verdict.parts.binds = std::move(binds);
  return text;
}

std::string verdict_text(const Verdict& verdict) {
  std::string text;
  for (const std::string& sentence : verdict.sentences) text += sentence + '\n';
  return text;
}

std::string comparison_text(const Baseline& baseline, const std::string& plain, double same) {
  const std::optional<double> ratio = baseline.ratio();
  if (baseline.best_scan.empty()) return fmt::format("there is no scan to compare with {}", plain);
  if (!ratio) return fmt::format("{} takes nothing, and a scan has nothing to win", plain);
  return fmt::format("{} is {}: {}", baseline.best_scan, speed_text(*ratio, plain), pays_text(*ratio, same));
}

std::string payback_text(const Payback& payback, const std::string& setup) {
  const std::string saved = fmt::format("{} saves {} per iteration", payback.schedule, short_seconds(payback.saved_s));
  const auto after = [](double iterations) {
    return fmt::format("paid back after {} iteration{}",
                       iterations < 1e6 ? fmt::format("{:.0f}", iterations) : short_count(iterations),
                       iterations == 1 ? "" : "s");
  };
  if (payback.setup_s == 0.0) return fmt::format("{}; {} is 0 s: nothing has to be paid back.", saved, setup);
  if (const std::optional<double> iterations = payback.iterations()) {
    return fmt::format("{}: {}, {} once, is {}.", saved, setup, short_seconds(*payback.setup_s), after(*iterations));
  }
  return fmt::format("{}; {} is not predicted: each second of it is {}.", saved, setup,
                     after(std::ceil(1 / payback.saved_s)));
}

Json payback_json(const std::optional<Payback>& payback) {
  if (!payback) return {};
  const std::optional<double> iterations = payback->iterations();
  return {{"schedule", payback->schedule},
          {"saved_s", payback->saved_s},
          {"setup_s", payback->setup_s ? Json(*payback->setup_s) : Json()},
          {"iterations", iterations ? Json(*iterations) : Json()}};
}

std::string workers_text(std::uint64_t workers) {
  return workers == 1 ? "1 worker" : fmt::format("{} workers", workers);
}

std::string launch_text(LaunchMode mode) {
  switch (mode) {
    case LaunchMode::eager:
      return "kernels issued by the host";
    case LaunchMode::graph:
      return "kernels in a graph";
    case LaunchMode::fused:
      return "one kernel per level";
  }
  return "";
}

Json launch_json(const Machine* machine) { return text_json(launch_name(machine)); }

std::string library_name(const Machine* machine) {
  const PublishedRates* rates = machine == nullptr ? nullptr : machine->product_rates();
  return rates == nullptr ? "" : rates->library;
}

std::string launch_name(const Machine* machine) {
  return machine != nullptr && machine->kind == MachineKind::gpu ? to_string(machine->launch) : "";
}

std::string batch_text(std::uint64_t batch, const std::string& input) {
  return batch == 1 ? "one " + input : fmt::format("{} {}s", batch, input);
}

std::string frame_text(const VerdictFrame& frame) {
  const std::string name = short_text(frame.machine, 120);
  std::string workers = frame.workers ? workers_text(*frame.workers) : "";
  if (!name.empty() && frame.workers && *frame.workers < frame.machine_workers)
    workers = fmt::format("{} of its {}", *frame.workers, workers_text(frame.machine_workers));
  std::string text = name.empty() ? workers : workers.empty() ? name : fmt::format("{} ({})", name, workers);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (frame.batch) add(batch_text(*frame.batch, frame.input));
  add(frame.execution.empty() ? "" : frame.execution + " execution");
  for (const LaunchMode mode : kLaunchModes) {
    if (to_string(mode) == frame.launch) add(launch_text(mode));
  }
  add(frame.pattern.empty() ? "" : frame.pattern + " pattern");
  add(frame.scope == "live" ? "live ops" : "");
  add(frame.library.empty() ? "" : "sparse products of " + short_text(frame.library));
  add(memory_limit_text(frame));
  return text;
}

std::string memory_limit_text(const VerdictFrame& frame) {
  if (!frame.memory_limit) return "";
  if (frame.memory_unit == "bytes") return "within " + short_bytes(*frame.memory_limit);
  const char* ending = *frame.memory_limit == 1 ? "" : "s";
  const double limit = *frame.memory_limit;
  return fmt::format("within {} {}", limit < 1e6 ? fmt::format("{:.6g}", limit) : short_count(limit),
                     frame.memory_unit == "tensors" ? fmt::format("tensor{}", ending)
                                                    : fmt::format("unit{} of memory of its file", ending));
}

std::string sequences_text(std::uint64_t sequences) {
  return sequences == 1 ? "1 sequence" : fmt::format("{} sequences", sequences);
}

std::string speed_text(double ratio) {
  if (ratio == 1) return "as fast";
  return ratio < 1 ? short_ratio(1 / ratio) + " faster" : short_ratio(1 / ratio) + " as fast";
}

std::string speed_text(double ratio, const std::string& other) {
  return fmt::format("{} {} {}", speed_text(ratio), ratio < 1 ? "than" : "as", other);
}

std::optional<double> speedup_of(const std::optional<double>& ratio) {
  return ratio && *ratio > 0 ? std::optional(1 / *ratio) : std::nullopt;
}

std::string pays_text(double ratio, double same) {
  switch (standing_of(ratio, same)) {
    case Standing::pays:
      return "the scan pays";
    case Standing::gains_nothing:
      return "the scan gains nothing";
    case Standing::does_not_pay:
      break;
  }
  return "the scan does not pay";
}

}  // namespace upsweep
