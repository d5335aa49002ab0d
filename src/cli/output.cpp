#include "output.hpp"

#include <cstdio>
#include <stdexcept>

namespace upsweep::cli {

void print_result(const std::string& format, const std::function<Json()>& json, const std::function<std::string()>& csv,
                  const std::function<std::string()>& table) {
  // What is not UTF-8 (a path, say) must not make the whole object unreadable.
  const std::string text = format == "json"  ? json().dump(1, ' ', false, Json::error_handler_t::replace) + '\n'
                           : format == "csv" ? csv()
                                             : table();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace upsweep::cli
