#include "upsweep/report/stored_title.hpp"

#include <fmt/format.h>

#include "upsweep/document/short_text.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOfATitle = 60;

}  // namespace

std::string stored_title(const StoredRun& run) {
  return fmt::format("run {} ({} of {})", run.id, run.command, short_text(run.model, kMostOfATitle));
}

std::string stored_title(const StoredPasses& passes) {
  const PassRecord& record = passes.record;
  return fmt::format("run {} ({} of {}{})", passes.id, record.command, record.hidden > 0 ? "the recurrent model " : "",
                     short_text(record.model, kMostOfATitle));
}

std::string stored_title(const StoredTraining& training) {
  return fmt::format("run {} (training of {})", training.id, short_text(training.record.name, kMostOfATitle));
}

std::string stored_title(const StoredAnchors& anchors) {
  return fmt::format("run {} (published times of {})", anchors.id, short_text(anchors.record.files, kMostOfATitle));
}

std::string stored_title(const StoredStudy& study) {
  return fmt::format("study {} ({})", study.id, short_text(study.name, kMostOfATitle));
}

}  // namespace upsweep
