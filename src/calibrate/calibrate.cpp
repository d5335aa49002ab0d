#include "upsweep/calibrate/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "dense_rate.hpp"
#include "memory_rates.hpp"
#include "run_rates.hpp"
#include "upsweep/calibrate/fit.hpp"
#include "upsweep/calibrate/synthetic.hpp"
#include "upsweep/machine/op_parts.hpp"
#include "upsweep/machine/walking.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

/// A product with what was measured of it.
struct Sample {
  SyntheticProduct product;
  ScheduleProfile profile;
  OpWork work;
  double seconds = 0;
};

/// Leaves of a product out of the cache what costs of memory stand for: the share of its walks over Y that does not
/// come from the cache, and the time without the rest. See from_memory(). A small share would have costs of walks stand
/// for all else that the fit does not explain, and so would passes: samples whose Y is that large have long rows alone.
void take_walks_out(CostPoint& point, const KindRates& kind, double walked) {
  if (walked < 0.5) walked = 0;
  double cached_s = 0;
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
    if (!is_walking(kWorkNames[i])) continue;
    const double share = is_pass(kWorkNames[i]) ? 0 : walked;
    cached_s += (1 - share) * point.counts[i] * kind.costs.unit_s[i];
    point.counts[i] *= share;
  }
  point.worker_seconds = std::max(0.1 * point.worker_seconds, point.worker_seconds - cached_s);
}

/// A walk over rows in memory takes no less than one over rows in the cache, which no sample says where Y of each fits.
void raise_walks(WorkCosts& memory, const WorkCosts& cache) {
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) {
    if (is_walking(kWorkNames[i])) memory.unit_s[i] = std::max(memory.unit_s[i], cache.unit_s[i]);
  }
}

/// Calibrates one number type on one count of workers.
template <class T>
class TypeCalibration {
 public:
  /// `timing_s`: what timing adds to every run, as measure_latencies() has it.
  TypeCalibration(const Backend& backend, Machine& machine, const Rates& rates, double timing_s)
      : backend_(backend), machine_(machine), rates_(rates), timing_s_(timing_s) {}

  /// `run` is the product, `profile` that of its schedule. Out of the cache more than once: a machine is never quite
  /// quiet, its memory least of all.
  void measure(const SyntheticProduct& product, SyntheticRun<T>& run, const ScheduleProfile& profile) {
    samples_.push_back({product, profile, op_work(profile.ops[run.op], 1, sizeof(T)), seconds_of(run)});
    if (!fits_well(samples_.back())) measure_again(samples_.back(), run);
  }

  /// Fits, measures again what is far from the fit, and fits again.
  void fit(TypeRates& rates) {
    fit_once(rates);
    for (Sample& sample : samples_) {
      if (std::fabs(predicted(sample) / sample.seconds - 1) < 0.2) continue;
      SyntheticRun<T> run = make_synthetic<T>(sample.product);
      measure_again(sample, run);
    }
    fit_once(rates);
  }

  void report(std::vector<CalibrationPoint>& points) const {
    for (const Sample& sample : samples_) {
      points.push_back(
          {sample.product.name, rates_.workers, sizeof(T), fits_well(sample), predicted(sample), sample.seconds});
    }
  }

 private:
  void fit_once(TypeRates& rates) {
    if (machine_.kind == MachineKind::gpu) {
      for (KindRates* kind : {&rates.mv, &rates.mm}) fit_kernels(*kind, kind == &rates.mv);
      return;
    }
    for (KindRates* kind : {&rates.mv, &rates.mm}) {
      for (const bool in_cache : {true, false}) {
        std::vector<CostPoint> points;
        for (const Sample& sample : samples_) {
          if (sample.work.is_mv != (kind == &rates.mv) || !(in_cache ? fits_well(sample) : is_far_larger(sample)))
            continue;
          const FineUnits fine = {in_cache || kind->costs.knows.picked, true, true, true};
          points.push_back({work_counts(sample.work, far_shares(machine_, sample.work, sizeof(T)), fine),
                            busy_seconds(sample) * busy_workers(sample)});
          if (!in_cache) take_walks_out(points.back(), *kind, walked_share(machine_, sample.work));
        }
        if (points.empty()) continue;
        WorkCosts& costs = in_cache ? kind->costs : kind->memory_costs;
        costs = fit_costs(points);
        if (in_cache) {
          const bool picked = kind == &rates.mv && any_has(points, work_unit("picked"));
          const bool is_mm = kind == &rates.mm;
          costs.knows = {.picked = picked, .runs = is_mm, .wide = is_mm, .passes = is_mm};
          continue;
        }
        take_unmeasured(costs, kind->costs, points);
        if (kind == &rates.mm) raise_walks(costs, kind->costs);
      }
    }
  }

