#include "output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "options.hpp"
#include "streams.hpp"
#include "terminal.hpp"
#include "upsweep/cli/rendered.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep::cli {

void print_document(const std::string& format, const Document& document) {
  write_output(rendered(document, format, terminal_style()));
}

void say_stored(const Watch& watch, const std::optional<std::string>& db, const std::vector<std::int64_t>& ids) {
  if (!db || ids.empty()) return;
  watch.say(fmt::format("stored in {} as run{} {}", *db, ids.size() == 1 ? "" : "s", fmt::join(ids, ", ")));
}

void say_written(const Watch& watch, const std::string& out, std::size_t bytes) {
  watch.say(fmt::format("wrote {} ({})", out, short_bytes(static_cast<double>(bytes))));
}

Console::Console(const CLI::App& command, Verbosity verbosity, std::string ending)
    : command_(command),
      verbosity_(verbosity),
      ending_(std::move(ending)),
      waiting_([this](const std::string& note) { say(note); }) {}

Console::~Console() {
  ticker_ = {};  // ends it
  clear();
}

Watch Console::watch() {
  Watch watch;
  if (verbosity_ == Verbosity::verbose) {
    watch.progress = [this](const std::string& doing) { list(with_options(doing, command_)); };
  } else if (verbosity_ == Verbosity::usual && isatty(STDERR_FILENO) == 1) {
    watch.progress = [this](const std::string& doing) { show(with_options(doing, command_)); };
  }
  watch.note = [this](const std::string& note) { say(note); };
  return watch;
}

void Console::say(const std::string& note) {
  if (verbosity_ == Verbosity::quiet) return;
  const std::lock_guard lock(mutex_);
  clear_line();
  say_line(fmt::format("upsweep: {}", with_options(note, command_)));
}

void Console::clear() {
  const std::lock_guard lock(mutex_);
  doing_.clear();
  clear_line();
}

void Console::clear_line() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  is_shown_ = false;
}

void Console::show(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  doing_ = doing;
  if (doing.empty()) {
    line_ = {};
    return clear_line();
  }
  draw();
  // Whoever waits sees the time go by, also where the work says nothing for long.
  if (ticker_.joinable()) return;
  try {
    ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
  } catch (const std::exception&) {  // no thread to be had: the line moves when the work does
  }
}

void Console::list(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  const std::string step = step_in(doing);
  if (step.empty() || step == listed_) return;
  listed_ = step;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
  say_line(fmt::format("upsweep: {:8.3f} s  {}", since.count(), doing));
}

void Console::tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    ticks_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (doing_.empty() || stop.stop_requested()) continue;
    try {
      draw();
    } catch (const std::exception&) {  // no memory: a line that nobody needs
    }
  }
}

void Console::draw() {
  const std::optional<std::string> line = line_.next(doing_);
  if (!line) return;
  winsize size{};
  const bool has_width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A longer line would break, and its first part stay.
  const std::string text = visible_text(fmt::format("upsweep: {}{}", *line, ending_));
  std::fputs(("\r\033[K" + text.substr(0, has_width ? size.ws_col - 1U : text.size())).c_str(), stderr);
  std::fflush(stderr);
  is_shown_ = true;
}

}  // namespace upsweep::cli
