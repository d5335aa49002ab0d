#include "output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <utility>

#include "options.hpp"
#include "terminal.hpp"
#include "upsweep/cli/rendered.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep::cli {

void print_document(const std::string& format, const Document& document) {
  const std::string text = rendered(document, format, terminal_style());
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

void say_stored(const Watch& watch, const std::optional<std::string>& db, const std::vector<std::int64_t>& ids) {
  if (!db || ids.empty()) return;
  watch.say(fmt::format("stored in {} as run{} {}", *db, ids.size() == 1 ? "" : "s", fmt::join(ids, ", ")));
}

void say_written(const Watch& watch, const std::string& out, std::size_t bytes) {
  watch.say(fmt::format("wrote {} ({})", out, short_bytes(static_cast<double>(bytes))));
}

Console::Console(const CLI::App& command, std::string ending) : command_(command), ending_(std::move(ending)) {}

Console::~Console() { clear(); }

Watch Console::watch() {
  Watch watch;
  if (isatty(STDERR_FILENO) == 1) watch.progress = [this](const std::string& doing) { show(doing); };
  watch.note = [this](const std::string& note) {
    clear();
    fmt::print(stderr, "upsweep: {}\n", with_options(note, command_));
  };
  return watch;
}

void Console::clear() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  is_shown_ = false;
}

void Console::show(const std::string& doing) {
  if (doing.empty()) return clear();
  winsize size{};
  const bool has_width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A longer line would break, and its first part stay.
  const std::string text = fmt::format("upsweep: {}{}", doing, ending_);
  fmt::print(stderr, "\r\033[K{}", text.substr(0, has_width ? size.ws_col - 1U : text.size()));
  std::fflush(stderr);
  is_shown_ = true;
}

}  // namespace upsweep::cli
