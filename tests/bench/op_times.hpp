#pragma once

#include <string>

#include "cases.hpp"

namespace upsweep::bench {

/// A table of the matrix–matrix products of the full scan of the model: shape, matched pairs, nnz, time on one thread
/// (median of five runs, in a child process), picoseconds a pair.
[[nodiscard]] std::string op_table(const Settings& settings);

}  // namespace upsweep::bench
