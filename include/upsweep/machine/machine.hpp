#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/machine/error_figures.hpp"
#include "upsweep/machine/kernel_costs.hpp"
#include "upsweep/machine/published_rates.hpp"
#include "upsweep/machine/small_products.hpp"
#include "upsweep/machine/sparse_product.hpp"
#include "upsweep/machine/team_groups.hpp"
#include "upsweep/machine/work_costs.hpp"

namespace upsweep {

/// What a machine's time depends on.
enum class MachineKind {
  pram,  ///< P workers, every op on one of them
  cpu,   ///< threads that share the parts of an op
  gpu,   ///< a device that an op fills as far as it has rows
};

/// "pram", "cpu" or "gpu".
[[nodiscard]] std::string to_string(MachineKind kind);

/// How the kernels of a run are started on a gpu. A processor or a pram has no such choice.
enum class LaunchMode {
  eager,  ///< the host issues them one by one into streams
  graph,  ///< all at once, as a graph that the device works off
  fused,  ///< the same with one kernel for all ops of a level
};

inline constexpr std::array kLaunchModes = {LaunchMode::eager, LaunchMode::graph, LaunchMode::fused};

/// "eager", "graph" or "fused".
[[nodiscard]] std::string to_string(LaunchMode mode);

/// The mode of that name, or nothing.
[[nodiscard]] std::optional<LaunchMode> launch_mode(std::string_view name);

/// How fast one kind of combine goes: its time is the larger of arithmetic and memory time.
struct KindRates {
  WorkCosts costs;           ///< arithmetic, measured in the cache; all 0 on a datasheet
  WorkCosts memory_costs;    ///< memory, measured far out of the cache, where a unit's time is that of its bytes
  KernelCosts kernel_costs;  ///< of a calibrated gpu, instead of all others: arithmetic and memory
  double flops_per_s = std::numeric_limits<double>::infinity();  ///< arithmetic of all workers, from a datasheet
  double bytes_per_s = std::numeric_limits<double>::infinity();  ///< memory, all workers together
  double cached_bytes_per_s =
      std::numeric_limits<double>::infinity();  ///< the same while everything stays in the cache

  friend bool operator==(const KindRates&, const KindRates&) = default;
};

/// Seconds of writing Jacobians, all workers together, where something is known.
struct BuildRates {
  std::optional<double> value_s = {};   ///< for each value of an operator that has a weight
  std::optional<double> row_s = {};     ///< for each row of such an operator, besides its values
  std::optional<double> weight_s = {};  ///< for each of its weights, besides both

  /// Of a convolution that is pruned, whose rows go over a list of weights: for each value, row and weight, kept or
  /// not; for each weight that is kept; and for each that a row goes over and that reaches no output from there, off
  /// the image. Without the first, the rates above count for it.
  std::optional<double> pruned_value_s = {};
  std::optional<double> pruned_row_s = {};
  std::optional<double> pruned_weight_s = {};
  std::optional<double> kept_s = {};
  std::optional<double> miss_s = {};

  /// Of linear operators of one vector, for each value and for each weight, kept or not. Unless both are there, the
  /// first three count.
  std::optional<double> linear_value_s = {};
  std::optional<double> linear_weight_s = {};
  /// The same where weights and values of all operators stay in the cache, see uncached_share(). Unless
  /// both are there, the last two count there, too.
  std::optional<double> linear_cached_value_s = {};
  std::optional<double> linear_cached_weight_s = {};

  /// Of poolings and other windows without a weight, for each row and each value. Unless both are there, the next one
  /// counts.
  std::optional<double> pooling_row_s = {};
  std::optional<double> pooling_value_s = {};
  /// For each value of any other operator; without it, the first three count.
  std::optional<double> other_value_s = {};

  friend bool operator==(const BuildRates&, const BuildRates&) = default;
};

/// A rate of BuildRates by its name in machine files.
struct BuildRate {
  const char* name;
  std::optional<double> BuildRates::*seconds;
};
inline constexpr std::array kBuildRates = {
    BuildRate{"build_value", &BuildRates::value_s},
    BuildRate{"build_row", &BuildRates::row_s},
    BuildRate{"build_weight", &BuildRates::weight_s},
    BuildRate{"build_pruned_value", &BuildRates::pruned_value_s},
    BuildRate{"build_pruned_row", &BuildRates::pruned_row_s},
    BuildRate{"build_pruned_weight", &BuildRates::pruned_weight_s},
    BuildRate{"build_kept", &BuildRates::kept_s},
    BuildRate{"build_miss", &BuildRates::miss_s},
    BuildRate{"build_linear_value", &BuildRates::linear_value_s},
    BuildRate{"build_linear_weight", &BuildRates::linear_weight_s},
    BuildRate{"build_linear_cached_value", &BuildRates::linear_cached_value_s},
    BuildRate{"build_linear_cached_weight", &BuildRates::linear_cached_weight_s},
    BuildRate{"build_pooling_row", &BuildRates::pooling_row_s},
    BuildRate{"build_pooling_value", &BuildRates::pooling_value_s},
    BuildRate{"build_other_value", &BuildRates::other_value_s},
};

/// Rates of one number type.
struct TypeRates {
  KindRates mv;
  KindRates mm;
  BuildRates build;
  double dense_flops_per_s = 0;  ///< of dense products, all workers together; 0: not said, see dense_rate()

