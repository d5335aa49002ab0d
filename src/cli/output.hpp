#pragma once

#include <functional>
#include <string>

#include "upsweep/report/format.hpp"

namespace upsweep::cli {

/// Writes a result in the given format to standard output; throws std::runtime_error when that fails.
void print_result(const std::string& format, const std::function<Json()>& json, const std::function<std::string()>& csv,
                  const std::function<std::string()>& table);

}  // namespace upsweep::cli
