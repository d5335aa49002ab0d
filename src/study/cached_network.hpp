#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

using ScheduleNameSet = std::set<std::string, std::less<>>;

/// Length of the scan array of a network.
[[nodiscard]] std::size_t scan_length(const Network& network);

/// Counts a network, that of the model or the same on another image, under schedules.
[[nodiscard]] Analysis count_on_image(const Network& network, const Model& model, PatternKind pattern,
                                      std::vector<Schedule> schedules);

/// A counted network with what was tried of it. Guarded by `counting`, which is held while it is counted.
struct CachedNetwork {
  /// Why counting these schedules failed: it would again.
  struct Failure {
    ScheduleNameSet schedules;
    bool is_overflow = false;
    std::string text;  // of an InputError
  };

  std::mutex counting;
  std::shared_ptr<const Analysis> analysis;
  ScheduleNameSet names;  // of its schedules, and by which they were asked for
  std::optional<Failure> failure;
  bool are_others_refused = false;  // counting others along failed

  [[nodiscard]] bool serves(std::span<const std::string> schedules) const;

  /// Whether counting these schedules failed, and what it threw.
  [[nodiscard]] bool has_failed(std::span<const std::string> schedules) const;
  [[noreturn]] void throw_failure() const;

  /// Adds schedules to those that are there. Counts do not depend on which schedules are counted together.
  void add(Analysis counted);

  /// The schedules that are not there yet, linear among them.
  [[nodiscard]] std::vector<Schedule> missing(const ScheduleNameSet& schedules, std::size_t length) const;
};

}  // namespace upsweep
