#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::testing {

using TraceJson = nlohmann::json;

/// A complete event; times in nanoseconds.
struct Slice {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  TraceJson args;
};

[[nodiscard]] inline std::uint64_t nanoseconds(const TraceJson& time) {
  return static_cast<std::uint64_t>(std::llround(time.get<double>() * 1000));
}

/// A Trace Event file as a reader sees it. Fails the test where an event is none.
struct ReadTrace {
  TraceJson other;
  std::map<int, std::vector<Slice>> tracks;  // in the order of the file
  std::map<int, std::string> names;
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters;  // in the order of the file
  std::map<int, std::pair<TraceJson, TraceJson>> arrows;                          // both ends, by id

  explicit ReadTrace(const std::string& text) {
    const TraceJson trace = TraceJson::parse(text);
    EXPECT_EQ(trace.at("displayTimeUnit"), "ns");
    other = trace.at("otherData");
    for (const TraceJson& event : trace.at("traceEvents")) read(event);
  }

  /// Tracks of workers: all but that of the levels.
  [[nodiscard]] std::map<int, std::vector<Slice>> workers() const {
    std::map<int, std::vector<Slice>> found;
    for (const auto& [track, slices] : tracks)
      if (names.at(track) != "levels") found[track] = slices;
    return found;
  }
  [[nodiscard]] const Slice* op(int id) const {
    for (const auto& [track, slices] : tracks) {
      for (const Slice& slice : slices)
        if (slice.args.contains("op") && slice.args["op"] == id) return &slice;
    }
    return nullptr;
  }

 private:
  void read(const TraceJson& event) {
    const std::string phase = event.at("ph");
    if (phase == "X") {
      const std::uint64_t start = nanoseconds(event.at("ts"));
      tracks[event.at("tid")].push_back({start, start + nanoseconds(event.at("dur")), event.at("args")});
    } else if (phase == "M" && event.at("name") == "thread_name") {
      names[event.at("tid")] = event.at("args").at("name");
    } else if (phase == "C") {
      counters[event.at("name")].emplace_back(nanoseconds(event.at("ts")), event.at("args").front().get<double>());
    } else if (phase == "s") {
      EXPECT_TRUE(arrows[event.at("id")].first.is_null()) << "two arrows with one id";
      arrows[event.at("id")].first = event;
    } else if (phase == "f") {
      arrows[event.at("id")].second = event;
      EXPECT_EQ(event.at("bp"), "e");
    } else {
      EXPECT_EQ(phase, "M");
    }
  }
};

[[nodiscard]] inline double most(const std::vector<std::pair<std::uint64_t, double>>& counter) {
  double most = 0;
  for (const auto& [at, value] : counter) most = std::max(most, value);
  return most;
}

/// The value of a counter from a time on; 0 before it begins.
[[nodiscard]] inline double value_at(const std::vector<std::pair<std::uint64_t, double>>& counter, std::uint64_t time) {
  double value = 0;
  for (const auto& [at, next] : counter)
    if (at <= time) value = next;
  return value;
}

/// The slice of a track to which a reader ties an arrow at this time: the last that has begun and not ended.
[[nodiscard]] inline const Slice* running_at(const std::vector<Slice>& slices, std::uint64_t time) {
  const Slice* found = nullptr;
  for (const Slice& slice : slices)
    if (slice.start <= time && time < slice.end) found = &slice;
  return found;
}

/// What is wrong with the slices of a track, or nothing: each begins no earlier than the one before it, and lies inside
/// those that have begun and not ended.
[[nodiscard]] inline std::string nesting_fault(const std::vector<Slice>& slices) {
  std::vector<const Slice*> open;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    if (slice.end < slice.start) return "event " + std::to_string(i) + " ends before it begins";
    if (i > 0 && slice.start < slices[i - 1].start) return "event " + std::to_string(i) + " is out of order";
    while (!open.empty() && open.back()->end <= slice.start) open.pop_back();
    if (!open.empty() && slice.end > open.back()->end) return "event " + std::to_string(i) + " overlaps another";
    open.push_back(&slice);
  }
  return "";
}

}  // namespace upsweep::testing
