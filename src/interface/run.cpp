#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "handles.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/cli/build_facts.hpp"
#include "upsweep/cli/rendered.hpp"
#include "upsweep/upsweep.h"

namespace {

using upsweep::Json;

/// What a command is to do. Throws UsageError, InputError.
upsweep::cli::NamedCommand command_of(const char* command, upsweep_input* const* inputs, size_t count,
                                      const char* settings) {
  if (command == nullptr) throw upsweep::UsageError("no command is named");
  upsweep::cli::NamedCommand named{command, {}};
  for (size_t i = 0; i < count; ++i) {
    if (inputs == nullptr || inputs[i] == nullptr) throw upsweep::UsageError("an input is NULL");
    if (!inputs[i]->fault.empty()) throw upsweep::InputError(inputs[i]->fault);
    named.inputs.push_back(inputs[i]->path);
  }
  if (settings != nullptr) named.settings = Json::parse(settings, nullptr, false);
  if (named.settings.is_discarded())
    throw upsweep::UsageError("settings are no JSON, accepted is {\"NAME\": VALUE, ...}");
  return named;
}

/// Text without these paths.
std::string without(std::string text, const std::vector<std::string>& hidden) {
  for (const std::string& path : hidden) {
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at))
      text.erase(at, path.size());
  }
  return text;
}

/// The functions of a caller.
upsweep::Watch watch_of(const upsweep_watch* theirs, std::atomic<bool>& stop, const std::vector<std::string>& hidden) {
  upsweep::Watch watch;
  watch.stop = &stop;
  if (theirs == nullptr) return watch;
  if (theirs->progress != nullptr) {
    watch.progress = [theirs, &stop, &hidden](const std::string& doing) {
      if (theirs->progress(theirs->user, without(doing, hidden).c_str()) != 0) stop = true;
    };
  }
  if (theirs->note != nullptr) {
    watch.note = [theirs, &hidden](const std::string& note) {
      theirs->note(theirs->user, without(note, hidden).c_str());
    };
  }
  return watch;
}

}  // namespace

const char* upsweep_version() try {
  static const std::string text = upsweep::cli::version_text();
  return text.c_str();
} catch (...) {
  return nullptr;
}

const char* upsweep_commands() try {
  static const std::string text = upsweep::cli::command_table().dump();
  return text.c_str();
} catch (...) {
  return nullptr;
}

upsweep_stop* upsweep_stop_new() { return new (std::nothrow) upsweep_stop; }
void upsweep_stop_request(upsweep_stop* stop) {
  if (stop != nullptr) stop->is_requested = true;
}
void upsweep_stop_close(upsweep_stop* stop) { delete stop; }

upsweep_result* upsweep_run(const char* command, upsweep_input* const* inputs, size_t count, const char* settings,
                            const upsweep_watch* watch) try {
  auto result = std::make_unique<upsweep_result>();
  for (size_t i = 0; inputs != nullptr && i < count; ++i) {
    if (inputs[i] != nullptr && inputs[i]->folder != nullptr) result->hidden.push_back(inputs[i]->folder->path() + '/');
  }
  upsweep_stop none;
  upsweep_stop& stop = watch != nullptr && watch->stop != nullptr ? *watch->stop : none;
  try {
    result->answer = upsweep::cli::answer(command_of(command, inputs, count, settings),
                                          watch_of(watch, stop.is_requested, result->hidden));
  } catch (...) {
    const upsweep::Failure failure = upsweep::failure_of(std::current_exception());
    result->answer.code = failure.code;
    result->answer.message = failure.message;
  }
  result->answer.message = without(std::move(result->answer.message), result->hidden);
  return result.release();
} catch (...) {
  return nullptr;
}

int upsweep_result_code(const upsweep_result* result) {
  return result == nullptr ? static_cast<int>(UPSWEEP_BACKEND) : result->answer.code;
}

const char* upsweep_result_message(const upsweep_result* result) {
  return result == nullptr ? "out of memory" : result->answer.message.c_str();
}

const char* upsweep_result_text(upsweep_result* result, const char* format, size_t* length) try {
  if (result == nullptr || format == nullptr || !result->answer.has_document) return nullptr;
  const std::string name = format;
  if (name != "json" && name != "packed" && name != "csv" && name != "table") return nullptr;
  if (!result->texts.contains(name))
    result->texts[name] = without(upsweep::cli::rendered(result->answer.document, name), result->hidden);
  const std::string& text = result->texts[name];
  if (length != nullptr) *length = text.size();
  return text.c_str();
} catch (...) {
  return nullptr;
}

void upsweep_result_close(upsweep_result* result) { delete result; }
