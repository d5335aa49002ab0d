#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "upsweep/document/document.hpp"
#include "upsweep/io/chain_file.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {

/// A profile by closed forms, of a synthetic chain or the steps of a recurrent model; refers to values that live
/// elsewhere.
struct ChainProfileReport {
  std::variant<const ChainModel*, const RecurrentModel*> model;
  const HomogeneousProfile& profile;
  const SearchResult& compared;  ///< plain back-propagation and this schedule; with a machine in its seconds
  HomogeneousReference reference;
  std::string requested;  ///< the schedule as it was asked for
};

/// The profile as a document without the verdict: without ops, and with runs of equal levels, which CSV has. Each has
/// `repeat`, the number of levels that it stands for, which alternate where `cycle` has two.
[[nodiscard]] Document document(const ChainProfileReport& report);

/// The chain in a line: name, kind, sizes.
[[nodiscard]] std::string chain_model_text(const ChainModel& model);
/// The model in a line: name, cell, sizes.
[[nodiscard]] std::string recurrent_model_text(const RecurrentModel& model);

/// A line that says so where counts are expectations, else nothing.
[[nodiscard]] std::string expectation_text(const ChainModel& model);

/// Dense back-propagation of an rnn as the artifact of BPPSA counts it: 2·h² for the recurrent weights of steps 2..T
/// and 2·h for the nonlinearity of every step; nothing for a gru, which it does not count.
[[nodiscard]] std::optional<std::uint64_t> recurrent_baseline_flops(const RecurrentModel& model);

}  // namespace upsweep
