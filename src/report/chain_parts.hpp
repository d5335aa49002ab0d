#pragma once

#include <string>

#include "upsweep/io/chain_file.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {

/// A chain as an object: "name", "chain": {"kind", "length", "size", "half_bandwidth", "density"}, "value_bytes".
[[nodiscard]] Json chain_model_json(const ChainModel& model);

/// The chain in a line: name, kind, sizes.
[[nodiscard]] std::string chain_model_text(const ChainModel& model);

/// A line that says so where counts are expectations, else nothing.
[[nodiscard]] std::string expectation_text(const ChainModel& model);

}  // namespace upsweep
