#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace upsweep {

/// What a study asks of its points.
enum class QuestionKind : std::uint8_t {
  best,            ///< the best schedule of each point, and how often each wins
  crossover,       ///< where along an axis a scan becomes faster than plain back-propagation
  capacity,        ///< the largest value of an axis that still fits the memory
  fewest_workers,  ///< the smallest value of `workers` that reaches a target
  top,             ///< the points with the best scores
  pareto,          ///< the points that none beats in both time and memory
};

/// "best", "crossover", "capacity", "fewest_workers", "top" or "pareto".
[[nodiscard]] std::string to_string(QuestionKind kind);

/// Whose memory a capacity is about.
enum class MemoryOf : std::uint8_t {
  best,      ///< the best schedule of the point, by simulation
  plain,     ///< plain back-propagation, by simulation
  scan,      ///< the best schedule that is not plain back-propagation, by simulation
  bppsa,     ///< one worker of BPPSA by its formula
  pipeline,  ///< one worker of a pipeline with re-materialisation by GPipe's formula
};

/// "best", "plain", "scan", "bppsa" or "pipeline".
[[nodiscard]] std::string to_string(MemoryOf of);

/// A figure of a point that top and pareto sort by.
enum class PointKey : std::uint8_t {
  score,    ///< of the best schedule; smallest first
  speedup,  ///< plain score / best scan's score; largest first
  memory,   ///< peak live bytes of the best schedule; smallest first
};

/// "score", "speedup" or "memory".
[[nodiscard]] std::string to_string(PointKey key);

/// A question. Answered for each combination of the other axes' values where it is along an axis.
struct Question {
  QuestionKind kind = QuestionKind::best;
  std::string along;                          ///< name of an axis; crossover, capacity, fewest_workers
  double tolerance = 1e-3;                    ///< crossover, capacity: relative width at which bisection stops
  MemoryOf of = MemoryOf::best;               ///< capacity
  std::optional<std::uint64_t> memory_bytes;  ///< capacity: the limit; default the point's (settings, else machine)
  double target_score = 0;                    ///< fewest_workers: seconds or FLOPs, as scores are
  std::uint64_t count = 10;                   ///< top
  PointKey by = PointKey::score;              ///< top

  friend bool operator==(const Question&, const Question&) = default;
};

}  // namespace upsweep
