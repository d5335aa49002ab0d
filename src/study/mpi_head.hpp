#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

#include "mpi_mailbox.hpp"
#include "point_message.hpp"
#include "rank_units.hpp"
#include "study_run.hpp"

namespace upsweep {

/// Rank 0 of a study: deals out the open points to the other ranks and takes what they come to.
class MpiHead {
 public:
  /// `store` may be null; the arguments must outlive this object.
  MpiHead(Mailbox& mail, StudyRun& run, StudyStore* store, const StudyOptions& options, int ranks);

  /// Returns when no rank holds a unit any more, and none is left or somebody said stop. Throws after that what went
  /// wrong first, here or on another rank, as an exception of the kind that it was there; MpiError at once.
  void deal();

  /// Of all other ranks.
  [[nodiscard]] CountStatistics counts() const;

 private:
  struct Rank {
    std::size_t units = 0;  ///< that it holds
    bool has_failed = false;
    CountStatistics counts;
  };

  void send_keys();
  void hand_out();
  /// Tells all ranks to leave what they have not begun.
  void stop();
  /// Runs a step; what it throws is the failure of the study.
  void attempt(const std::function<void()>& step);
  void read(const Letter& letter);
  void take_points(const Letter& letter);
  void answer(const Letter& letter);
  [[nodiscard]] bool has_units_out() const;

  Mailbox& mail_;
  StudyRun& run_;
  StudyStore* store_;
  const StudyOptions& options_;
  RankUnits units_;
  std::vector<Rank> ranks_;  ///< by number; the first, this one, has nothing
  std::size_t most_units_;   ///< that a rank holds
  bool is_stopping_ = false;
  bool can_write_ = true;
  std::exception_ptr failure_;
};

}  // namespace upsweep
