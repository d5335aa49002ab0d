#include "upsweep/recurrent/pass_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rate_operands.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep {
namespace {

// Where the size of the cache is not known.
constexpr std::uint64_t kUsualCache = std::uint64_t{32} << 20;
// Steps of the shortest and the longest sequence, whatever the caches ask for.
constexpr double kFewestSteps = 48;
constexpr double kMostSteps = 1 << 19;
// Working sets by the size of the cache: those that stay in it, those that other data displaces before every run, and
// those that displace themselves.
constexpr double kNearShare = 0.125;
constexpr double kSweptShare = 0.5;
constexpr double kFarShare = 2.5;
// Samples whose vectors a blocked scan of this processor takes through a step together.
constexpr std::size_t kSamplesPerItem = 8;
constexpr std::size_t kMostRepetitions = 1000;
constexpr std::uint64_t kSeed = 20200301;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The medians of the phases, each on its own.
ScanTimes median(std::vector<ScanTimes> runs) {
  const auto of = [&](double ScanTimes::*phase) {
    std::vector<double> values;
    for (const ScanTimes& run : runs) values.push_back(run.*phase);
    return median(std::move(values));
  };
  return {of(&ScanTimes::jacobians), of(&ScanTimes::up), of(&ScanTimes::middle), of(&ScanTimes::down)};
}

/// Times of one worker and of all.
template <class Times>
struct Both {
  Times alone;
  Times together;
};

/// Seconds per unit of `units` that took `seconds`, of which `start` does not depend on how many there are.
template <class Units>
void set(UnitCost& cost, bool far, const Both<double>& seconds, double start, Units units) {
  // Where the clock did not move, or a start was slower than a whole pass: no cost is 0.
  constexpr double kLeast = 1e-12;
  const auto each = [&](double all) { return std::max(kLeast, all - start) / static_cast<double>(units); };
  (far ? cost.alone.far_s : cost.alone.near_s) = each(seconds.alone);
  (far ? cost.together.far_s : cost.together.near_s) = each(seconds.together);
}

BackwardMethod levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }
BackwardMethod blocked(std::size_t blocks, bool stored) { return {BackwardKind::blocked, 0, {blocks, 1, stored}}; }

/// Combines of one kind in one phase that a schedule cannot do without.
double live_ops(const HomogeneousProfile& profile, Phase phase, bool vectors) {
  double ops = 0;
  for (const LevelRun& levels : profile.runs) {
    for (const HomogeneousLevel& level : levels.cycle) {
      if (level.profile.phase != phase) continue;
      for (const OpRun& run : level.runs) {
        if (!run.dead && run.is_mv == vectors) ops += static_cast<double>(run.count);
      }
    }
  }
  return ops;
}

template <class T>
class RateBench {
 public:
  RateBench(const std::string& backend, const PassShape& shape, std::size_t workers, const RateOptions& options)
      : backend_(backend),
        shape_(shape),
        workers_(workers),
        options_(options),
        on_processor_(backend == "cpu" || backend == "reference"),
        known_cache_(options.cache_bytes > 0 ? options.cache_bytes : recurrent_facts(backend).cache_bytes),
        cache_(known_cache_ > 0 ? known_cache_ : kUsualCache),
        sweep_(cache_) {}

  [[nodiscard]] PassRates run() {
    const double start = now();
    rates_.backend = backend_;
    rates_.cell = shape_.cell;
    rates_.batch = shape_.batch;
    rates_.value_bytes = sizeof(T);
    rates_.workers = workers_;
    rates_.cache_bytes = known_cache_;
    measure_starts();
    for (const bool far : {false, true}) {
      measure_sequences(far);
      if (rates_.levels) measure_matrices(far);
    }
    rates_.measuring_s = now() - start;
    return rates_;
  }

 private:
  [[nodiscard]] bool has(const BackwardMethod& method) const {
    return unsupported_pass(backend_, method, shape_).empty();
  }

  /// Calls measure() with all workers and with one.
  template <class Measure>
  [[nodiscard]] auto with_both(const Measure& measure) -> Both<decltype(measure())> {
    const ThreadLimit all(workers_);
    const auto together = measure();
    if (workers_ == 1 || !on_processor_) return {together, together};
    const ThreadLimit one(1);
    return {measure(), together};
  }

