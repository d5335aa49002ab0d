#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace upsweep {

/// How a point ended.
enum class PointStatus : std::uint8_t {
  open,        ///< not evaluated yet
  done,        ///< scored
  infeasible,  ///< none of the schedules that are asked for fits the memory
  invalid,     ///< its values do not make a valid model, machine or settings
  excluded,    ///< a constraint does not hold
};

/// What answers need of a point, small because a study keeps one for each. NaN where there is no such figure.
struct PointBrief {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double score = kNone;           ///< of the best schedule
  double plain_score = kNone;     ///< of plain back-propagation, feasible or not
  double dense_score = kNone;     ///< of dense back-propagation, in seconds; where known
  double graph_score = kNone;     ///< of plain back-propagation over a graph with branches; where known
  double blocks_score = kNone;    ///< with branches: what comes on top of a scan's score beside that
  double scan_score = kNone;      ///< of the best feasible schedule that is not plain
  double best_bytes = kNone;      ///< peak live bytes of the best schedule
  double plain_bytes = kNone;     ///< of plain back-propagation
  double scan_bytes = kNone;      ///< of the scan with the smallest score, of all where none is feasible
  double bppsa_bytes = kNone;     ///< of one worker, by formula
  double pipeline_bytes = kNone;  ///< of one worker, by formula
  double memory_limit = kNone;    ///< bytes, of the settings or the machine
  std::uint32_t schedule = 0;     ///< number of the best schedule's name, as the study keeps names
  PointStatus status = PointStatus::open;
  bool is_in_seconds = false;  ///< of the scores; else FLOPs

  /// How many times faster the scan is than back-propagation without one: plain, dense or over the graph, whichever is
  /// the fastest; with branches what blocks take comes on top of the scan beside the latter two. NaN without plain and
  /// scan.
  [[nodiscard]] double speedup() const {
    const double complete = std::isnan(blocks_score) ? scan_score : scan_score + blocks_score;
    // fmin() takes what is known of both; nothing is NaN / NaN.
    return std::isnan(plain_score)
               ? kNone
               : std::fmin(plain_score / scan_score, std::fmin(dense_score, graph_score) / complete);
  }
};

}  // namespace upsweep
