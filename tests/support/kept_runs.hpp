#pragma once

#include <string>

#include "support/app.hpp"
#include "support/files.hpp"
#include "upsweep/app/training.hpp"

namespace upsweep::testing {

/// A database with one run, of a simulated training step; its number is 1.
class KeptRun {
 public:
  KeptRun() : db(folder.path("runs.sqlite")) {
    const std::string file = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/policy-1f1b.yaml";
    static_cast<void>(run_quietly(TrainingRequest{{}, file, std::nullopt, db}));
  }

  TemporaryFolder folder;
  std::string db;
};

}  // namespace upsweep::testing