  void fit_kernels(KindRates& kind, bool is_mv) {
    std::vector<TimePoint> points;
    for (const Sample& sample : samples_) {
      if (sample.work.is_mv != is_mv) continue;
      const KernelVector counts =
          kernel_work(sample.work, machine_.team_room, sizeof(T), uncached_share(machine_, working_set(sample)));
      points.push_back({{counts.begin(), counts.end()}, busy_seconds(sample)});
    }
    if (!points.empty()) std::ranges::copy(fit_times(points), kind.kernel_costs.unit_s.begin());
  }

  void measure_again(Sample& sample, SyntheticRun<T>& run) const {
    sample.seconds = middle_seconds(sample.seconds, [&] { return seconds_of(run); });
  }

  [[nodiscard]] double seconds_of(SyntheticRun<T>& run) const {
    const double seconds = run_seconds(backend_, run, rates_.workers);
    return std::max(0.1 * seconds, seconds - timing_s_);
  }

  [[nodiscard]] std::uint64_t working_set(const Sample& sample) const {
    return peak_live_bytes(sample.profile.schedule, sample.profile.value_bytes, in_scope(sample.profile, Scope::all));
  }
  /// Long products that fit lose some of it to others meanwhile; what they walk over comes from the cache all the same.
  [[nodiscard]] bool fits_well(const Sample& sample) const { return working_set(sample) <= machine_.cache_bytes; }
  [[nodiscard]] bool is_far_larger(const Sample& sample) const {
    return working_set(sample) >= 3 * machine_.cache_bytes;
  }

  /// Workers of a processor that had a part of a sample.
  [[nodiscard]] double busy_workers(const Sample& sample) const {
    const std::uint64_t parts = op_parts(op_cost(sample.work), rates_.workers);
    return static_cast<double>(std::min<std::uint64_t>(parts, rates_.workers));
  }

  /// Time of a sample without what starting it takes.
  [[nodiscard]] double busy_seconds(const Sample& sample) const {
    const LaunchCosts costs = launch_costs(machine_, rates_);
    return std::max(0.1 * sample.seconds, sample.seconds - costs.op_s - costs.level_s);
  }

  [[nodiscard]] double predicted(const Sample& sample) const {
    return predict_time(sample.profile, machine_, rates_.workers, Execution::level, sizeof(T)).seconds;
  }

  const Backend& backend_;
  Machine& machine_;
  const Rates& rates_;
  double timing_s_;
  std::vector<Sample> samples_;
};

std::vector<std::size_t> worker_counts(std::size_t most, MachineKind kind) {
  if (kind == MachineKind::gpu) return {most};
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

/// Progress over all products of a calibration.
struct Progress {
  const CalibrationOptions& options;
  std::size_t all = 0;
  std::size_t done = 0;

  void next() {
    if (options.progress) options.progress(done, all);
    ++done;
  }
};

template <class T>
std::vector<SyntheticProduct> wanted_products(const Machine& machine, const CalibrationOptions& options) {
  if (options.value_bytes != 0 && options.value_bytes != sizeof(T)) return {};
  const std::vector<SyntheticProduct> products = synthetic_products(machine.cache_bytes, sizeof(T), machine.kind);
  std::vector<SyntheticProduct> wanted;
  for (std::size_t i = 0; i < products.size(); i += options.quick ? 3 : 1) wanted.push_back(products[i]);
  return wanted;
}

/// Measures every product, made once, on every count of workers.
template <class T>
void calibrate_type(const Backend& backend, const std::vector<SyntheticProduct>& products,
                    const std::vector<double>& timing_s, Progress& progress, Calibration& calibration) {
  if (products.empty()) return;
  Machine& machine = calibration.machine;
  std::vector<TypeCalibration<T>> types;
  for (std::size_t i = 0; i < machine.rates.size(); ++i)
    types.emplace_back(backend, machine, machine.rates[i], timing_s[i]);
  for (const SyntheticProduct& product : products) {
    progress.next();
    SyntheticRun<T> run = make_synthetic<T>(product);
    const ScheduleProfile profile = profile_schedules({run.schedule}, run.chain.structure, sizeof(T)).front();
    for (TypeCalibration<T>& type : types) type.measure(product, run, profile);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    TypeRates& mine = sizeof(T) == 8 ? machine.rates[i].fp64 : machine.rates[i].fp32;
    types[i].fit(mine);
    if (machine.kind == MachineKind::cpu) measure_build<T>(machine.rates[i].workers, mine);
    types[i].report(calibration.points);
  }
  if (machine.kind != MachineKind::cpu) return;
  for (Rates& rates : machine.rates) rates.near_latency_s = rates.far_latency_s = 0;
  // Numbers and their places are twice these bytes: more than the near caches hold, no more than the last one does.
  const std::uint64_t beyond_near =
      std::max(machine.cache_bytes / 4, machine.near_cache_bytes * machine.rates.back().workers);
  if (beyond_near <= machine.cache_bytes / 2) measure_latency<T>(backend, machine, beyond_near, &Rates::near_latency_s);
  measure_latency<T>(backend, machine, 4 * machine.cache_bytes, &Rates::far_latency_s);
}

}  // namespace

