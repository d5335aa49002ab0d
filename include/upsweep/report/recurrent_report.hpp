#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// A profile of a recurrent model, counted by closed forms.
struct RecurrentProfileReport {
  const RecurrentModel& model;
  const HomogeneousProfile& profile;
  const PramProfile& pram;
  HomogeneousReference reference;
  std::string requested;  ///< the schedule as it was asked for
};

/// The model in a line: name, cell, sizes.
[[nodiscard]] std::string recurrent_model_text(const RecurrentModel& model);

/// Dense back-propagation of an rnn as the artifact of BPPSA counts it: 2·h² for the recurrent weights of steps 2..T
/// and 2·h for the nonlinearity of every step; nothing for a gru, which it does not count.
[[nodiscard]] std::optional<std::uint64_t> recurrent_baseline_flops(const RecurrentModel& model);

/// The object of `profile`, without ops, and with runs of equal levels: each has `repeat`, the number of levels that it
/// stands for, which alternate where `cycle` has two.
[[nodiscard]] Json to_json(const RecurrentProfileReport& report);
/// The runs of levels.
[[nodiscard]] std::string to_csv(const RecurrentProfileReport& report);
[[nodiscard]] std::string to_text(const RecurrentProfileReport& report, const TextStyle& style = {});

}  // namespace upsweep
