#include "training_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "upsweep/document/numbers.hpp"

namespace upsweep {

Value number_value(double number) {
  const bool is_whole = number == std::floor(number) && std::abs(number) < 0x1p53;
  return is_whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
}

Json json_number(double number) { return number_value(number).json(); }

Json json_numbers(const std::vector<double>& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_number(number));
  return list;
}

std::string plain_number(double number) { return json_number(number).dump(); }

Value time_value(const TrainingFile& file, double time) { return number_value(time).shown(time_text(file, time)); }

std::string time_text(const TrainingFile& file, double time) {
  if (file.source) return short_seconds(time);
  return time == std::floor(time) ? plain_number(time) : fmt::format("{:.6g}", time);
}

std::string heading_text(const TrainingFile& file, const TimelineScale& scale) {
  return timeline_heading(scale, time_text(file, scale.column));
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

Json training_head(const TrainingFile& file) {
  Json head = {{"name", file.name}, {"kind", file.kind}, {"unit", file.source ? Json("s") : Json()}};
  if (!file.source) return head;
  const CostSource& source = *file.source;
  head["costs"] = {{"model", source.model},
                   {"machine", source.machine},
                   {"link", source.link.empty() ? Json() : Json(source.link)},
                   {"launch", source.frame.launch ? Json(to_string(*source.frame.launch)) : Json()},
                   {"library", source.frame.library ? Json(*source.frame.library) : Json()},
                   {"kernels", source.is_csr ? "csr" : "dense"},
                   {"batch", source.frame.batch.value()}};
  return head;
}

std::string source_text(const TrainingFile& file) {
  if (!file.source) return "";
  const CostSource& source = *file.source;
  return fmt::format("Costs: {} on {}{}, {}, {} sample{}.\n", source.model, source.machine,
                     source.link.empty() ? "" : " over " + source.link,
                     source.is_csr ? "sparse products with Jacobians as the scan counts them"
                                   : "dense kernels by the roofline of the machine, a lower bound",
                     *source.frame.batch, source.frame.batch == 1U ? "" : "s");
}

std::string note_text(const TrainingFile& file) {
  constexpr std::size_t kWidth = 110;
  std::string text;
  std::istringstream paragraphs(file.note);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::size_t column = 0;
    std::istringstream words(paragraph);
    text += '\n';
    for (std::string word; words >> word;) {
      const bool breaks = column > 0 && column + 1 + word.size() > kWidth;
      if (column > 0) text += breaks ? '\n' : ' ';
      column = (breaks || column == 0 ? 0 : column + 1) + word.size();
      text += word;
    }
  }
  return file.note.empty() ? "" : text + '\n';
}

Json optimum_json(const std::optional<Optimum>& optimum) {
  if (!optimum) return nullptr;
  if (!optimum->skipped.empty()) return {{"skipped", optimum->skipped}};
  return {{"makespan", json_number(optimum->makespan)},
          {"lower_bound", json_number(optimum->lower_bound)},
          {"gap", optimum->gap},
          {"proven", optimum->is_proven},
          {"nodes", optimum->nodes}};
}

std::string optimum_text(const TrainingFile& file, double makespan, const std::optional<Optimum>& optimum) {
  if (!optimum) return "";
  if (!optimum->skipped.empty()) return fmt::format("Optimum not looked for: {}.\n", optimum->skipped);
  if (optimum->is_proven) {
    return fmt::format("Optimum of the same operations in any order: {}; this is {} above it.\n",
                       time_text(file, optimum->makespan), percent_text(makespan / optimum->makespan - 1));
  }
  return fmt::format(
      "Optimum of the same operations in any order: from {} to {} (stopped early); this is at most {} "
      "above it.\n",
      time_text(file, optimum->lower_bound), time_text(file, optimum->makespan),
      percent_text(makespan / optimum->lower_bound - 1));
}

}  // namespace upsweep
