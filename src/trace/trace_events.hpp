#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/document/json.hpp"

namespace upsweep {

/// A text as a JSON string with its quotes; what is not UTF-8 is replaced.
[[nodiscard]] std::string json_string(const std::string& text);

/// A number as JSON: null where it is not finite.
[[nodiscard]] std::string trace_number(double number);

/// A time on a track of a trace, in the ticks of its writer.
struct TracePlace {
  std::uint64_t track = 0;
  std::uint64_t at = 0;
};

/// A change of a counter.
struct CounterStep {
  std::uint64_t at = 0;  ///< ticks
  std::int64_t by = 0;
};

/// Writes a Trace Event file into a string, event by event: a tree of a million events would take gigabytes.
///
/// Times are whole ticks of 10^-decimals microseconds, written as exact decimals: what ends where something else starts
/// does so for every reader.
class TraceWriter {
 public:
  /// `other_data`: what is known of the whole.
  TraceWriter(unsigned decimals, const Json& other_data);

  /// Makes room for that many more characters.
  void reserve(std::size_t characters) { text_.reserve(text_.size() + characters); }
  /// Begins a process: tracks and counters that follow are of it. Tracks of all processes have different numbers.
  void name_process(const std::string& name);
  /// Names a track and puts it in its place among the others.
  void name_track(std::uint64_t track, const std::string& name);
  /// A complete event over [start, start + length). `category` and `name` need no escaping; `args` is a JSON object.
  void event(TracePlace start, std::uint64_t length, std::string_view category, std::string_view name,
             std::string_view args);
  /// The value of a counter from a time on; `number` as JSON.
  void counter(std::string_view name, std::string_view unit, std::uint64_t at, std::string_view number);
  /// A counter from its steps, in any order: at each instant what it is after all steps of that instant. Written as the
  /// mean over `inputs`.
  void counter(std::string_view name, std::string_view unit, std::vector<CounterStep> steps, std::uint64_t inputs = 1);
  /// An arrow from an event to another one, both running at the given times.
  void arrow(TracePlace from, TracePlace to);

  [[nodiscard]] std::string finish() &&;

 private:
  void begin();

  std::string text_;
  std::uint64_t tick_;  // per microsecond
  unsigned decimals_;
  bool is_first_ = true;
  std::uint64_t arrows_ = 0;
  std::uint64_t process_ = 0;
};

}  // namespace upsweep
