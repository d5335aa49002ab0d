#pragma once

#include <cstdlib>
#include <string>

namespace upsweep {

/// How many ranks the mpirun has that started this process, as text; empty without one.
inline std::string ranks_of_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* ranks = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (ranks != nullptr) return ranks;
  }
  return "";
}

}  // namespace upsweep
