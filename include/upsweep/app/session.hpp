#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/base/work_meter.hpp"

namespace upsweep {

// A command is a function `XxxOutcome run(const XxxRequest&, const Caller&, const Watch&)`, in upsweep/app/xxx.hpp. It
// prints nothing; its outcome has what reports need. Where a text of it, a note or an error names a field of the
// request it does so in backquotes: "model.yaml: `input` is 7, accepted are 0 to 3".

/// Who asks, as the store keeps it.
struct Caller {
  std::string tool_version;
  std::vector<std::string> arguments;  ///< a command line without the program's name, or what stands for one
};

/// What a caller is told while a command works, and how it stops it. Any part may be missing; calls come one at a
/// time.
struct Watch {
  std::function<void(const std::string& doing)> progress = {};  ///< what is under way now; empty: nothing any more
  std::function<void(const std::string& note)> note = {};       ///< worth saying whatever the outcome
  const std::atomic<bool>* stop = nullptr;                      ///< true: end in good order
  /// From now on stopping leaves an answer; before, whoever asks may as well end the process.
  std::function<void()> answered = {};

  /// Before work that takes long; with an empty text after it. Throws Interrupted instead of the former where the
  /// command is to stop.
  void show(const std::string& doing) const {
    if (!doing.empty() && stop != nullptr && *stop) throw Interrupted();
    if (progress) progress(doing);
  }
  void say(const std::string& text) const {
    if (note) note(text);
  }
};

/// A request that cannot be carried out as it stands: wrong usage, found before any work. `field` is the name of the
/// request's field ("workers", "memory_limit"), empty where it is about several; the text goes on after the name: "is
/// 0, accepted is an integer of at least 1", ": it is empty". Exit code 2.
class RequestError : public std::runtime_error {
 public:
  RequestError(std::string field, const std::string& text) : std::runtime_error(text), field_(std::move(field)) {}
  [[nodiscard]] const std::string& field() const { return field_; }

 private:
  std::string field_;
};

}  // namespace upsweep
