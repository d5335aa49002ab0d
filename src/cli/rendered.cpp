#include "upsweep/cli/rendered.hpp"

#include <nlohmann/json.hpp>

namespace upsweep::cli {

std::string rendered(const Document& document, const std::string& format, const TextStyle& style) {
  if (format == "json") return document.json().dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  return format == "csv" ? document.csv() : document.text(style);
}

}  // namespace upsweep::cli
