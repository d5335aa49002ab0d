#include "upsweep/study/mpi_study.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi_environment.hpp"
#include "mpi_head.hpp"
#include "mpi_mailbox.hpp"
#include "mpi_worker.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/profile/counting_rule_version.hpp"

namespace upsweep {

struct MpiState {
  int ranks = 1;
  bool has_met = false;     ///< whether this rank took part in meet()
  std::string broken = {};  ///< what MPI failed of
};

namespace {

/// What a rank says of itself before a study begins; an array of numbers to MPI.
struct Greeting {
  std::uint64_t is_ready = 0;
  std::uint64_t study = 0;  ///< hash of what decides over its rows
};

/// Tells all ranks what this one says, and returns what each of them does, by rank. Every rank takes part once.
std::vector<Greeting> meet(MpiState& state, const Greeting& mine) {
  static_assert(sizeof(Greeting) == 2 * sizeof(std::uint64_t));
  state.has_met = true;
  std::vector<Greeting> all(static_cast<std::size_t>(state.ranks));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&mine, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD, &request),
            "MPI_Iallgather");
  wait_for_request(request);
  return all;
}

/// Of the study's content, the counting rule and this program's version: whoever differs in one makes other rows.
std::uint64_t study_hash(const StudyFile& study, const StudyOptions& options) {
  ContentHash hash;
  hash.add("study", study.content_hash);
  hash.add("rule", std::string_view(kCountingRule));
  hash.add("tool_version", options.tool_version);
  std::uint64_t number = 0;
  const auto digest = hash.digest();
  std::memcpy(&number, digest.data(), sizeof number);
  return number;
}

/// Meets the others; throws InputError where one of them cannot begin, or would run another study.
void begin(MpiState& state, const StudyFile& study, const StudyOptions& options) {
  const std::vector<Greeting> all = meet(state, {.is_ready = 1, .study = study_hash(study, options)});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].is_ready == 0) throw InputError(fmt::format("rank {} could not begin; it says why", rank));
  }
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].study == all.front().study) continue;
    throw InputError(
        fmt::format("{}: rank {} reads another study, model or machine than rank 0, or is another version of upsweep, "
                    "accepted are the same files and the same version everywhere",
                    study.file, rank));
  }
}

void say_end(Mailbox& mail, int ranks, const std::optional<FailureMessage>& failure) {
  for (int rank = 1; rank < ranks; ++rank) mail.send(rank, LetterKind::end, encode_failure(failure));
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
    say_end(mail, place.ranks, current_failure());
    throw;
  }
  say_end(mail, place.ranks, std::nullopt);
  return result;
}

/// Another rank; returns why the study failed, or nothing.
std::optional<FailureMessage> follow(const StudyFile& study, const StudyOptions& options) {
  Mailbox mail;
  try {
    MpiWorker worker(mail, study, options);
    return worker.work();
  } catch (const MpiError&) {
    throw;
  } catch (...) {
    mail.send(0, LetterKind::failure, encode_failure(current_failure()));
    static_cast<void>(mail.wait_for(LetterKind::end));
    throw;
  }
}

}  // namespace

MpiSession::MpiSession(std::function<void(const std::string& what)> last_words)
    : place_{.is_built_in = true}, last_words_(std::move(last_words)) {
  if (ranks_of_mpirun().empty()) return;
  place_.state = std::make_shared<MpiState>();
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &place_.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &place_.ranks), "MPI_Comm_size");
  place_.state->ranks = place_.ranks;
}

MpiSession::~MpiSession() {
  if (!place_.state) return;
  try {
    if (place_.state->broken.empty() && !place_.state->has_met) static_cast<void>(meet(*place_.state, {}));
  } catch (const std::exception& error) {
    place_.state->broken = error.what();
  }
  if (!place_.state->broken.empty()) {
    // Other ranks may wait for this one, and there is no way left to tell them.
    if (last_words_) last_words_(fmt::format("rank {}: {}", place_.rank, place_.state->broken));
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
    begin(*place.state, study, options);
    if (place.rank == 0) return lead(place, study, store, options);
    const std::optional<FailureMessage> failure = follow(study, options);
    if (failure) throw_failure("the study failed", *failure);
    return {};
  } catch (const MpiError& error) {
    place.state->broken = error.what();
    throw;
  }
}

}  // namespace upsweep
