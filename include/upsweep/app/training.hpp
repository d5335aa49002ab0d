#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/app/frame.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep {

/// Simulate the training steps of a file. Of the frame machine, launch, library and batch, instead of the file's.
struct TrainingRequest : FrameRequest {
  std::string file;
  std::optional<std::uint64_t> optimum = std::nullopt;  ///< seconds to look for the shortest step, for each problem
  std::optional<std::string> db = std::nullopt;         ///< keeps the run
};

/// Answers of the kind of the file's study.
struct TrainingOutcome {
  TrainingFile file;
  std::variant<PipelineAnswers, DataParallelAnswers, FirstKMemoryAnswers, MultiRegionAnswers> answers = {};
  Verdict verdict = {};
  std::vector<std::int64_t> run_ids = {};  ///< where `db` keeps it
};

/// A stop ends the search for the optimum with what it has, and a comparison of policies between two of them.
///
/// Throws RequestError; InputError at lines of the file; Interrupted.
[[nodiscard]] TrainingOutcome run(const TrainingRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
