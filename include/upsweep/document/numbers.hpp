#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

/// Four significant digits with a decimal prefix: "26.06 M"; no prefix below 10 000.
[[nodiscard]] std::string short_count(double count);
[[nodiscard]] std::string short_count(std::uint64_t sum, std::uint64_t inputs);

/// Digits below 10^6, then as short_count(): chains may have 10^12 levels.
[[nodiscard]] std::string whole_text(std::uint64_t number);

/// Four significant digits with a binary unit: "100.7 MiB".
[[nodiscard]] std::string short_bytes(double bytes);
[[nodiscard]] std::string short_bytes(std::uint64_t sum, std::uint64_t inputs);

/// Four significant digits with a unit from ns to s: "12.34 ms".
[[nodiscard]] std::string short_seconds(double seconds);
/// How long something takes, for people who wait: "4.6 s", "2 min 10 s", "1 h 2 min".
[[nodiscard]] std::string wait_text(double seconds);

/// Four significant digits or all before the point: "5.925x", "12523x".
[[nodiscard]] std::string short_ratio(double ratio);

/// A CSV line by RFC 4180, line break included.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace upsweep
