#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/search/image_formula.hpp"

namespace upsweep {

/// Give the counts of a network as formulas of its image's size.
struct FormulaRequest {
  std::string model;
  std::string schedule = "linear";
  /// Of height and width modulo the accumulated stride; the residue of the model's own image without.
  std::optional<ImageSize> residue = std::nullopt;
  bool all_residues = false;  ///< of images whose height and width have the same one, a square's
  std::uint64_t most_size = 4096;
  std::optional<std::uint64_t> count_limit = std::nullopt;   ///< steps at one size; kMostPairs without
  std::optional<std::uint64_t> count_memory = std::nullopt;  ///< bytes that patterns may take
};

/// What came of it.
struct FormulaOutcome {
  std::string model;
  std::vector<ImageFormulas> residues;
};

[[nodiscard]] Document document(const FormulaOutcome& outcome);

/// Throws RequestError; InputError, also for a model that takes no images; Interrupted.
[[nodiscard]] FormulaOutcome run(const FormulaRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
