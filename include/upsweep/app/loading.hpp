#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Reads the model of a network of operators. Throws InputError, also for models of other kinds and where the patterns
/// cannot fit into memory.
[[nodiscard]] Model load_network(const std::string& file, Numbers numbers);

/// What a pattern needs of a model that is counted, not run.
[[nodiscard]] Numbers numbers_for(PatternKind pattern);

/// analyse() with progress. Throws InputError at the model's lines, also where counts are too large.
[[nodiscard]] Analysis analyse_network(const Model& model, PatternKind pattern, std::vector<Schedule> schedules,
                                       const Watch& watch);

/// Throws InputError for the file of a synthetic chain, which this command does not have.
void require_no_chain(const std::string& file);

/// The machine of a request, or nothing without it. Throws InputError.
[[nodiscard]] std::optional<Machine> load_machine_of(const std::optional<std::string>& file);

/// Sizes of a recurrent model that a request puts in place of its file's.
struct RecurrentSizes {
  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 39;  // as in model files
  static constexpr std::uint64_t kMostBatch = 1'000'000;
  static constexpr std::uint64_t kMostHidden = 65'536;

  std::optional<std::uint64_t> steps = std::nullopt;
  std::optional<std::uint64_t> batch = std::nullopt;
  std::optional<std::uint64_t> hidden = std::nullopt;
};

/// Throws RequestError for sizes that no model has.
void check_sizes(const RecurrentSizes& sizes);

/// Whether a request is about a recurrent model. Throws RequestError for another one with sizes.
[[nodiscard]] bool is_recurrent_request(const std::string& file, const RecurrentSizes& sizes);

/// The recurrent model of a file with these sizes. Throws InputError where weights or sequences from files do not go
/// with them, and for a stack of layers that `accepted` leaves out.
[[nodiscard]] RecurrentModel load_recurrent_with(const std::string& file, const RecurrentSizes& sizes,
                                                 Layers accepted = Layers::one);

}  // namespace upsweep
