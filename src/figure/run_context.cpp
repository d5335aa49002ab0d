#include "run_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run_parts.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOfName = 60;

std::string model_text(const StoredRun& run) {
  std::string text = fmt::format("{}, {} pattern", short_text(run.model, kMostOfName), short_text(run.pattern));
  if (run.inputs > 1) text += fmt::format(" of {}", counted(run.inputs, "input"));
  return text;
}

/// "on 4 devices, 8 samples", "all with one input": under what a verdict holds; empty where it does not say.
std::string under_text(const KeptVerdict& verdict) {
  const auto details = nlohmann::json::parse(verdict.details.value_or(""), nullptr, false);
  const auto parts = details.is_object() ? details.find("parts") : details.end();
  if (parts == details.end() || !parts->is_object()) return "";
  const auto under = parts->find("under");
  std::string text = under != parts->end() && under->is_string() ? short_text(under->get<std::string>(), 300) : "";
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

std::string run_context(const RunDetails& run) {
  std::string text =
      fmt::format("{}, {}, {}", model_text(run.run), short_text(run.run.schedule), counted(run.run.workers, "worker"));
  if (run.machine) text += fmt::format(", on {}", short_text(run.machine->name, kMostOfName));
  return text;
}

std::string runs_context(const StoredRun& run, const std::string& machine) {
  return fmt::format("{}, {}{}", model_text(run), counted(run.workers, "worker"),
                     machine.empty() ? "" : ", on " + short_text(machine, kMostOfName));
}

std::string runs_context(const RunDetails& run) { return runs_context(run.run, run.machine ? run.machine->name : ""); }

std::string passes_context(const PassRecord& record) {
  std::string text = short_text(record.network);
  if (record.hidden > 0) text += fmt::format(", {}", counted(record.hidden, "hidden element"));
  if (record.steps > 0) text += fmt::format(", {}", counted(record.steps, "step"));
  text += fmt::format(", {}", counted(record.batch, record.hidden > 0 ? "sequence" : "sample"));
  if (!record.machine.empty()) text += fmt::format(", predicted for {}", short_text(record.machine, kMostOfName));
  if (!record.device.empty()) text += fmt::format(", measured on {}", short_text(record.device, kMostOfName));
  return text;
}

std::string training_context(const TrainingRecord& record) {
  std::string text = short_text(record.kind);
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!record.model.empty()) text += fmt::format(", {}", short_text(record.model, kMostOfName));
  if (const std::string under = under_text(record.verdict); !under.empty()) return fmt::format("{}, {}", text, under);
  if (!record.machine.empty()) text += fmt::format(" on {}", short_text(record.machine, kMostOfName));
  if (!record.link.empty()) text += fmt::format(" over {}", short_text(record.link, kMostOfName));
  return text;
}

std::string study_context(const StoredStudy& study) {
  const std::string common = under_text(study.verdict);
  return fmt::format("{}{}{}", short_text(study.file, kMostOfName), common.empty() ? "" : ", ", common);
}

}  // namespace upsweep
