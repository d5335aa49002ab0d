#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "search_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

constexpr const char* kOneBlockText =
    "No activation between input and output lies on all paths: the whole network is one block, and a scan has nothing "
    "to do. Its gradients solve a block triangular system; the method is plain BP over the graph, which works level by "
    "level.";

bool is_one_block(const SearchReport& report) { return has_blocks(report) && report.network->links().size() == 1; }

/// Why there is no scan to compare.
std::string no_scan_text(const SearchReport& report, const Baseline& baseline) {
  if (!best_plain(report.result).feasible) return fmt::format("neither {} nor a scan fits", report.plain);
  for (std::size_t i = 0; i < report.result.size(); ++i) {
    if (report.result.at(i).is_scan())
      return fmt::format("no scan that fits is there to compare with {}", report.plain);
  }
  const Candidate& last = report.result.last();
  const std::string text = comparison_text(baseline, report.plain, 0);
  if (last.depth == 0U || !last.is_counted) return text;
  const std::string which = report.result.size() == 2 ? last.schedule : "every schedule";
  return fmt::format("{} is {} by its ops: {}", which, report.plain, text);
}

/// "hybrid:1 is 1.307x faster than plain BP with each op on one worker, 0.5x as fast with ops that workers share (level
/// execution)".
std::string rules_text(const SearchOptions& options, const Verdict& verdict, const std::string& plain) {
  const Baseline& whole = verdict.baselines.front();
  const bool has_barriers = options.execution == Execution::level;
  std::string text =
      fmt::format("{} is {}", whole.best_scan, beside_text(options.objective, whole.scan_score, whole.score, plain));
  const Baseline* shared = shared_of(verdict);
  if (shared == nullptr || !shared->ratio()) return text;
  if (shared->is_seconds != whole.is_seconds) return text + " with each op on one worker";
  const std::string other = shared->best_scan == whole.best_scan ? "" : shared->best_scan + " ";
  return text + fmt::format(" with each op on one worker, {}{} with ops that workers share{}", other,
                            speed_text(*shared->ratio()), has_barriers ? "" : " (level execution)");
}

/// What ops that workers share come to, where that is in FLOPs and all else in seconds; empty elsewhere.
std::string shared_sentence(const SearchReport& report, const Verdict& verdict) {
  const Baseline* shared = shared_of(verdict);
  if (shared == nullptr || !shared->ratio() || shared->is_seconds == verdict.baselines.front().is_seconds) return "";
  return fmt::format(
      "Ops that workers share have no seconds on this machine: in FLOPs {} is {} with them (level execution).",
      shared->best_scan, speed_text(*shared->ratio(), report.plain));
}

/// " and 0.3x as fast as dense BP (12 us)" in seconds of a processor or GPU, where known.
std::string dense_text(const SearchReport& report, double scan_s) {
  const std::optional<DenseBackprop> dense = dense_of(report);
  if (!dense || dense->gradients_s <= 0) return "";
  return fmt::format(" and {} ({})", speed_text(scan_s / dense->gradients_s, "dense BP"),
                     short_seconds(dense->gradients_s));
}

/// Why there are no seconds of dense back-propagation, and what of the backward pass a scan leaves as it is; or
/// nothing.
std::string dense_sentence(const SearchReport& report, const Verdict& verdict) {
  for (const Baseline& baseline : verdict.baselines) {
    if (!baseline.missing.empty())
      return fmt::format("Dense BP is not predicted: the machine file has no {}.", baseline.missing);
  }
  const std::optional<DenseBackprop> dense = dense_of(report);
  if (!dense || dense->weight_gradients_s <= 0) return "";
  return fmt::format("Gradients of the weights come on top, {} in dense BP, {:.3g} % of its backward pass.",
                     short_seconds(dense->weight_gradients_s), 100 * (1 - dense->gradients_share()));
}

/// What the scan comes to over a graph with branches, which decides there.
std::string graph_text(const SearchReport& report, const Verdict& verdict) {
  const SearchResult& result = report.result;
  const Baseline& last = verdict.baselines.back();
  if (best_scan(result) == nullptr) return no_scan_text(report, last);
  const std::string over_chain =
      fmt::format("over the chain, Jacobians of blocks given, {}", rules_text(result.options, verdict, report.plain));
  if (last.name != "graph-bp") return fmt::format("{}: {}", over_chain, pays_text(verdict));
  const std::optional<double> ratio = last.ratio();
  if (!ratio) return comparison_text(last, "plain BP over the graph", verdict.same);
  return fmt::format("{}; with forming them and the gradients inside blocks {}{}{}: {}", over_chain,
                     beside_text(result.options.objective, last.scan_score, last.score, "plain BP over the graph"),
                     has_shared(verdict) ? ", each op on one worker" : "", dense_text(report, last.scan_score),
                     pays_text(verdict));
}

