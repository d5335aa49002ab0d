#include "upsweep/report/verdict_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace upsweep {
namespace {

/// Factors from here on are told as such, smaller ones as percent.
constexpr double kFactor = 1.1;

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

/// "from 3 workers on".
std::string from_text(const OvertakingWorkers& rule) {
  const std::string from = fmt::format("from {} on", workers_text(*rule.from));
  if (rule.loses_again() != true) return from;
  if (!rule.always_from) return from + ", but not with every larger number";
  return fmt::format("{} (always from {} on)", from, *rule.always_from);
}

}  // namespace

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
  const auto text = [&](const OvertakingWorkers& rule, const std::string& one, const std::string& none,
                        const std::string& what) {
    if (!rule.is_known) return fmt::format("whether {} overtakes is not known", one);
    return rule.from ? fmt::format("{} {}{}", one, what, from_text(rule)) : none;
  };
  const std::string all = scan.empty() ? "one of these scans" : scan;
  const std::string whole = text(overtakes->whole, all,
                                 scan.empty() ? fmt::format("none of these scans overtakes {}", plain)
                                              : fmt::format("{} does not overtake {}", scan, plain),
                                 fmt::format("overtakes {} ", plain));
  const std::string shared =
      text(overtakes->shared, scan.empty() ? "one" : "it", scan.empty() ? "none does" : "it does not", "does ");
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
                         {"ratio", ratio ? Json(*ratio) : Json()}});
    if (!baseline.missing.empty()) baselines.back()["missing"] = baseline.missing;
  }
  const std::optional<Pays> pays = verdict.pays();
  const bool is_compared = !verdict.baselines.empty();
  return {{"pays", pays ? Json(to_string(*pays)) : Json()},
          {"decided_by", is_compared ? Json(verdict.baselines.front().is_seconds ? "seconds" : "flops") : Json()},
          {"baselines", std::move(baselines)},
          {"overtakes_from", overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.from; })},
          {"overtakes_always_from",
           overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.always_from; })},
          {"loses_again", overtakes_json(verdict, [](const OvertakingWorkers& rule) { return rule.loses_again(); })},
          {"overtakes_known",
           overtakes_json(verdict, [](const OvertakingWorkers& rule) { return std::optional(rule.is_known); })},
          {"sentence", fmt::format("{}", fmt::join(verdict.sentences, " "))}};
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
  return fmt::format("{} takes {} of {}: {}", baseline.best_scan, short_ratio(*ratio), plain, pays_text(*ratio, same));
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

Json launch_json(const Machine* machine) {
  return machine != nullptr && machine->kind == MachineKind::gpu ? Json(to_string(machine->launch)) : Json();
}

std::string launch_frame(const Machine& machine) {
  return machine.kind == MachineKind::gpu ? ", " + launch_text(machine.launch) : "";
}

std::string sequences_text(std::uint64_t sequences) {
  return sequences == 1 ? "1 sequence" : fmt::format("{} sequences", sequences);
}

std::string faster_text(double ratio, double same) {
  if (standing_of(ratio, same) == Standing::gains_nothing) return "as fast";
  const bool is_faster = ratio < 1;
  const double factor = is_faster ? 1 / ratio : ratio;
  if (factor < kFactor) return fmt::format("{:.2g} % {}", 100 * (factor - 1), is_faster ? "faster" : "longer");
  const std::string times = factor >= 1e3 ? fmt::format("{:.0f}", factor) : fmt::format("{:.3g}", factor);
  return fmt::format("{} times {}", times, is_faster ? "faster" : "as long");
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
