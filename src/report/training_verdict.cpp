#include <fmt/format.h>

#include <algorithm>

#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/training_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// Whether a variant of a training step is a scan beside its policies. "scan linear" scans nothing: it is plain
/// back-propagation on any device.
bool is_scan_variant(const std::string& name) { return name.starts_with("scan ") && name != "scan linear"; }

/// A training's figure of a variant, without an index.
const TrainingFigure* figure_named(const TrainingRecord& record, std::size_t variant, const char* name) {
  const auto found = std::ranges::find_if(record.figures, [&](const TrainingFigure& figure) {
    return figure.variant == variant && !figure.index && figure.name == name;
  });
  return found == record.figures.end() ? nullptr : &*found;
}

/// Under what it holds; workers are devices.
VerdictFrame frame_of(const TrainingRecord& record) {
  VerdictFrame frame;
  frame.workers = record.devices;
  frame.machine = record.machine;
  frame.batch = std::max<std::uint64_t>(1, record.batch);
  frame.input = "sample";
  frame.launch = record.launch;
  frame.library = record.library;
  frame.priced_by = record.machine.empty() ? "file" : "roofline";
  return frame;
}

/// "On 4 devices, v100, nvlink, 8 samples in 4 micro-batches, kernels in a graph, dense kernels, within 16 GiB on
/// each".
std::string frame_sentence(const TrainingRecord& record, const VerdictFrame& frame) {
  std::string text = fmt::format("On {} device{}", record.devices, record.devices == 1 ? "" : "s");
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += ", " + part;
  };
  add(short_text(record.machine, 120));
  add(short_text(record.link, 120));
  const std::string limit = memory_limit_text(frame);
  if (record.machine.empty()) return limit.empty() ? text : fmt::format("{}, {} on each", text, limit);
  std::string batch = record.batch == 0 ? "" : batch_text(record.batch, "sample");
  if (record.micro_batches > 0)
    batch += fmt::format(" in {} micro-batch{}", record.micro_batches, record.micro_batches == 1 ? "" : "es");
  if (record.kind == "data_parallel") batch += " on each";
  add(batch);
  if (const std::optional<LaunchMode> mode = launch_mode(record.launch)) add(launch_text(*mode));
  add(!record.library.empty()   ? "sparse products of " + short_text(record.library, 120)
      : record.kernels == "csr" ? "sparse kernels"
                                : "dense kernels");
  if (!limit.empty()) add(limit + " on each");
  return text;
}

}  // namespace

Verdict training_verdict(const TrainingRecord& record, std::optional<double> memory_limit, const std::string& unit) {
  Verdict verdict;
  const auto time = [&](double value) {
    return record.is_in_seconds ? short_seconds(value) : fmt::format("{:.6g} units of its file", value);
  };
  if (record.kind == "reverse_first_k_memory") {
    verdict.sentences = {
        "How much memory deferring the gradients of the first k layers takes, and the largest k that fits, stand in "
        "the tables."};
    return verdict;
  }
  if (!record.best || *record.best >= record.variants.size() || !record.best_makespan) {
    verdict.sentences = {
        fmt::format("{} variants; none of them has a best makespan that fits.", record.variants.size())};
    return verdict;
  }
  const double best = *record.best_makespan;
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < record.variants.size(); ++i)
    fitting += figure_named(record, i, "does_not_fit") == nullptr ? 1 : 0;
  const std::string count =
      record.variants.size() == 1         ? "only variant"
      : fitting == record.variants.size() ? fmt::format("best of {} variants", record.variants.size())
      : fitting == 1 ? fmt::format("only one of {} variants that fits into the memory limit", record.variants.size())
                     : fmt::format("best of the {} of {} variants that fit into the memory limit", fitting,
                                   record.variants.size());
  std::string text =
      fmt::format("the {} is {} with {}", count, short_text(record.variants[*record.best], 120), time(best));
  const TrainingFigure* first = nullptr;    // of the file, which the best is compared with
  const TrainingFigure* fastest = nullptr;  // scan
  for (std::size_t i = 0; i < record.variants.size(); ++i) {
    const TrainingFigure* makespan = figure_named(record, i, "makespan");
    if (makespan == nullptr || figure_named(record, i, "does_not_fit") != nullptr) continue;
    if (first == nullptr) first = makespan;
    if (is_scan_variant(record.variants[i]) && (fastest == nullptr || makespan->value < fastest->value))
      fastest = makespan;
  }
  const auto linear = std::ranges::find(record.variants, "scan linear");  // plain BP on any device
  const TrainingFigure* plain =
      linear == record.variants.end()
          ? nullptr
          : figure_named(record, static_cast<std::size_t>(linear - record.variants.begin()), "makespan");
  const std::string scan = fastest == nullptr ? "" : record.variants[fastest->variant];
  const double least = fastest == nullptr ? best : fastest->value;
  if (fastest != nullptr) {
    verdict.baselines = {{"best-policy", best, record.is_in_seconds, scan, least}};
    if (plain != nullptr) verdict.baselines.push_back({"sparse-bp", plain->value, record.is_in_seconds, scan, least});
  }
  if (least < best) {  // a scan is no policy: the file asks for the best of those
    text = fmt::format("the best policy is {} with {}; {} takes {}, {}", short_text(record.variants[*record.best], 120),
                       time(best), short_text(scan, 120), time(least), speed_text(least / best));
    if (plain != nullptr) {
      text += fmt::format("; plain BP on any device takes {}: {}", time(plain->value),
                          pays_text(least / std::min(best, plain->value), verdict.same));
    }
  } else if (first != nullptr && first->variant != *record.best && best > 0) {
    text += fmt::format(", {} ({})", speed_text(best / first->value, short_text(record.variants[first->variant], 120)),
                        time(first->value));
  }
  if (fastest != nullptr && least >= best) {
    text += fmt::format("; {} is {}: {}", short_text(scan, 120), speed_text(least / best),
                        pays_text(least / best, verdict.same));
  }
  const std::string& winner = least < best ? scan : record.variants[*record.best];
  verdict.parts.headline = short_text(winner, 60) + (record.variants.size() == 1 ? "" : " takes the least time");
  verdict.frame = frame_of(record);
  verdict.frame->memory_limit = memory_limit;
  verdict.frame->memory_unit = unit;
  verdict.sentences = {standing_sentence(verdict, frame_sentence(record, *verdict.frame), text)};
  return verdict;
}

}  // namespace upsweep
