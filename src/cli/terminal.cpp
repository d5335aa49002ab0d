#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace upsweep::cli {
namespace {

/// A variable of the environment; empty where it is not set.
std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value == nullptr ? "" : value;
}

constexpr std::size_t kLeastColumns = 20;  // numbers with their heads do not fit less: then lines run over

/// Columns of the terminal; 0 where nobody knows.
std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view text = environment_variable("COLUMNS");
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

TextStyle terminal_style() {
  if (isatty(STDOUT_FILENO) != 1) return {};
  const std::string_view kind = environment_variable("TERM");
  TextStyle style;
  const std::size_t columns = terminal_columns();
  style.width = columns == 0 ? 0 : std::max(columns, kLeastColumns);
  style.is_coloured = !kind.empty() && kind != "dumb" && environment_variable("NO_COLOR").empty();
  style.aligns_units = true;
  style.marks_best = true;
  return style;
}

}  // namespace upsweep::cli
