#pragma once

#include <string>

#include "upsweep/store/anchor_record.hpp"
#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

// What a stored run is, for sentences about it: on one line, however long the names are.

/// "run 3 (search of lenet5)".
[[nodiscard]] std::string stored_title(const StoredRun& run);

/// "run 4 (search of the recurrent model rnn-bitstream)", "run 5 (train of lenet5-cifar10)".
[[nodiscard]] std::string stored_title(const StoredPasses& passes);

/// "run 6 (training of policies)".
[[nodiscard]] std::string stored_title(const StoredTraining& training);

/// "run 7 (published times of spgemm.csv)".
[[nodiscard]] std::string stored_title(const StoredAnchors& anchors);

/// "study 7 (which-gpu)".
[[nodiscard]] std::string stored_title(const StoredStudy& study);

}  // namespace upsweep