Calibration calibrate(const Backend& backend, const CalibrationOptions& options) {
  const Availability availability = backend.availability();
  if (!availability.available) throw BackendError(backend.name() + ": " + availability.reason);
  const DeviceFacts facts = backend.facts();
  const MachineKind kind = facts.is_processor ? MachineKind::cpu : MachineKind::gpu;
  constexpr std::uint64_t kUsualCache = std::uint64_t{32} << 20;
  Calibration calibration;
  Machine& machine = calibration.machine;
  machine.name = options.name;
  machine.kind = kind;
  machine.memory_bytes = facts.memory_bytes;
  machine.cache_bytes = facts.cache_bytes > 0 ? facts.cache_bytes : kUsualCache;
  machine.near_cache_bytes = facts.near_cache_bytes;
  machine.first_cache_bytes = facts.first_cache_bytes;
  machine.fill_teams = facts.fill_teams;
  machine.team_room = facts.team_room;
  machine.provenance = {"calibration", facts.device,         facts.driver, backend.name(),
                        options.date,  options.tool_version, {},           {}};
  const std::size_t most = options.most_workers == 0 ? facts.workers : std::min(options.most_workers, facts.workers);
  const std::vector<std::size_t> counts = worker_counts(most, kind);
  // Four times this is read to find where a cache ends, which may take a quarter of the memory.
  const std::uint64_t whole_cache =
      machine.memory_bytes == 0 ? machine.cache_bytes : std::min(machine.cache_bytes, machine.memory_bytes / 16);
  if (kind == MachineKind::cpu) {
    const CacheEdge edge = measured_edge(backend, facts, whole_cache, most);
    set_cache(machine, edge, whole_cache);
    if (edge.outside != 0) calibration.cache_error = edge.error;
  }
  machine.rates.reserve(counts.size());
  std::vector<double> timing_s;  // by rates
  for (const std::size_t count : counts) {
    Rates& rates = machine.rates.emplace_back();
    rates.workers = count;
    timing_s.push_back(measure_latencies(backend, kind, rates));
    if (kind == MachineKind::cpu) {
      const std::uint64_t beyond_cache = machine.from_memory_bytes > 0 ? machine.from_memory_bytes : whole_cache;
      rates.copy_bytes_per_s = copy_bytes_per_s(count, beyond_cache);
    }
    if (kind == MachineKind::gpu && options.copy_bytes_per_s != nullptr)
      rates.copy_bytes_per_s = options.copy_bytes_per_s();
  }
  const std::vector<SyntheticProduct> singles = wanted_products<float>(machine, options);
  const std::vector<SyntheticProduct> doubles = wanted_products<double>(machine, options);
  Progress progress{options, singles.size() + doubles.size()};
  calibrate_type<float>(backend, singles, timing_s, progress, calibration);
  calibrate_type<double>(backend, doubles, timing_s, progress, calibration);
  for (Rates& rates : machine.rates) {
    if (doubles.empty()) rates.fp64 = rates.fp32;
    if (singles.empty()) rates.fp32 = rates.fp64;
    if (kind == MachineKind::gpu) {
      if (options.dense_flops_per_s == nullptr) continue;
      rates.fp32.dense_flops_per_s = options.dense_flops_per_s(sizeof(float));
      rates.fp64.dense_flops_per_s = options.dense_flops_per_s(sizeof(double));
      continue;
    }
    rates.fp32.dense_flops_per_s = dense_flops_per_s<float>(rates.workers);
    rates.fp64.dense_flops_per_s = dense_flops_per_s<double>(rates.workers);
  }
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const CalibrationPoint& point : calibration.points) {
    predicted.push_back(point.predicted_s);
    measured.push_back(point.measured_s);
  }
  machine.provenance.fit = error_figures(predicted, measured);
  return calibration;
}

}  // namespace upsweep
