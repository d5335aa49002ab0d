#include "output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "options.hpp"
#include "streams.hpp"
#include "terminal.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep::cli {

void print_document(const std::string& format, const Document& document) {
  // What is not UTF-8 (a path, say) must not make the whole object unreadable.
  const std::string text = format == "json" ? document.json().dump(1, ' ', false, Json::error_handler_t::replace) + '\n'
                           : format == "csv" ? document.csv()
                                             : document.text(terminal_style());
  write_output(text);
}

void report_stored(const std::optional<std::string>& db, const std::vector<std::int64_t>& ids) {
  if (!db || ids.empty()) return;
  say_line(fmt::format("upsweep: stored in {} as run{} {}", *db, ids.size() == 1 ? "" : "s", fmt::join(ids, ", ")));
}

void report_written(const std::string& out, std::size_t bytes) {
  say_line(fmt::format("upsweep: wrote {} ({})", out, short_bytes(static_cast<double>(bytes))));
}

Console::Console(const CLI::App& command, std::string ending)
    : command_(command), ending_(std::move(ending)), waiting_([this](const std::string& note) { say(note); }) {}

Console::~Console() { clear(); }

Watch Console::watch(const std::atomic<bool>* stop) {
  Watch watch;
  if (isatty(STDERR_FILENO) == 1) watch.progress = [this](const std::string& doing) { show(doing); };
  watch.note = [this](const std::string& note) { say(note); };
  watch.stop = stop;
  return watch;
}

void Console::say(const std::string& note) {
  clear();
  say_line(fmt::format("upsweep: {}", with_options(note, command_)));
}

void Console::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  is_shown_ = false;
}

void Console::show(const std::string& doing) {
  if (doing.empty()) return clear();
  winsize size{};
  const bool has_width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A longer line would break, and its first part stay.
  const std::string text = visible_text(fmt::format("upsweep: {}{}", doing, ending_));
  const std::string line = "\r\033[K" + text.substr(0, has_width ? size.ws_col - 1U : text.size());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  is_shown_ = true;
}

}  // namespace upsweep::cli
