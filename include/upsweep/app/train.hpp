#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/report/train_report.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Train by several kinds of backward pass from the same start; what is given replaces the file's.
struct TrainRequest {
  std::string file;
  std::optional<std::vector<std::string>> backward = std::nullopt;  ///< the first is the reference
  std::optional<std::uint64_t> iterations = std::nullopt;
  std::optional<std::uint64_t> batch = std::nullopt;
  std::optional<std::uint64_t> steps = std::nullopt;  ///< of a recurrent model
  std::optional<std::string> backend = std::nullopt;
  std::optional<std::uint64_t> workers = std::nullopt;  ///< threads; all without
  std::optional<std::string> svg = std::nullopt;        ///< a picture of the curves
  std::optional<std::string> db = std::nullopt;         ///< keeps the curves and times
  bool force = false;                                   ///< replace a file of that name that upsweep did not write, too
};

/// Trainings that were run, also those that diverged.
struct TrainOutcome {
  TrainReport report;
  Verdict verdict = {};
  std::vector<std::int64_t> run_ids = {};  ///< where `db` keeps it
  /// What went wrong afterwards, with the picture or the store, or else that a training diverged: to be thrown when the
  /// report has been shown.
  std::exception_ptr failure = nullptr;
};

[[nodiscard]] Document document(const TrainOutcome& outcome);

/// Throws RequestError; InputError at lines of the file; BackendError; Interrupted after an iteration.
[[nodiscard]] TrainOutcome run(const TrainRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
