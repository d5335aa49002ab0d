#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "upsweep/grid/axis.hpp"
#include "upsweep/grid/point_brief.hpp"
#include "upsweep/grid/question.hpp"

namespace upsweep {

/// JSON with keys in the order in which they were set; NaN is null.
using AnswerJson = nlohmann::ordered_json;

/// A value of an axis: a number where it is one, whole ones without point.
[[nodiscard]] AnswerJson json_of(const AxisValue& value);
/// A count of bytes: whole.
[[nodiscard]] AnswerJson json_of_bytes(double bytes);

// Short forms for sentences; "unknown" for NaN.

/// "1.234 ms" or "12.3 M FLOPs".
[[nodiscard]] std::string score_text(double score, bool is_in_seconds);
/// "1.5 GiB".
[[nodiscard]] std::string bytes_text(double bytes);
/// "1.23x".
[[nodiscard]] std::string speedup_text(double speedup);
/// Why a point that is no more than this has no figures: "no asked schedule fits the memory", ...; empty where it is
/// done.
[[nodiscard]] std::string missing_text(PointStatus status);
/// "1.2x to 3.4x", or one of them where they read the same.
[[nodiscard]] std::string speedups_text(double least, double most);
/// "the best schedule", "a BPPSA worker", ...
[[nodiscard]] std::string needer_text(MemoryOf of);
/// Values of axes as a JSON object in words: "model.chain.length = 1000, workers = 4".
[[nodiscard]] std::string coordinates_text(const AnswerJson& coordinates);

}  // namespace upsweep