/// Which of the two lower bounds of its makespan in FLOPs a scan comes near to; empty: neither, or both.
std::string limit_text(const SearchResult& result, const Candidate& scan, bool is_of_whole_ops) {
  constexpr double kNear = 1.05;
  const SearchOptions& options = result.options;
  if (options.objective != Objective::time || options.in_seconds() || result.workers < 2) return "";
  const double sum = *scan.score * static_cast<double>(result.inputs);
  const bool is_path = sum <= kNear * static_cast<double>(scan.totals.critical_path(options.execution));
  const bool is_work = sum * static_cast<double>(result.workers) <= kNear * static_cast<double>(scan.totals.flops);
  if (is_path == is_work) return "";
  return fmt::format("{}its {}", is_of_whole_ops ? "with each op on one worker " : "",
                     is_path ? "critical path binds: more workers would not help"
                             : "work binds: all workers are busy nearly all the time");
}

/// Whether the best scan pays, beside the best that is none.
std::string standing_text(const SearchReport& report, const Verdict& verdict) {
  const SearchResult& result = report.result;
  const Candidate& plain = best_plain(result);
  const Candidate* scan = best_scan(result);
  if (has_blocks(report)) return graph_text(report, verdict);
  if (scan == nullptr) return no_scan_text(report, verdict.baselines.front());
  const std::string baseline =
      &plain == &result.linear() ? report.plain : fmt::format("{}, the best that is no scan", plain.schedule);
  const Baseline& first = verdict.baselines.front();
  std::string text = comparison_text(first, baseline, verdict.same);
  if (first.ratio()) {
    text = fmt::format("{}{}: {}", rules_text(result.options, verdict, baseline), dense_text(report, *scan->score),
                       pays_text(verdict));
  }
  if (!result.options.in_seconds() && baseline_score(report) > 0)
    text += fmt::format("; it is {}",
                        beside_text(result.options.objective, scan->score, baseline_score(report), "dense BP"));
  return text;
}

/// What holds the best scan back; empty where that is not known.
std::string binds_part(const SearchReport& report, const Verdict& verdict) {
  const Candidate* scan = best_scan(report.result);
  if (has_blocks(report) || scan == nullptr) return "";
  const std::string binding = binding_text(report, *scan);
  return binding.empty() ? limit_text(report.result, *scan, has_shared(verdict)) : binding;
}

std::string interval_text(const std::optional<Interval>& interval) {
  return fmt::format("{} to {}", short_seconds(interval->low), short_seconds(interval->high));
}

/// The intervals of what is compared, and whether they leave it open; empty without.
std::string interval_sentence(const SearchReport& report, const Verdict& verdict) {
  const std::optional<bool> is_uncertain = verdict.is_uncertain();
  const Machine* machine = report.result.options.machine;
  if (!is_uncertain || machine == nullptr || machine->product_rates() == nullptr) return "";
  const PublishedRates& rates = *machine->product_rates();
  std::string published;
  std::string datasheet;
  const auto add = [&](const std::string& what, const std::optional<Interval>& interval, const std::string& from) {
    std::string& list = from == "published" ? published : datasheet;
    list +=
        fmt::format("{}{} {}{}", list.empty() ? "" : ", ", what, list.empty() ? "takes " : "", interval_text(interval));
  };
  const Baseline* first = nullptr;
  for (const Baseline& baseline : verdict.baselines) {
    if (!baseline.interval || !baseline.scan_interval) continue;
    if (first == nullptr) {
      first = &baseline;
      add(baseline.best_scan, baseline.scan_interval, baseline.scan_interval_from);
    } else if (has_blocks(report) && baseline.scan_score > first->scan_score) {
      add(fmt::format("{} with {} of forming Jacobians of blocks and gradients inside them, as predicted,",
                      baseline.best_scan, short_seconds(baseline.scan_score - first->scan_score)),
          baseline.scan_interval, baseline.scan_interval_from);
    }
    add(baseline.name == "dense-bp" ? "dense BP" : report.plain, baseline.interval, baseline.interval_from);
  }
  std::string text;
  if (!published.empty()) {
    text = fmt::format("By published times of {} ({}), four times in five {}", rates.library,
                       rates.from.rows.empty() ? "carried over from another GPU"
                                               : fmt::format("{} rows of this GPU", rates.from.rows.size()),
                       published);
  }
  if (!datasheet.empty()) {
    text += fmt::format("{} the datasheet's rates, which are the highest that there are, and half of them {}",
                        text.empty() ? "Between" : "; between", datasheet);
  }
  return fmt::format(
      "{}: {}.", text,
      *is_uncertain ? "whether the scan pays is within the uncertainty" : "these intervals do not turn the verdict");
}

