#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/report/study_report.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/study/mpi_study.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// Evaluate the points of a study and answer its questions.
struct StudyRequest {
  static constexpr std::uint64_t kMostJobs = 1024;

  std::string file;
  std::optional<std::string> db = std::nullopt;      ///< keeps the points; those that it has are not evaluated again
  std::optional<std::uint64_t> jobs = std::nullopt;  ///< points at the same time: 1 without; not with several ranks
  bool wants_points = false;  ///< rows of the points too; without `db` a temporary database gives them
  MpiPlace place = {};        ///< this process among those that run the study together
};

/// A study as far as it came: a stop finishes the points under way.
struct StudyOutcome {
  StudyFile study;
  StudyResult result = {};
  std::optional<QueryResult> points = std::nullopt;  ///< rows of the view study_points, where they were wanted
  /// The first point and why, where none could be evaluated: the file is wrong rather than some of its values.
  std::optional<std::string> nothing_valid = std::nullopt;

  Verdict verdict = {};

  /// Refers to this object.
  [[nodiscard]] StudyReport report() const { return {study, result, points ? &*points : nullptr}; }
};

[[nodiscard]] Document document(const StudyOutcome& outcome);

/// Rank 0 has the outcome; others help, and have an empty one whatever happens to the study: rank 0 says it.
///
/// Throws RequestError; InputError, BusyError as run_study_mpi().
[[nodiscard]] StudyOutcome run(const StudyRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
