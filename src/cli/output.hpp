#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/document/progress_line.hpp"
#include "upsweep/store/waiting.hpp"

namespace upsweep::cli {

/// Writes a document in the given format ("json", "csv" or "table") to standard output, as write_output() does.
void print_document(const std::string& format, const Document& document);

/// Says where runs went, if they went anywhere: "stored in runs.sqlite as runs 3, 4".
void say_stored(const Watch& watch, const std::optional<std::string>& db, const std::vector<std::int64_t>& ids);

/// Says what was written: "wrote report.html (1.234 MiB)".
void say_written(const Watch& watch, const std::string& out, std::size_t bytes);

/// What a command says while it works: nothing; notes and, on a terminal, what is under way; or each step on a line of
/// its own.
enum class Verbosity { quiet, usual, verbose };

/// Standard error while a command works: its notes and, where it is a terminal, one line of progress that is written
/// over again and again and goes with this object; or a line for each step. It also says where a command waits for a
/// database. Notes and progress may come from any thread.
class Console {
 public:
  /// `command` has the options that notes name; `ending` stands behind what is under way.
  explicit Console(const CLI::App& command, Verbosity verbosity = Verbosity::usual, std::string ending = " ...");
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Valid as long as this object.
  [[nodiscard]] Watch watch();

  /// Takes the line of progress away.
  void clear();

 private:
  void say(const std::string& note);
  void clear_line();
  void show(const std::string& doing);
  void list(const std::string& doing);
  void tick(const std::stop_token& stop);
  void draw();  ///< with the lock held

  const CLI::App& command_;
  Verbosity verbosity_;
  std::string ending_;
  std::string listed_;  ///< the last step that has a line
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< of standard error and what is shown there
  bool is_shown_ = false;
  std::string doing_;
  ProgressLine line_;
  std::condition_variable_any ticks_;
  WaitingNote waiting_;
  std::jthread ticker_;  ///< last: it uses the others
};

}  // namespace upsweep::cli