/// The limit of memory, but of a machine's own only where something exceeds it.
std::optional<double> named_limit(const SearchResult& result) {
  const std::optional<std::uint64_t> limit = result.options.memory_limit;
  if (!limit) return std::nullopt;
  const Machine* machine = result.options.machine;
  bool is_named = machine == nullptr || machine->memory_bytes != *limit;
  for (std::size_t i = 0; i < result.size(); ++i) is_named |= !result.at(i).feasible;
  return is_named ? std::optional(static_cast<double>(*limit)) : std::nullopt;
}

/// Under what it holds.
VerdictFrame frame_of(const SearchReport& report, const Verdict& verdict) {
  const SearchResult& result = report.result;
  const SearchOptions& options = result.options;
  VerdictFrame frame;
  frame.batch = options.batch;
  frame.input = report.input;
  frame.priced_by = report.priced_by;
  if (options.machine != nullptr) frame.machine = options.machine->name;
  frame.launch = launch_name(options.machine);
  if (options.in_seconds() && options.machine->product_rates() != nullptr && report.priced_by != "kernels")
    frame.library = options.machine->product_rates()->library;
  frame.pattern = report.pattern;
  frame.scope = options.scope == Scope::all ? "all" : "live";
  frame.memory_limit = named_limit(result);
  frame.execution = to_string(options.execution);
  if (report.priced_by == "kernels") return frame;
  frame.workers = result.workers;
  if (options.machine != nullptr && !options.machine->rates.empty()) frame.machine_workers = options.machine->workers();
  if (has_whole_ops(options.machine)) frame.ops = {"whole"};
  if (has_shared(verdict)) frame.ops.emplace_back("shared");
  return frame;
}

/// That as a sentence that says under what it holds.
std::string standing_sentence(const SearchReport& report, Verdict& verdict) {
  const SearchOptions& options = report.result.options;
  const auto sentence = [&](std::string under) {
    return standing_sentence(verdict, std::move(under), standing_text(report, verdict), binds_part(report, verdict));
  };
  VerdictFrame frame = *verdict.frame;
  if (options.objective == Objective::time) return sentence("On " + frame_text(frame));
  // Neither a machine nor its workers have a say; the name of the score has the execution, and of work the scope.
  const bool is_work = options.objective == Objective::work_flops;
  frame.workers.reset();
  frame.machine = frame.launch = frame.execution = "";
  if (is_work) frame.scope = "all";
  return sentence(
      fmt::format("By {}{}, {}", score_name(options), is_work ? "" : ", each op on one worker", frame_text(frame)));
}

/// Where a scan pays on workers that run an op each: how many of them the batch alone keeps busy; else empty.
std::string batch_sentence(const SearchReport& report, const Verdict& verdict) {
  const SearchResult& result = report.result;
  const std::uint64_t batch = result.options.batch;
  const std::optional<Pays> pays = verdict.pays();
  if (!has_shared(verdict) || !pays || pays == Pays::no || result.workers <= batch) return "";
  std::string alone = batch_text(batch, report.input);
  alone.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(alone.front())));
  return fmt::format(
      "{} {} {} of {} workers busy in plain BP with each op on one worker; a batch of {} keeps all of them busy "
      "without "
      "a scan.",
      alone, batch == 1 ? "keeps" : "keep", batch, result.workers, result.workers);
}

/// What crossovers are of, where that is not what decides.
std::string overtaking_frame(const SearchReport& report) {
  if (has_blocks(report)) return "Over the chain, Jacobians of blocks given, ";
  const bool has_seconds = report.result.options.machine != nullptr && !report.result.linear().is_counted;
  return report.result.options.machine == nullptr || has_seconds ? "" : "In FLOPs, ";
}

