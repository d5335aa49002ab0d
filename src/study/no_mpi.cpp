#include <fmt/format.h>

#include "mpi_environment.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/study/mpi_study.hpp"

namespace upsweep {

struct MpiState {};

// Without this, every process that mpirun starts would run the whole study.
MpiSession::MpiSession(std::function<void(const std::string& what)> /*last_words*/) {
  const std::string ranks = ranks_of_mpirun();
  if (!ranks.empty() && ranks != "1")
    throw UsageError(
        fmt::format("started by mpirun with {} ranks, but built without MPI, accepted is one process", ranks));
}

MpiSession::~MpiSession() = default;

StudyResult run_study_mpi(const MpiPlace&, const StudyFile& study, StudyStore* store, const StudyOptions& options) {
  return run_study(study, store, options);
}

}  // namespace upsweep
