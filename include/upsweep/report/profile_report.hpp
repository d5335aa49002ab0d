#pragma once

#include <string>

#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// What a profile report shows; refers to values that live elsewhere.
struct ProfileReport {
  const std::string& model_name;
  const Network& network;
  const NetworkProfile& network_profile;
  const ScheduleProfile& profile;
  const PramProfile& pram;
  std::string pattern;    ///< "guaranteed" or "sample"
  std::string requested;  ///< the schedule as it was asked for
};

/// The object that `profile --format json` prints; its fields are listed in README.md.
[[nodiscard]] Json to_json(const ProfileReport& report);

/// The table of ops.
[[nodiscard]] std::string to_csv(const ProfileReport& report);

/// Tables for people: operators, ops (up to 100, else their number), levels, totals.
[[nodiscard]] std::string to_text(const ProfileReport& report);

}  // namespace upsweep
