#include "upsweep/recurrent/pass_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <vector>

#include "block_bench.hpp"
#include "rate_bench.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep {
namespace {

// Steps of the shortest sequence, whatever the caches ask for; of Jacobians where as many lie far out of them.
constexpr std::uint64_t kFewestSteps = 48;
constexpr std::uint64_t kFewestLarge = 16;

/// Where what was measured "near" lies far out of the cache already, or no time is left.
void set_far_as_near(std::initializer_list<UnitCost*> costs) {
  for (UnitCost* cost : costs) {
    cost->alone.far_s = cost->alone.near_s;
    cost->together.far_s = cost->together.near_s;
  }
}

void set_far_as_near(BlockRates& rates) {
  set_far_as_near({&rates.vector_step, &rates.product_start, &rates.matrix_step});
}

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
class PassBench {
 public:
  PassBench(const RecurrentBackend& backend, const PassShape& shape, std::size_t workers, const RateOptions& options)
      : bench_(backend, shape, workers, options), blocks_(bench_), kinds_(options.kinds) {
    kinds_.stored = kinds_.stored && bench_.has(blocked(4, true));
    kinds_.levels = (kinds_.levels || kinds_.stored) && shape.is_fused && bench_.has(levels(1));
    kinds_.stored = kinds_.stored && kinds_.levels;
    kinds_.blocks = kinds_.blocks && bench_.has(blocked(4, false));
    rates_.backend = backend.name();
    rates_.cell = shape.cell;
    rates_.batch = shape.batch;
    rates_.value_bytes = sizeof(T);
    rates_.workers = workers;
    rates_.cache_bytes = bench_.known_cache_bytes();
  }

  [[nodiscard]] PassRates run() {
    const double start = now_seconds();
    bench_.timer().start(timings());
    measure_starts();
    for (const bool far : {false, true}) measure_sequences(far);
    for (const bool far : {false, true}) measure_matrices(far);
    rates_.longest_steps = bench_.longest_steps();
    rates_.measuring_s = now_seconds() - start;
    return rates_;
  }

 private:
  /// Calls of RateTimer::time() in all that follows.
  [[nodiscard]] std::size_t timings() const {
    const auto of = [](bool kind, std::size_t count) { return kind ? count : 0; };
    const std::size_t blocks = blocks_.timings();
    const std::size_t each = 3 + of(kinds_.blocks, blocks) + of(kinds_.levels, 2) + of(kinds_.stored, blocks);
    return 2 + of(kinds_.blocks || kinds_.levels, 1) + of(kinds_.levels, 1) + 2 * each;
  }

  template <class Work>
  [[nodiscard]] Both<double> time_work(const Work& work, bool swept) {
    return bench_.timer().time(swept, [&] { return seconds_of(work); });
  }

  /// Calls measure(*rates), and takes the rates away where memory is too small for its passes.
  template <class Rates, class Measure>
  static void attempt(std::optional<Rates>& rates, const Measure& measure) {
    if (!rates) return;
    try {
      measure(*rates);
    } catch (const BackendError&) {
      rates.reset();
    } catch (const std::bad_alloc&) {
      rates.reset();
    }
  }

  /// What does not depend on lengths, by passes over next to nothing.
  void measure_starts() {
    RateOperands<T> one = bench_.operands(1);
    rates_.sequential_start_s = bench_.time_pass({}, one, false).together.total();
    rates_.parameter_start_s = time_parameters(one, false).together;
    if (!kinds_.blocks && !kinds_.levels) return;
    RateOperands<T> tiny = bench_.tiny_operands(15);
    if (bench_.has(blocked(4, false))) {
      const ScanTimes times = bench_.time_pass(blocked(4, false), tiny, false).together;
      rates_.dispatch_s = (times.up + times.down) / 2;
    }
    if (kinds_.blocks) rates_.blocks.emplace().samples_per_item = blocks_.samples_per_item();
    if (kinds_.stored) rates_.stored.emplace().samples_per_item = blocks_.samples_per_item();
    if (kinds_.levels) {
      // Three levels up, as many down, and the last step.
      const ScanTimes times = bench_.time_pass(levels(BackwardMethod::kFullDepth), tiny, false).together;
      rates_.levels.emplace().level_latency_s = (times.up + times.middle + times.down) / 7;
    }
  }

  /// Passes that store no Jacobians: their working set is that of states and gradients.
  void measure_sequences(bool far) {
    const bool swept = far && bench_.on_processor();
    const double caches = !far ? kNearShare : bench_.on_processor() ? kSweptShare : kFarShare;
    const std::uint64_t fewest = rates_.blocks ? std::max(kFewestSteps, blocks_.fewest_steps()) : kFewestSteps;
    const std::uint64_t bytes = sequence_bytes_per_step(rates_.cell, rates_.batch, sizeof(T));
    const std::uint64_t steps = bench_.steps_for(caches, bytes, fewest);
    RateOperands<T> of = bench_.operands(steps);
    const Both<ScanTimes> pass = bench_.time_pass({}, of, swept);
    set_cost(rates_.sequential_step, far, {pass.alone.total(), pass.together.total()}, rates_.sequential_start_s,
             steps);
    set_cost(rates_.parameter_step, far, time_parameters(of, far), rates_.parameter_start_s, steps);
    const CellWeights<T> weights = initial_weights<T>(rates_.cell, RateBench<T>::kSeed);
    const auto forward = [&] { run_forward<T>(weights, of.inputs, steps, rates_.batch, {}, of.states); };
    attempt(rates_.blocks, [&](BlockRates& rates) {
      if (far && bench_.timer().is_late()) {
        set_far_as_near(rates);
      } else {
        blocks_.measure(rates, of, false, far, rates_.dispatch_s);
      }
    });
    set_cost(rates_.forward_step, far, time_work(forward, far), 0, steps);
  }

