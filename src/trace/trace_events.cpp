#include "trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "upsweep/document/value.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {
namespace {

/// A number of ticks as a decimal number of microseconds, without zeros at its end.
void append_time(std::string& text, std::uint64_t ticks, std::uint64_t tick, unsigned decimals) {
  fmt::format_to(std::back_inserter(text), "{}", ticks / tick);
  if (ticks % tick == 0) return;
  fmt::format_to(std::back_inserter(text), ".{:0{}}", ticks % tick, decimals);
  text.erase(text.find_last_not_of('0') + 1);
}

std::uint64_t power_of_ten(unsigned exponent) { return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1); }

}  // namespace

std::string json_string(const std::string& text) {
  // Everything but ASCII is escaped: no reader needs to guess the encoding.
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string trace_number(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }

TraceWriter::TraceWriter(unsigned decimals, const Json& other_data)
    : text_(fmt::format("{{{},\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {},\n\"traceEvents\": [", kTraceMark,
                        other_data.dump(1, ' ', true, Json::error_handler_t::replace))),
      tick_(power_of_ten(decimals)),
      decimals_(decimals) {}

void TraceWriter::begin() {
  text_ += is_first_ ? "\n{" : ",\n{";
  is_first_ = false;
}

void TraceWriter::name_process(const std::string& name) {
  ++process_;
  begin();
  fmt::format_to(std::back_inserter(text_), R"("ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})",
                 process_, json_string(name));
}

void TraceWriter::name_track(std::uint64_t track, const std::string& name) {
  begin();
  fmt::format_to(std::back_inserter(text_), R"("ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                 process_, track, json_string(name));
  begin();
  fmt::format_to(std::back_inserter(text_),
                 R"("ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", process_,
                 track, track);
}

void TraceWriter::event(TracePlace start, std::uint64_t length, std::string_view category, std::string_view name,
                        std::string_view args) {
  begin();
  fmt::format_to(std::back_inserter(text_), R"("ph":"X","pid":{},"tid":{},"ts":)", process_, start.track);
  append_time(text_, start.at, tick_, decimals_);
  text_ += R"(,"dur":)";
  append_time(text_, length, tick_, decimals_);
  fmt::format_to(std::back_inserter(text_), R"(,"cat":"{}","name":"{}","args":{}}})", category, name, args);
}

void TraceWriter::counter(std::string_view name, std::string_view unit, std::uint64_t at, std::string_view number) {
  begin();
  fmt::format_to(std::back_inserter(text_), R"("ph":"C","pid":{},"name":"{}","ts":)", process_, name);
  append_time(text_, at, tick_, decimals_);
  fmt::format_to(std::back_inserter(text_), R"(,"args":{{"{}":{}}}}})", unit, number);
}

void TraceWriter::counter(std::string_view name, std::string_view unit, std::vector<CounterStep> steps,
                          std::uint64_t inputs) {
  std::sort(steps.begin(), steps.end(), [](const CounterStep& a, const CounterStep& b) { return a.at < b.at; });
  std::uint64_t value = 0;  // steps down wrap around, as they should
  std::optional<std::uint64_t> written;
  for (std::size_t i = 0; i < steps.size();) {
    const std::uint64_t at = steps[i].at;
    for (; i < steps.size() && steps[i].at == at; ++i) value += static_cast<std::uint64_t>(steps[i].by);
    if (value == written) continue;
    counter(name, unit, at, Value::mean(value, inputs).exact());
    written = value;
  }
}

void TraceWriter::arrow(TracePlace from, TracePlace to) {
  ++arrows_;
  for (const auto& [phase, place] : {std::pair{R"("s")", from}, std::pair{R"("f","bp":"e")", to}}) {
    begin();
    fmt::format_to(std::back_inserter(text_), R"("ph":{},"pid":{},"tid":{},"id":{},"ts":)", phase, process_,
                   place.track, arrows_);
    append_time(text_, place.at, tick_, decimals_);
    text_ += R"(,"cat":"dependency","name":"operand"})";
  }
}

std::string TraceWriter::finish() && {
  text_ += "\n]}\n";
  return std::move(text_);
}

}  // namespace upsweep
