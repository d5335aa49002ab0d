#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// A unit at the end of a key. A number of them is number * factor / divisor of the base unit; one of the two is 1, and
/// both are exact, so that 2.5 us is the double that is nearest to 2.5e-6 s.
struct Unit {
  const char* name;
  double factor;
  double divisor;
};

// Units by what they measure, the base unit first.
inline constexpr Unit kTimeUnits[] = {{"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}, {"ps", 1, 1e12}};
inline constexpr Unit kBandwidthUnits[] = {{"Bps", 1, 1},    {"KBps", 1e3, 1},  {"MBps", 1e6, 1},
                                           {"GBps", 1e9, 1}, {"TBps", 1e12, 1}, {"GiBps", 1073741824, 1}};
inline constexpr Unit kMemoryUnits[] = {{"B", 1, 1},      {"KB", 1e3, 1},      {"MB", 1e6, 1},        {"GB", 1e9, 1},
                                        {"KiB", 1024, 1}, {"MiB", 1048576, 1}, {"GiB", 1073741824, 1}};
inline constexpr Unit kComputeUnits[] = {
    {"FLOPps", 1, 1}, {"MFLOPps", 1e6, 1}, {"GFLOPps", 1e9, 1}, {"TFLOPps", 1e12, 1}};
inline constexpr Unit kFrequencyUnits[] = {{"Hz", 1, 1}, {"MHz", 1e6, 1}, {"GHz", 1e9, 1}};
inline constexpr Unit kCycleUnits[] = {{"cycles", 1, 1}};

/// What is accepted of a quantity, in its base unit, and how errors say so.
struct Accepted {
  double least;
  double most;
  const char* text;
};

inline constexpr Accepted kZeroOrMore = {0, std::numeric_limits<double>::max(), "a finite number of at least 0"};
inline constexpr Accepted kPositive = {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                                       "a finite number above 0"};
/// Byte counts that a double holds exactly.
inline constexpr Accepted kByteCount = {1, 9007199254740992.0, "a number from 1 byte to 8 PiB"};

/// Reads the quantities of one mapping: `NAME_UNIT: number` or `NAME_UNIT: {value: number, source: text}`.
class QuantityReader {
 public:
  /// `where` stands before the names in `sources` ("rates[16]"), empty at the top of the file. What a source says is
  /// kept there, by name without unit: "rates[16].bandwidth".
  QuantityReader(YamlMap& map, std::string where, std::map<std::string, std::string>& sources);

  /// A quantity in its base unit, or nothing where no key begins with its name. Throws InputError for an unknown or
  /// missing unit, for the same quantity in two units, and for a value that is not accepted.
  ///
  /// Of two names of which one begins with the other and an underscore, the longer one is to be read first.
  [[nodiscard]] std::optional<double> find(const std::string& name, std::span<const Unit> units, Accepted accepted);
  /// The same; throws InputError where it is missing, too.
  [[nodiscard]] double require(const std::string& name, std::span<const Unit> units, Accepted accepted);
  /// A count of at least `least`, whose key has no unit, or nothing.
  [[nodiscard]] std::optional<std::uint64_t> find_count(const std::string& name, std::uint64_t least);

  /// The error that a quantity is missing: what was found, which keys are accepted.
  [[nodiscard]] InputError missing(const std::string& name, std::span<const Unit> units) const;

 private:
  [[nodiscard]] const YamlNode& number_of(const std::string& key, const std::string& name, const YamlNode& node);

  YamlMap& map_;
  std::string where_;
  std::map<std::string, std::string>& sources_;
};

}  // namespace upsweep
