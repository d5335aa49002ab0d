#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "upsweep/search/verdict.hpp"

namespace upsweep {

// Words that verdicts share: plain text, not yet escaped.

/// "1 worker", "16 workers".
[[nodiscard]] std::string workers_text(std::uint64_t workers);

/// How the time or the FLOPs of something stand to those of another: "2.5 times faster", "12 times as long", "4.2 %
/// longer"; below a relative difference of `same` "as fast", of which there is nothing to conclude. `ratio` > 0: to the
/// other.
[[nodiscard]] std::string faster_text(double ratio, double same);

/// The same with what follows for a scan beside plain back-propagation: "2.5 times faster; the scan pays".
[[nodiscard]] std::string pays_text(double ratio, double same);

}  // namespace upsweep