  /// FLOP/s of dense products: what is said, else the peak of a datasheet; nothing where neither is known.
  [[nodiscard]] std::optional<double> dense_rate() const;

  friend bool operator==(const TypeRates&, const TypeRates&) = default;
};

/// Rates while a number of workers is active.
struct Rates {
  std::size_t workers = 1;
  double op_latency_s = 0;  ///< dispatch of one op; gpu: from the end of a kernel of a graph to the start of the next
  double level_latency_s = 0;   ///< synchronisation after a level; gpu: of the whole device, or of kernels in a stream
  double stream_latency_s = 0;  ///< gpu: of a level besides, for each op beyond two that it has at a time
  std::optional<double> host_launch_s = std::nullopt;  ///< gpu: of the host for a kernel that it issues; where known
  double near_latency_s = 0;    ///< cpu: of an op besides, whose numbers have left the near caches
  double far_latency_s = 0;     ///< cpu: of an op besides that, until a cold memory delivers as fast as it can
  double copy_bytes_per_s = 0;  ///< measured, bytes read and written, far out of the cache; 0: not known
  TypeRates fp32;
  TypeRates fp64;
  bool has_fp64 = true;  ///< false: nothing is said of them, `fp64` is that of fp32, and of(8) throws

  /// Of numbers of 4 or 8 bytes. Throws InputError for those of 8 where nothing is said of them.
  [[nodiscard]] const TypeRates& of(unsigned value_bytes) const;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// Where the numbers of a machine come from.
struct Provenance {
  std::string origin;  ///< "datasheet", "calibration", "definition"; "description": a file says nothing
  std::string device;
  std::string driver;
  std::string backend;
  std::string date;  ///< ISO 8601
  std::string tool_version;
  ErrorFigures fit;                            ///< of a calibration
  std::map<std::string, std::string> sources;  ///< by key of the machine file: what says so

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// What starting kernels or ops costs, seconds.
struct LaunchCosts {
  double op_s = 0;          ///< before each op
  double level_s = 0;       ///< of a level, however many ops it has
  double wide_level_s = 0;  ///< besides, of a level in which an input has several ops
  double stream_s = 0;      ///< besides, for each of its ops beyond two, up to `streams` of them
  std::uint64_t streams = 1;
  double host_s = 0;  ///< of the host for each op, one after the other while the device works

  /// Besides the ops of a level with `count` of them.
  [[nodiscard]] double joining_s(std::uint64_t count) const {
    const std::uint64_t at_once = std::min(count, streams);
    return wide_level_s + (at_once > 2 ? static_cast<double>(at_once - 2) * stream_s : 0);
  }
  /// From one kernel to the next, each a level of its own, on the device.
  [[nodiscard]] double kernel_s() const { return op_s + level_s; }
};

/// A machine model: numbers in, seconds out. Knows neither schedules nor chains.
struct Machine {
  std::string name;
  MachineKind kind = MachineKind::pram;
  LaunchMode launch = LaunchMode::graph;  ///< of the runs that it predicts: no figure of the machine, see launched()
  std::uint64_t memory_bytes = 0;         ///< 0: not known
  std::uint64_t cache_bytes = 0;          ///< of the last level that all workers share; 0: not known. Of a cpu that was
                                          ///< calibrated: the largest working set that stays there
  std::uint64_t near_cache_bytes = 0;     ///< of the largest level that a worker has to itself; 0: not known
  std::uint64_t first_cache_bytes = 0;    ///< of the first level; 0: not known
  std::uint64_t from_memory_bytes = 0;    ///< cpu: working sets of which all comes from memory; 0: not measured
  double churn_bytes_per_s = 0;           ///< cpu: what others bring into a cache that it shares with them
  std::uint64_t fill_teams = 1;           ///< gpu: teams of rows that keep the whole device busy
  TeamRoom team_room;                     ///< gpu: for kernel_costs
  std::vector<Rates> rates;               ///< by workers, ascending; at least one
  Provenance provenance;
  std::optional<SmallProducts> small_products;  ///< of a gpu, where known
  std::vector<std::string> names = {};          ///< of the device in published tables, besides provenance.device
  /// Of libraries on a gpu, fitted to published times. The datasheet's rates stay beside them.
  std::vector<PublishedRates> published = {};
  /// Whose rates sparse products have; empty: that of the first rates of products, where there are some. No figure of
  /// the machine, see with_library().
  std::string library = {};
  /// Of the times of products by published rates: 1, or an end of their interval, see at_bound().
  double product_factor = 1;

