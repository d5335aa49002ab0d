#pragma once

#include <sstream>
#include <string>

#include "upsweep/io/study_file.hpp"

namespace upsweep::testing {

/// A study of chains of dense 4 x 4 Jacobians on a PRAM of 64 workers with 64 KiB of memory, of which every op takes a
/// microsecond and every level a quarter of one; `rest` is the file from its axes on.
inline StudyFile chain_study(const std::string& rest, const std::string& name = "chains") {
  std::istringstream in("name: " + name + R"(
base:
  model:
    name: chain
    dtype: fp32
    chain: {length: 100, size: 4, kind: dense}
  machine:
    name: pram
    kind: pram
    provenance: {origin: definition}
    memory_KiB: 64
    rates:
      - workers: 64
        op_latency_us: 1
        level_latency_us: 0.25
)" + rest);
  return load_study(in, name + ".yaml");
}

}  // namespace upsweep::testing
