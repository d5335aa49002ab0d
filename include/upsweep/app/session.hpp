#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep {

/// Who asks, as the store keeps it.
struct Caller {
  std::string tool_version;
  std::vector<std::string> arguments;  ///< a command line without the program's name, or what stands for one
};

/// What a caller is told while a command works, and how it stops it. Any part may be missing; calls come from the thread
/// that asked, one at a time.
struct Watch {
  std::function<void(const std::string& doing)> progress = {};  ///< what is under way now; empty: nothing any more
  std::function<void(const std::string& note)> note = {};       ///< worth saying whatever the outcome
  const std::atomic<bool>* stop = nullptr;                      ///< true: end in good order

  void show(const std::string& doing) const {
    if (progress) progress(doing);
  }
  void say(const std::string& text) const {
    if (note) note(text);
  }
};

/// A request that cannot be carried out as it stands: wrong usage, found before any work. `field` is the name of the
/// request's field ("workers", "memory_limit"), empty where it is about several; the text goes on after the name: "is 0,
/// accepted is an integer of at least 1". Exit code 2.
class RequestError : public std::runtime_error {
 public:
  RequestError(std::string field, const std::string& text) : std::runtime_error(text), field_(std::move(field)) {}
  [[nodiscard]] const std::string& field() const { return field_; }

 private:
  std::string field_;
};

}  // namespace upsweep
