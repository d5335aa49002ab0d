#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// What a synthetic product measures.
enum class Family {
  vector,          ///< a matrix times a vector
  scale_columns,   ///< a matrix times a diagonal
  scale_rows,      ///< a diagonal, or with `teams` a matrix with one entry per row, times a matrix
  single_columns,  ///< a matrix times one with one entry per row
  general,         ///< two matrices
  runs,            ///< a matrix times one whose rows are full, as those of long products are
};

/// A product to be measured on its own. Its patterns are stencils with random gaps, as convolutions have: row (channel,
/// y, x) meets the places at most `reach` away along each axis, in every channel, each with probability `kept`; with
/// `teams`, four rows that follow one another share their columns, as under a pooling. Y may have full or random rows
/// instead. No network enters.
struct SyntheticProduct {
  std::string name;
  Family family = Family::vector;
  Index channels = 1;  ///< of X and Y
  Index side = 1;      ///< each channel has side × side places
  Index reach = 0;
  double kept = 1;
  bool teams = false;
  bool in_cache = true;  ///< small enough to be measured in the cache
  Index columns = 0;     ///< of Y, where it is no stencil: of Family::runs and, with `entries`, Family::general
  Index entries = 0;     ///< of a row of Y, about, at random; 0: Y is a stencil or full
};

/// The documented set: every family, rows of 1 to some thousand entries, in the cache and far larger than it; of a
/// gpu also products of rows that are half full, which take processors too long. `cache_bytes`: of the last level;
/// `value_bytes` is 4 or 8.
[[nodiscard]] std::vector<SyntheticProduct> synthetic_products(std::uint64_t cache_bytes, unsigned value_bytes,
                                                               MachineKind kind = MachineKind::cpu);

/// The product as a chain with numbers and a schedule whose last level is the product alone.
template <class T>
struct SyntheticRun {
  NumericChain<T> chain;
  Schedule schedule;
  std::size_t op = 0;                             ///< id of the combine that is measured
  std::shared_ptr<const SchedulePlan> plan = {};  ///< Measurement::plan of the run before, if any
};
template <class T>
[[nodiscard]] SyntheticRun<T> make_synthetic(const SyntheticProduct& product);

/// `ops` combines of one entry each, in levels of `width`: they take nothing but latency.
template <class T>
[[nodiscard]] SyntheticRun<T> make_latency_run(std::size_t levels, std::size_t width);

/// A chain through which plain BP takes a level with a diagonal of `kColdRows`, then one with a full matrix, and so on:
/// of `bytes` in all, so that each diagonal is out of a cache that is far smaller. `op` is 0, the first diagonal's.
template <class T>
[[nodiscard]] SyntheticRun<T> make_cold_run(std::uint64_t bytes);
inline constexpr Index kColdRows = 1024;

/// Two factors of kStreamRows, which take with their product about 2 MiB, and full matrices of kStreamRows, each with
/// places of its own.
[[nodiscard]] NumericChain<float> make_stream_chain(std::size_t matrices);
/// Multiplies the factors of such a chain `pauses` times, a level each, and takes plain BP through the matrices, which
/// it reads one after the other, and hardly anything else.
[[nodiscard]] Schedule stream_schedule(std::size_t matrices, std::size_t pauses);
inline constexpr Index kStreamRows = 512;

}  // namespace upsweep