  [[nodiscard]] std::size_t workers() const { return rates.back().workers; }  ///< most threads or streams
  /// Rates with `active` workers: those of the largest entry that is no larger, else the first.
  [[nodiscard]] const Rates& at(std::size_t active) const;
  /// Rates of sparse products, or null: they are priced by the datasheet.
  [[nodiscard]] const PublishedRates* product_rates() const;
};

/// How far from a worker of the machine a combine works; 0 where the machine's caches are not known.
[[nodiscard]] FarShares far_shares(const Machine& machine, const OpWork& work, unsigned value_bytes);

/// How much of a working set has to come from memory; all where no cache is known. Where it was measured nothing up to
/// the size of the cache, all from `from_memory_bytes` on, otherwise nothing up to half of the cache and all from its
/// size on; in proportion between.
[[nodiscard]] double uncached_share(const Machine& machine, std::uint64_t working_set);

/// Whether launched() has the machine with that mode.
[[nodiscard]] bool can_launch(const Machine& machine, LaunchMode mode);

/// The machine with another way to start kernels. Throws std::invalid_argument, in a sentence for users, where it is no
/// gpu, and for eager where it has no host_launch.
[[nodiscard]] Machine launched(Machine machine, LaunchMode mode);

/// The name under which sparse products are priced by the datasheet alone.
inline constexpr const char* kRoofline = "roofline";

/// The machine with another library's sparse products: one of its published rates, or kRoofline. Throws
/// std::invalid_argument, in a sentence for users, where it has none of that name.
[[nodiscard]] Machine with_library(Machine machine, const std::string& library);

/// Kernels that stream reach half to all of a datasheet's bandwidth: of CUB's and other scans over 2^28 elements and
/// more, published times are 1.1 to 2.9 times their bytes over it, 1.1 to 1.7 for values of at least two bytes.
inline constexpr double kRooflineSlack = 2;

/// The machine at the low (fast) or high end of its 80 % intervals: products by published rates by their interval; what
/// is priced by a gpu's datasheet from as predicted to kRooflineSlack times that. Nothing without rates of products.
[[nodiscard]] std::optional<Machine> at_bound(const Machine& machine, bool high);

/// What starting costs where `rates` hold, which are of `machine`.
///
/// On a processor or pram every op takes op_latency and every level ends with a barrier, level_latency. On a gpu one
/// kernel after the other needs none: it takes op_latency in a graph; where the host issues it level_latency, and the
/// host host_launch for each kernel of the level. A level with several ops of an input joins them with a barrier,
/// level_latency, and stream_latency for each beyond two that it has at a time; fused ones are one kernel.
[[nodiscard]] LaunchCosts launch_costs(const Machine& machine, const Rates& rates);

/// Time of one combine.
struct OpTime {
  double alone_s = 0;    ///< from dispatch to end, with the machine to itself
  double machine_s = 0;  ///< share of the whole machine that it takes: seconds in which nothing else could run
};

/// Where a combine runs.
struct OpPlace {
  std::size_t workers = 1;        ///< of the run
  std::size_t active = 1;         ///< that have something to do while it runs
  unsigned value_bytes = 4;       ///< 4 or 8
  std::uint64_t working_set = 0;  ///< bytes that the run comes back to in every iteration, or cache_traffic() of them
};

/// Time of a combine: LaunchCosts::op_s + the larger of arithmetic and cache time, and as much of what memory takes
/// longer than that as uncached_share() says; what waits on memory is not slowed down by standing alone.
///
/// A pram worker has an op to itself. A cpu cuts it into op_parts() parts, each of which waits for near_latency_s as
/// far as `working_set` has left the near caches, and for far_latency_s as far as it comes from memory. A gpu gives it
/// the share of the device that its teams can fill. Memory time is bytes over bandwidth or, where it was measured, that
/// of the units of work. A sparse product on a gpu with rates of a library takes product_seconds() of the whole device.
/// On a calibrated gpu an op takes its waits and its work of kernel_work(); the whole device is busy with the work, one
/// stream with both.
[[nodiscard]] OpTime op_time(const Machine& machine, const OpWork& work, const OpPlace& place);

}  // namespace upsweep
