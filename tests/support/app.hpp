#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"

// Commands, run in this process.

namespace upsweep::testing {

inline const Caller kCaller{"1.2.3", {"test", "one"}};

/// What a command says while it works.
struct Said {
  std::vector<std::string> doing;
  std::vector<std::string> notes;

  [[nodiscard]] Watch watch() {
    Watch watch;
    watch.progress = [this](const std::string& text) { doing.push_back(text); };
    watch.note = [this](const std::string& text) { notes.push_back(text); };
    return watch;
  }
};

/// The outcome; fails where anything was printed.
template <class Request>
auto run_quietly(const Request& request, const Watch& watch = {}) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  struct Silence {
    ~Silence() {
      EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
  } silence;
  return run(request, kCaller, watch);
}

/// The field of a wrong request; "none" of one that is carried out.
template <class Request>
std::string wrong_field(const Request& request) {
  try {
    static_cast<void>(run_quietly(request));
  } catch (const RequestError& error) {
    return error.field();
  }
  return "none";
}

/// What a command throws, of the kind `Error`; empty where it does not.
template <class Error, class Request>
std::string refusal(const Request& request) {
  try {
    static_cast<void>(run_quietly(request));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Whether a command that is to stop from the start has no outcome.
template <class Request>
bool is_interrupted(const Request& request) {
  const std::atomic<bool> stop = true;
  Watch watch;
  watch.stop = &stop;
  try {
    static_cast<void>(run_quietly(request, watch));
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

}  // namespace upsweep::testing
