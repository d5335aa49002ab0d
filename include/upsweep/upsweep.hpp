#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/upsweep.h"

/// The C interface with objects, exceptions and std::string. Standard library alone.
namespace upsweep {

/// A command that did not come to its end. `code()` is one of upsweep_code.
class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// A file to read, or one that lies in memory with others beside it.
class Input {
 public:
  /// A file, opened by run().
  Input(const std::string& path) : handle_(upsweep_input_file(path.c_str()), upsweep_input_close) {}
  Input(const char* path) : Input(std::string(path)) {}
  /// YAML, JSON or ONNX in memory, under the name that messages use.
  Input(const std::string& name, std::string_view bytes)
      : handle_(upsweep_input_bytes(name.c_str(), bytes.data(), bytes.size()), upsweep_input_close) {}

  /// Puts a file beside it, under the path by which it names that. Throws Error.
  Input& add(const std::string& path, std::string_view bytes) {
    const int code = upsweep_input_add(handle_.get(), path.c_str(), bytes.data(), bytes.size());
    if (code != UPSWEEP_DONE) throw Error(code, "'" + path + "' cannot be put beside the input");
    return *this;
  }

  [[nodiscard]] upsweep_input* handle() const { return handle_.get(); }

 private:
  std::shared_ptr<upsweep_input> handle_;
};

/// What is told while a command works. Any part may be missing.
struct Told {
  std::function<bool(const std::string& doing)> progress = {};  ///< false: stop
  std::function<void(const std::string& note)> note = {};
  upsweep_stop* stop = nullptr;
};

/// What a command found.
class Result {
 public:
  explicit Result(upsweep_result* handle) : handle_(handle, upsweep_result_close) {}

  /// A code of upsweep_code, and what is wrong: a mismatch has both a result and a message.
  [[nodiscard]] int code() const { return upsweep_result_code(handle_.get()); }
  [[nodiscard]] std::string message() const { return upsweep_result_message(handle_.get()); }

  /// As the command prints it; empty where nothing was found.
  [[nodiscard]] std::string json() const { return text("json"); }
  [[nodiscard]] std::string csv() const { return text("csv"); }
  [[nodiscard]] std::string table() const { return text("table"); }

 private:
  [[nodiscard]] std::string text(const char* format) const {
    size_t length = 0;
    const char* text = upsweep_result_text(handle_.get(), format, &length);
    return text == nullptr ? std::string() : std::string(text, length);
  }

  std::shared_ptr<upsweep_result> handle_;
};

/// Runs a command of upsweep_commands(); `settings` is a JSON object of its options by name: R"({"workers": 16})".
///
/// Throws Error where nothing was found; a mismatch and a stop that leaves something are results.
[[nodiscard]] inline Result run(const std::string& command, const std::vector<Input>& inputs,
                                const std::string& settings = "{}", const Told& told = {}) {
  std::vector<upsweep_input*> handles;
  for (const Input& input : inputs) handles.push_back(input.handle());
  upsweep_watch watch = {};
  watch.user = const_cast<Told*>(&told);
  watch.stop = told.stop;
  if (told.progress) {
    watch.progress = [](void* user, const char* doing) {
      return static_cast<const Told*>(user)->progress(doing) ? 0 : 1;
    };
  }
  if (told.note) watch.note = [](void* user, const char* note) { static_cast<const Told*>(user)->note(note); };
  Result result(upsweep_run(command.c_str(), handles.data(), handles.size(), settings.c_str(), &watch));
  if (result.code() != UPSWEEP_DONE && result.table().empty()) throw Error(result.code(), result.message());
  return result;
}

}  // namespace upsweep
