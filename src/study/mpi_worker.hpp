#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi_mailbox.hpp"
#include "point_message.hpp"
#include "upsweep/study/count_cache.hpp"
#include "upsweep/study/point_factory.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// A rank of a study but the first: evaluates the units that rank 0 hands out.
class MpiWorker {
 public:
  /// The arguments must outlive this object.
  MpiWorker(Mailbox& mail, const StudyFile& study, const StudyOptions& options);
  MpiWorker(const MpiWorker&) = delete;
  MpiWorker& operator=(const MpiWorker&) = delete;

  /// Works until rank 0 says that it is the end; returns why the study failed, or nothing.
  [[nodiscard]] std::optional<FailureMessage> work();

 private:
  CountStorage storage();
  /// Keeps what was counted for the next letter, unless it is more than the store would take or a letter can hold.
  void hand_in(const ContentKey& key, std::string_view bytes);
  void evaluate(std::span<const std::uint64_t> positions);
  [[nodiscard]] bool is_told_to_stop() const;

  Mailbox& mail_;
  const StudyOptions& options_;
  PointFactory factory_;
  CountCache cache_;
  std::vector<CountedModel> counted_;  ///< since the last letter
  std::uint64_t counted_bytes_ = 0;    ///< of those
  std::vector<ContentKey> known_;
  bool is_stopping_ = false;
};

}  // namespace upsweep