  [[nodiscard]] Both<double> time_parameters(const RateOperands<T>& of, bool swept) {
    HeadResult<T> head;
    head.logits_gradient.assign(rates_.batch * rates_.cell.classes, T(0));
    CellWeights<T> gradients = zero_weights<T>(rates_.cell);
    const auto work = [&] { parameter_gradients<T>(of.weights, of.states, of.inputs, of.gradients, head, gradients); };
    return time_work(work, swept);
  }

  /// Passes over stored Jacobians: their working set is that of these.
  void measure_matrices(bool far) {
    const std::uint64_t fewest = bench_.is_far(kFewestLarge) ? kFewestLarge : kFewestSteps;
    const std::uint64_t steps = bench_.steps_for(far ? kFarShare : kNearShare, bench_.jacobian_bytes(), fewest);
    attempt(rates_.levels, [&](LevelRates& rates) {
      if (far && (steps == fewest || bench_.timer().is_late())) {
        set_far_as_near({&rates.jacobian, &rates.product, &rates.vector_product, &rates.fold_step});
        return;
      }
      RateOperands<T> of = bench_.operands(steps);
      measure_levels(rates, of, far);
    });
    if (!rates_.levels) rates_.stored.reset();
    attempt(rates_.stored, [&](BlockRates& rates) {
      const std::uint64_t fewest_here = std::max(fewest, blocks_.fewest_steps());
      if (far && (steps <= fewest_here || bench_.timer().is_late())) {
        set_far_as_near(rates);
        return;
      }
      RateOperands<T> of = bench_.operands(std::max(steps, fewest_here));
      blocks_.measure(rates, of, true, far, rates_.dispatch_s);
    });
  }

  void measure_levels(LevelRates& rates, RateOperands<T>& of, bool far) {
    const auto batch = static_cast<double>(rates_.batch);
    const auto count = static_cast<double>(of.states.steps - 1);
    const Both<ScanTimes> linear = bench_.time_pass(levels(0), of, false);
    set_cost(rates.jacobian, far, {linear.alone.jacobians, linear.together.jacobians}, 0, count * batch);
    set_cost(rates.fold_step, far, {linear.alone.middle, linear.together.middle}, 0, count);
    // Three levels, since a level reads its operands more scattered than the one before.
    const HomogeneousProfile profile =
        profile_homogeneous(fused_chain(rates_.cell.hidden, of.states.steps), 3, sizeof(T));
    const Both<ScanTimes> scan = bench_.time_pass(levels(3), of, false);
    set_cost(rates.product, far, {scan.alone.up, scan.together.up}, 0, batch * live_ops(profile, Phase::up, false));
    set_cost(rates.vector_product, far, {scan.alone.down, scan.together.down}, 0,
             batch * live_ops(profile, Phase::down, true));
  }

  RateBench<T> bench_;
  BlockBench<T> blocks_;
  RateKinds kinds_;
  PassRates rates_;
};

}  // namespace

RateKinds rate_kinds(const std::vector<BackwardMethod>& methods) {
  RateKinds kinds{false, false, false};
  for (const BackwardMethod& method : methods) {
    const bool is_blocked = method.kind == BackwardKind::blocked;
    const bool is_stored = is_blocked && method.blocks.store_jacobians;
    kinds.levels = kinds.levels || is_stored || method.kind == BackwardKind::levels;
    kinds.blocks = kinds.blocks || (is_blocked && !is_stored);
    kinds.stored = kinds.stored || is_stored;
  }
  return kinds;
}

template <class T>
PassRates measure_pass_rates(const RecurrentBackend& backend, const PassShape& shape, std::size_t workers,
                             const RateOptions& options) {
  require_valid(shape.cell);
  if (shape.batch == 0 || workers == 0 || options.repetitions == 0) {
    throw std::invalid_argument(
        fmt::format("rates of {} samples with {} workers from {} repetitions, accepted is 1 or more of each",
                    shape.batch, workers, options.repetitions));
  }
  if (!(options.most_seconds >= 0)) {
    throw std::invalid_argument(fmt::format("rates in {} seconds, accepted is 0 or more", options.most_seconds));
  }
  PassShape any = shape;
  any.steps = 1;
  const std::string reason = unsupported_pass(backend, {}, any);
  if (!reason.empty()) throw std::invalid_argument(reason);
  return PassBench<T>(backend, any, workers, options).run();
}

template PassRates measure_pass_rates<float>(const RecurrentBackend&, const PassShape&, std::size_t,
                                             const RateOptions&);
template PassRates measure_pass_rates<double>(const RecurrentBackend&, const PassShape&, std::size_t,
                                              const RateOptions&);

}  // namespace upsweep
