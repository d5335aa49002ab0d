#include "upsweep/study/mpi_study.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "mpi_environment.hpp"
#include "mpi_head.hpp"
#include "mpi_mailbox.hpp"
#include "mpi_worker.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {

struct MpiState {
  bool has_met = false;     ///< whether this rank took part in meet()
  std::string broken = {};  ///< what MPI failed of
};

namespace {

/// Tells all ranks whether this one is ready, and returns whether all are. Every rank takes part once.
bool meet(MpiState& state, bool is_ready) {
  state.has_met = true;
  const int mine = is_ready ? 1 : 0;
  int all = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request), "MPI_Iallreduce");
  wait_for_request(request);
  return all == 1;
}

/// The text of the exception that is being handled, as a letter holds it.
std::string failure_text() {
  constexpr std::size_t kLongest = 1000;
  try {
    throw;
  } catch (const std::exception& error) {
    return std::string(error.what()).substr(0, kLongest);
  } catch (...) {
    return "an unknown error";
  }
}

void say_end(Mailbox& mail, int ranks, const std::string& failure) {
  for (int rank = 1; rank < ranks; ++rank) mail.send(rank, LetterKind::end, failure);
  mail.flush();
}

/// Rank 0. The others get their end whatever happens here.
StudyResult lead(const MpiPlace& place, const StudyFile& study, StudyStore* store, const StudyOptions& options) {
  Mailbox mail;
  StudyResult result;
  try {
    StudyRun run(study, store, options);
    MpiHead head(mail, run, store, options, place.ranks);
    head.deal();
    result = run.finish(head.counts());
  } catch (const MpiError&) {
    throw;
  } catch (...) {
    say_end(mail, place.ranks, fmt::format("the study failed: {}", failure_text()));
    throw;
  }
  say_end(mail, place.ranks, "");
  return result;
}

/// Another rank; returns why the study failed, or nothing.
std::string follow(const StudyFile& study, const StudyOptions& options) {
  Mailbox mail;
  try {
    MpiWorker worker(mail, study, options);
    return worker.work();
  } catch (const MpiError&) {
    throw;
  } catch (...) {
    mail.send(0, LetterKind::failure, failure_text());
    static_cast<void>(mail.wait_for(LetterKind::end));
    throw;
  }
}

}  // namespace

MpiSession::MpiSession() : place_{.is_built_in = true} {
  if (ranks_of_mpirun().empty()) return;
  place_.state = std::make_shared<MpiState>();
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &place_.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &place_.ranks), "MPI_Comm_size");
}

MpiSession::~MpiSession() {
  if (!place_.state) return;
  try {
    if (place_.state->broken.empty() && !place_.state->has_met) static_cast<void>(meet(*place_.state, false));
  } catch (const std::exception& error) {
    place_.state->broken = error.what();
  }
  if (!place_.state->broken.empty()) {
    // Other ranks may wait for this one, and there is no way left to tell them.
    std::fprintf(stderr, "upsweep: error: rank %d: %s\n", place_.rank, place_.state->broken.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

StudyResult run_study_mpi(const MpiPlace& place, const StudyFile& study, StudyStore* store,
                          const StudyOptions& options) {
  if (place.ranks == 1) return run_study(study, store, options);
  if (!place.state) throw std::logic_error("several ranks without a session");
  const ThreadLimit limit(1);
  try {
    if (!meet(*place.state, true)) throw std::runtime_error("another rank could not begin; it says why");
    if (place.rank == 0) return lead(place, study, store, options);
    const std::string failure = follow(study, options);
    if (!failure.empty()) throw std::runtime_error(failure);
    return {};
  } catch (const MpiError& error) {
    place.state->broken = error.what();
    throw;
  }
}

}  // namespace upsweep
