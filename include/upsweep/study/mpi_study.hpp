#pragma once

#include <functional>
#include <memory>
#include <string>

#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// What the session and the study under it know of each other.
struct MpiState;

/// This process among those that mpirun started.
struct MpiPlace {
  bool is_built_in = false;  ///< whether this program was built with MPI
  int rank = 0;
  int ranks = 1;
  std::shared_ptr<MpiState> state = {};  ///< of the session; null where MPI is not touched
};

/// Holds MPI open while it lives. Without MPI in the build, or started without mpirun, one rank of one: MPI is not
/// touched then.
///
/// A rank that throws before it comes to run_study_mpi() lets the others know when its session ends: they throw
/// InputError there, since what a rank can fail of so early is its command line or its files.
class MpiSession {
 public:
  /// `last_words` is called with what is wrong where the session's end has no way left but to end all ranks. Throws
  /// UsageError under an mpirun with several ranks of a program that was built without MPI.
  explicit MpiSession(std::function<void(const std::string& what)> last_words = {});
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] const MpiPlace& place() const { return place_; }

 private:
  MpiPlace place_;
  std::function<void(const std::string& what)> last_words_;
};

/// run_study() on all ranks: rank 0 hands out work units, writes to the store and answers, the others evaluate; each
/// with one thread. `store` is null on other ranks, whose result is empty. Points are the same rows as without MPI.
/// With one rank it is run_study().
///
/// `options.stop` of any rank stops all while points are evaluated: ranks finish the point under way. While rank 0
/// answers, only its own does. Ctrl-C on mpirun is harsher: Open MPI passes it on as SIGTERM and kills what is still
/// there after its grace period (a second, as it comes); the store is whole then, but what was under way may be lost
/// and nothing be printed. The next start goes on.
///
/// Throws InputError on all ranks where they do not read the same study or are not of one version. When a rank fails,
/// all throw an exception of the same kind (InputError, BusyError or std::runtime_error) that says which and why; what
/// was written stays. A rank that is killed takes the job down by way of mpirun; the next start repeats the points that
/// it held.
[[nodiscard]] StudyResult run_study_mpi(const MpiPlace& place, const StudyFile& study, StudyStore* store,
                                        const StudyOptions& options);

}  // namespace upsweep
