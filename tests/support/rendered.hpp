#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "upsweep/document/document.hpp"

namespace upsweep {

// Renderings of the document that document() makes of a report.

template <class Report>
[[nodiscard]] Json to_json(const Report& report) {
  return document(report).json();
}

template <class Report>
[[nodiscard]] std::string to_csv(const Report& report) {
  return document(report).csv();
}

template <class Report>
[[nodiscard]] std::string to_text(const Report& report, const TextStyle& style = {}) {
  return document(report).text(style);
}

}  // namespace upsweep
