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

}  // namespace

std::string run_context(const RunDetails& run) {
  std::string text =
      fmt::format("{}, {}, {}", model_text(run.run), short_text(run.run.schedule), counted(run.run.workers, "worker"));
  if (run.machine) text += fmt::format(", on {}", short_text(run.machine->name, kMostOfName));
  return text;
}

std::string runs_context(const StoredRun& run) {
  return fmt::format("{}, {}", model_text(run), counted(run.workers, "worker"));
}

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
  std::string kind = short_text(record.kind);
  std::replace(kind.begin(), kind.end(), '_', ' ');
  std::string text = kind;
  if (!record.model.empty()) text += fmt::format(", {}", short_text(record.model, kMostOfName));
  if (!record.machine.empty()) text += fmt::format(" on {}", short_text(record.machine, kMostOfName));
  if (!record.link.empty()) text += fmt::format(" over {}", short_text(record.link, kMostOfName));
  return text;
}

std::string study_context(const StoredStudy& study) {
  const auto details = nlohmann::json::parse(study.verdict.details.value_or(""), nullptr, false);
  const auto parts = details.is_object() ? details.find("parts") : details.end();
  std::string common;
  if (parts != details.end() && parts->is_object()) {
    const auto under = parts->find("under");
    if (under != parts->end() && under->is_string()) common = short_text(under->get<std::string>(), 300);
  }
  if (common.starts_with("All ")) common.front() = 'a';
  return fmt::format("{}{}{}", short_text(study.file, kMostOfName), common.empty() ? "" : ", ", common);
}

}  // namespace upsweep