  /// Calls run() again and again, with all workers and with one; `swept`: after other data has displaced its operands.
  template <class Run>
  [[nodiscard]] auto time(bool swept, const Run& run) {
    return with_both([&] {
      // Caches take some runs to settle.
      const double start = now();
      do run();
      while (now() - start < options_.min_seconds / 2);
      std::vector<decltype(run())> times;
      double seconds = 0;
      while (times.size() < options_.repetitions ||
             (!swept && seconds < options_.min_seconds && times.size() < kMostRepetitions)) {
        if (swept) sweep_.run();
        const double begin = now();
        times.push_back(run());
        seconds += now() - begin;
      }
      return median(std::move(times));
    });
  }

  /// Phases of a pass.
  [[nodiscard]] Both<ScanTimes> time_pass(const BackwardMethod& method, RateOperands<T>& of, bool swept) {
    const PassShape shape{of.states.shape, of.states.steps, of.states.batch, shape_.is_fused};
    const auto pass = make_backward_pass<T>(backend_, method, shape);
    pass->load(of.weights, of.states, of.last, of.gradients);
    return time(swept, [&] { return pass->run(); });
  }

  template <class Work>
  [[nodiscard]] Both<double> time_work(const Work& work, bool swept) {
    return time(swept, [&] {
      const double start = now();
      work();
      return now() - start;
    });
  }

  [[nodiscard]] RateOperands<T> operands(std::uint64_t steps) {
    rates_.longest_steps = std::max<std::size_t>(rates_.longest_steps, steps);
    return rate_operands<T>(shape_.cell, steps, shape_.batch, kSeed);
  }

  /// Steps that make a working set of `caches` times the cache.
  [[nodiscard]] std::uint64_t steps_for(double caches, std::uint64_t bytes_per_step) const {
    const double steps = caches * static_cast<double>(cache_) / static_cast<double>(bytes_per_step);
    return static_cast<std::uint64_t>(std::clamp(steps, kFewestSteps, kMostSteps));
  }

  /// What does not depend on lengths, by passes over next to nothing.
  void measure_starts() {
    RateOperands<T> one = operands(1);
    rates_.sequential_start_s = time_pass({}, one, false).together.total();
    rates_.parameter_start_s = time_parameters(one, false).together;
    RateOperands<T> tiny = rate_operands<T>({shape_.cell.kind, shape_.cell.nonlinearity, 1, 1, 1}, 15, 1, kSeed);
    if (has(blocked(4, false))) {
      rates_.blocks.emplace().samples_per_item = on_processor_ ? kSamplesPerItem : 1;
      rates_.stored = rates_.blocks;
      const ScanTimes times = time_pass(blocked(4, false), tiny, false).together;
      rates_.dispatch_s = (times.up + times.down) / 2;
    }
    if (shape_.is_fused && has(levels(BackwardMethod::kFullDepth))) {
      // Three levels up, as many down, and the last step.
      const ScanTimes times = time_pass(levels(BackwardMethod::kFullDepth), tiny, false).together;
      rates_.levels.emplace().level_latency_s = (times.up + times.middle + times.down) / 7;
    }
  }

  /// Passes that store no Jacobians: their working set is that of states and gradients.
  void measure_sequences(bool far) {
    const bool swept = far && on_processor_;
    const double caches = !far ? kNearShare : on_processor_ ? kSweptShare : kFarShare;
    const std::uint64_t steps = steps_for(caches, sequence_bytes_per_step(shape_.cell, shape_.batch, sizeof(T)));
    RateOperands<T> of = operands(steps);
    const Both<ScanTimes> pass = time_pass({}, of, swept);
    set(rates_.sequential_step, far, {pass.alone.total(), pass.together.total()}, rates_.sequential_start_s, steps);
    set(rates_.parameter_step, far, time_parameters(of, far), rates_.parameter_start_s, steps);
    if (rates_.blocks) measure_blocks(*rates_.blocks, of, false, far);
    const CellWeights<T> weights = initial_weights<T>(shape_.cell, kSeed);
    const auto forward = [&] { run_forward<T>(weights, of.inputs, steps, shape_.batch, {}, of.states); };
    set(rates_.forward_step, far, time_work(forward, far), 0, steps);
  }