/// Of a scan that pays in seconds, beside the baseline that it beats by least.
std::optional<Payback> payback_of(const SearchReport& report, const Verdict& verdict) {
  const Baseline* least = nullptr;
  for (const Baseline& baseline : verdict.baselines) {
    if (!baseline.is_seconds || !baseline.ratio()) return std::nullopt;
    if (least == nullptr || *baseline.ratio() > *least->ratio()) least = &baseline;
  }
  if (least == nullptr || verdict.pays() != Pays::yes) return std::nullopt;
  return Payback{least->best_scan, least->score - least->scan_score, report.result.options.setup_s};
}

/// After how many iterations a scan has saved what it takes once; where it saves nothing, that a stated time is not.
std::string payback_sentence(const SearchReport& report, const Verdict& verdict) {
  if (verdict.payback) return payback_text(*verdict.payback, "what planning, graph capture and compiling take");
  const std::optional<double> setup_s = report.result.options.setup_s;
  return setup_s ? fmt::format("What a scan takes once, {}, is not paid back here: no scan is known to save time.",
                               short_seconds(*setup_s))
                 : "";
}

void add_sentences(std::vector<std::string> sentences, Verdict& verdict) {
  for (std::string& sentence : sentences) {
    if (!sentence.empty()) verdict.sentences.push_back(std::move(sentence));
  }
}

}  // namespace

std::string beside_text(Objective objective, const std::optional<double>& a, double b, const std::string& other) {
  if (!a || *a <= 0 || b <= 0) return "not comparable with " + other;
  if (objective == Objective::work_flops) return fmt::format("at {} the FLOPs of {}", short_ratio(*a / b), other);
  return speed_text(*a / b, other);
}

std::string score_name(const SearchOptions& options) {
  const std::string rule = to_string(options.execution);
  switch (options.objective) {
    case Objective::time:
      if (options.in_seconds()) return fmt::format("predicted time ({} execution)", rule);
      return fmt::format("makespan in FLOPs ({} execution)", rule);
    case Objective::critical_flops:
      return fmt::format("critical path in FLOPs ({} rule)", rule);
    case Objective::work_flops:
      break;
  }
  return options.scope == Scope::all ? "FLOPs of all ops" : "FLOPs of live ops";
}

Verdict search_verdict(const SearchReport& report) {
  if (is_one_block(report)) return {.sentences = {kOneBlockText}};
  Verdict verdict = compared_scans(report);
  verdict.frame = frame_of(report, verdict);
  verdict.payback = payback_of(report, verdict);
  const std::string standing = standing_sentence(report, verdict);
  std::vector<std::string> sentences = best_sentences(report);
  sentences.insert(sentences.end(), {standing, shared_sentence(report, verdict), uncounted_sentence(report),
                                     batch_sentence(report, verdict), payback_sentence(report, verdict),
                                     dense_sentence(report, verdict), interval_sentence(report, verdict)});
  for (std::string& sentence : uncertainty_sentences(report, verdict)) sentences.push_back(std::move(sentence));
  for (std::string& sentence : turned_sentences(report, verdict)) sentences.push_back(std::move(sentence));
  sentences.push_back(overtaking_text(verdict.overtakes, report.plain, "", overtaking_frame(report)));
  add_sentences(std::move(sentences), verdict);
  return verdict;
}

Verdict profile_verdict(const SearchReport& report) {
  if (is_one_block(report)) return {.sentences = {kOneBlockText}};
  Verdict verdict = compared_scans(report);
  verdict.frame = frame_of(report, verdict);
  verdict.payback = payback_of(report, verdict);
  const std::string standing = standing_sentence(report, verdict);
  std::vector<std::string> sentences = uncertainty_sentences(report, verdict);
  for (std::string& sentence : turned_sentences(report, verdict)) sentences.push_back(std::move(sentence));
  sentences.insert(sentences.begin(), {standing, shared_sentence(report, verdict), batch_sentence(report, verdict),
                                       payback_sentence(report, verdict), dense_sentence(report, verdict),
                                       interval_sentence(report, verdict)});
  const Candidate* scan = best_scan(report.result);
  sentences.push_back(overtaking_text(verdict.overtakes, report.plain, scan == nullptr ? "" : scan->schedule,
                                      overtaking_frame(report)));
  add_sentences(std::move(sentences), verdict);
  return verdict;
}

}  // namespace upsweep
