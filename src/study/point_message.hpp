#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study_run.hpp"

namespace upsweep {

/// A counted model as CountStorage keeps it.
using CountedModel = std::pair<ContentKey, std::string>;

/// What a rank sends when it is done with a work unit.
struct UnitMessage {
  bool is_stopped = false;  ///< this rank was told to stop by its own process: the unit may be cut
  double seconds = 0;       ///< that the points took
  CountStatistics counts;   ///< of this rank, since it began
  std::vector<UnitPoint> points;
  std::vector<CountedModel> counted;  ///< since the last message
};

/// Why a rank cannot go on, as its exit code tells it.
enum class FailureKind : std::uint8_t {
  fault,        ///< anything else: std::runtime_error
  input,        ///< InputError
  unavailable,  ///< BusyError, or no memory
};

struct FailureMessage {
  FailureKind kind = FailureKind::fault;
  std::string text;
};

// Messages between processes of one build on machines of one kind: numbers as they lie in memory, texts and lists with
// their lengths: rank 0 decodes those of all others (as CBOR of nlohmann's library it would take thirty times as long).
// Decoding throws std::invalid_argument for bytes that are cut off or too long, and never reads beyond.

[[nodiscard]] std::string encode_unit(const UnitMessage& unit);
[[nodiscard]] UnitMessage decode_unit(std::string_view bytes);

[[nodiscard]] std::string encode_positions(std::span<const std::uint64_t> positions);
[[nodiscard]] std::vector<std::uint64_t> decode_positions(std::string_view bytes);

[[nodiscard]] std::string encode_keys(std::span<const ContentKey> keys);
[[nodiscard]] std::vector<ContentKey> decode_keys(std::string_view bytes);

/// Bytes or, by an empty message, none.
[[nodiscard]] std::string encode_found(const std::optional<std::string>& bytes);
[[nodiscard]] std::optional<std::string> decode_found(std::string_view bytes);

/// A failure or, by an empty message, none.
[[nodiscard]] std::string encode_failure(const std::optional<FailureMessage>& failure);
[[nodiscard]] std::optional<FailureMessage> decode_failure(std::string_view bytes);

/// The exception that is being handled, its text cut to 1000 bytes.
[[nodiscard]] FailureMessage current_failure();

/// Throws the exception of the kind, with `where` before its text.
[[noreturn]] void throw_failure(std::string_view where, const FailureMessage& failure);

}  // namespace upsweep