  [[nodiscard]] Both<double> time_parameters(const RateOperands<T>& of, bool swept) {
    HeadResult<T> head;
    head.logits_gradient.assign(shape_.batch * shape_.cell.classes, T(0));
    CellWeights<T> gradients = zero_weights<T>(shape_.cell);
    const auto work = [&] { parameter_gradients<T>(of.weights, of.states, of.inputs, of.gradients, head, gradients); };
    return time_work(work, swept);
  }

  /// Passes over stored Jacobians: their working set is that of these.
  void measure_matrices(bool far) {
    const std::uint64_t steps =
        steps_for(far ? kFarShare : kNearShare, jacobian_bytes_per_step(shape_.cell, shape_.batch, sizeof(T)));
    RateOperands<T> of = operands(steps);
    LevelRates& rates = *rates_.levels;
    const auto batch = static_cast<double>(shape_.batch);
    const auto count = static_cast<double>(steps - 1);
    const Both<ScanTimes> linear = time_pass(levels(0), of, false);
    set(rates.jacobian, far, {linear.alone.jacobians, linear.together.jacobians}, 0, count * batch);
    set(rates.fold_step, far, {linear.alone.middle, linear.together.middle}, 0, count);
    // Three levels, since a level reads its operands more scattered than the one before.
    const HomogeneousProfile profile = profile_homogeneous(fused_chain(shape_.cell.hidden, steps), 3, sizeof(T));
    const Both<ScanTimes> scan = time_pass(levels(3), of, false);
    set(rates.product, far, {scan.alone.up, scan.together.up}, 0, batch * live_ops(profile, Phase::up, false));
    set(rates.vector_product, far, {scan.alone.down, scan.together.down}, 0,
        batch * live_ops(profile, Phase::down, true));
    if (rates_.stored) measure_blocks(*rates_.stored, of, true, far);
  }

  /// Blocks that give all workers the same to do.
  void measure_blocks(BlockRates& rates, RateOperands<T>& of, bool stored, bool far) {
    const bool swept = far && on_processor_ && !stored;
    const auto steps = static_cast<double>(of.states.steps);
    const auto workers = static_cast<double>(workers_);
    const std::size_t items = (shape_.batch + rates.samples_per_item - 1) / rates.samples_per_item;
    const Both<ScanTimes> vectors = time_pass(blocked(workers_ + 1, stored), of, swept);
    const double vector_steps = steps * workers / (workers + 1) * static_cast<double>(items);
    set(rates.vector_step, far, {vectors.alone.down, vectors.together.down}, 0, vector_steps);
    // All but the first and the last block become products, while vectors go through the first.
    const Both<ScanTimes> matrices = time_pass(blocked(workers_ + 2, stored), of, swept);
    const double block = steps / (workers + 2);
    const std::size_t rounds = (items + workers_ - 1) / workers_;
    const auto& [alone, together] = rates.vector_step;
    const double first_alone = block * static_cast<double>(items) * (far ? alone.far_s : alone.near_s);
    const double first = block * static_cast<double>(rounds) * workers * (far ? together.far_s : together.near_s);
    set(rates.matrix_step, far, {matrices.alone.up - first_alone, matrices.together.up - first}, 0,
        block * workers * static_cast<double>(shape_.batch));
  }

  std::string backend_;
  PassShape shape_;
  std::size_t workers_;
  RateOptions options_;
  bool on_processor_;
  std::uint64_t known_cache_;
  std::uint64_t cache_;
  CacheSweep sweep_;
  PassRates rates_;
};

}  // namespace

template <class T>
PassRates measure_pass_rates(const std::string& backend, const PassShape& shape, std::size_t workers,
                             const RateOptions& options) {
  require_valid(shape.cell);
  if (shape.batch == 0 || workers == 0 || options.repetitions == 0) {
    throw std::invalid_argument(
        fmt::format("rates of {} samples with {} workers from {} repetitions, accepted is 1 or more of each",
                    shape.batch, workers, options.repetitions));
  }
  PassShape any = shape;
  any.steps = 1;
  const std::string reason = unsupported_pass(backend, {}, any);
  if (!reason.empty()) throw std::invalid_argument(reason);
  return RateBench<T>(backend, any, workers, options).run();
}

template PassRates measure_pass_rates<float>(const std::string&, const PassShape&, std::size_t, const RateOptions&);
template PassRates measure_pass_rates<double>(const std::string&, const PassShape&, std::size_t, const RateOptions&);

}  // namespace upsweep
