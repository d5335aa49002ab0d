#include "upsweep/recurrent/validate_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/laps.hpp"
#include "upsweep/base/measuring.hpp"

namespace upsweep {
namespace {

/// The run with the median total; the mean of the two in the middle for an even number.
ScanTimes median_run(std::vector<ScanTimes> runs) {
  std::ranges::sort(runs, {}, &ScanTimes::total);
  const ScanTimes& a = runs[(runs.size() - 1) / 2];
  const ScanTimes& b = runs[runs.size() / 2];
  return {(a.jacobians + b.jacobians) / 2, (a.up + b.up) / 2, (a.middle + b.middle) / 2, (a.down + b.down) / 2};
}

template <class T>
double largest(std::span<const T> numbers) {
  double most = 0;
  for (const T x : numbers) most = std::max(most, std::fabs(static_cast<double>(x)));
  return most;
}

/// Throws ExplodingGradient where a gradient is not finite as a T.
template <class T>
void require_finite(const HiddenGradientOracle& oracle, const ForwardStates<T>& states) {
  const std::size_t stride = states.batch * states.shape.hidden;
  for (std::size_t t = states.steps + 1; t-- > 0;) {
    for (std::size_t i = 0; i < stride; ++i) {
      const double g = oracle.gradient[t * stride + i];
      if (!(std::fabs(g) <= static_cast<double>(std::numeric_limits<T>::max())))
        throw ExplodingGradient(t, states.steps, i / states.shape.hidden);
    }
  }
}

/// A batch, its forward pass, and the oracles of its gradients.
template <class T>
class Runner {
 public:
  Runner(const SequenceBatch<T>& batch, bool is_fused, const RecurrentBackends& backends, const PassesOptions& options)
      : batch_(batch),
        backends_(backends),
        options_(options),
        repetitions_{options.repetitions, options.min_seconds},
        shape_{batch.weights.shape, batch.steps, batch.labels.size(), is_fused} {}

  PassesValidation run(const std::vector<PassRequest>& requests) {
    run_forward_here();
    for (const PassRequest& request : requests) run_forward_for(request.backend);
    form_oracles();
    for (const PassRequest& request : requests) {
      options_.progress(to_string(request.method));
      result_.passes.push_back(run_pass(request));
    }
    measure_drift();
    return std::move(result_);
  }

 private:
  void run_forward_here() {
    OuterOutcome& here = result_.outer.emplace_back();
    here.backend = cpu_recurrent_backend().name();
    const auto forward = [&] {
      return seconds_of([&] {
        run_forward<T>(batch_.weights, batch_.inputs, batch_.steps, batch_.labels.size(), {}, states_);
        head_ = run_head<T>(batch_.weights, states_.at(batch_.steps), batch_.labels);
      });
    };
    here.forward_s = median(repeat(repetitions_, forward));
    here.states = compare_states<T>(batch_.weights, batch_.inputs, states_);
    result_.loss = head_.loss;
  }

  /// What came of the outer passes there; null where they have not been run.
  OuterOutcome* outcome_on(const std::string& backend) {
    const auto found = std::ranges::find(result_.outer, backend, &OuterOutcome::backend);
    return found == result_.outer.end() ? nullptr : &*found;
  }

  /// The forward pass beside the passes of a backend, once for all requests.
  void run_forward_for(const std::string& name) {
    const OuterBackend& backend = backends_(name).outer();
    if (outcome_on(backend.name()) == nullptr) run_forward_on(backend);
    std::vector<std::string>& serves = outcome_on(backend.name())->serves;
    if (std::ranges::find(serves, name) == serves.end()) serves.push_back(name);
  }

  void run_forward_on(const OuterBackend& backend) {
    options_.progress(fmt::format("the forward pass on {}", backend.name()));
    OuterOutcome& there = result_.outer.emplace_back();
    there.backend = backend.name();
    there.failure = backend.unsupported_forward(shape_);
    if (!there.failure.empty()) return;
    try {
      const std::unique_ptr<ForwardPass<T>> pass = make_forward_pass<T>(backend, shape_);
      ForwardStates<T> states;
      pass->load(batch_.weights, batch_.inputs, states);
      there.forward_s = median(repeat(repetitions_, [&] { return pass->run(); }));
      there.notes = pass->notes();
      pass->fetch();
      there.states = compare_states<T>(batch_.weights, batch_.inputs, states);
    } catch (const NonFiniteState& error) {
      there.states.mismatch = error.what();  // here all states were finite
      there.states.worst_share = std::numeric_limits<double>::infinity();
    } catch (const BackendError& error) {
      there.failure = error.what();
    }
  }

  void form_oracles() {
    options_.progress("back-propagation in double precision, for the bounds");
    result_.oracle_s = seconds_of([&] {
      hidden_ = hidden_gradient_oracle<T>(batch_.weights, states_, head_.hidden_gradient);
      require_finite(hidden_, states_);
      parameters_ = parameter_oracle<T>(batch_.weights, states_, batch_.inputs, hidden_, head_);
    });
    const std::span<const double> gradients = hidden_.gradient;
    const std::size_t stride = batch_.labels.size() * shape_.cell.hidden;
    result_.gradient_first = largest(gradients.first(stride));
    result_.gradient_last = largest(gradients.last(stride));
    for (std::size_t t = 0; t <= batch_.steps; ++t) {
      if (largest(gradients.subspan(t * stride, stride)) >= static_cast<double>(std::numeric_limits<T>::min()))
        ++result_.live_states;
    }
  }

  /// Machines change their speed, and others use them: the first pass runs again.
  void measure_drift() {
    if (result_.passes.size() < 2 || !result_.passes.front().ran()) return;
    const PassOutcome again = run_pass(result_.passes.front().request);
    if (again.ran()) result_.drift = again.times.total() / result_.passes.front().times.total();
  }

  PassOutcome run_pass(const PassRequest& request) {
    PassOutcome outcome;
    outcome.request = request;
    const RecurrentBackend& backend = backends_(request.backend);
    outcome.failure = unsupported_pass(backend, request.method, shape_);
    if (!outcome.failure.empty()) return outcome;
    try {
      Laps planning;
      std::unique_ptr<BackwardPass<T>> pass = make_backward_pass<T>(backend, request.method, shape_);
      outcome.plan_seconds = planning.lap();
      // A pass that writes nothing must not pass as one that was right before.
      std::vector<T> gradients(states_.hidden.size(), std::numeric_limits<T>::quiet_NaN());
      pass->set_inputs(batch_.inputs);
      pass->load(batch_.weights, states_, head_.hidden_gradient, gradients);
      bool is_first = true;
      const auto once = [&] {
        Laps wall;
        const ScanTimes times = pass->run();
        // A device loads kernels and captures its graph in the first run, which those times leave out.
        if (std::exchange(is_first, false)) outcome.plan_seconds += std::max(0.0, wall.lap() - times.total());
        return times;
      };
      std::vector<ScanTimes> runs = repeat(repetitions_, once, &ScanTimes::total);
      pass->fetch();
      outcome.repetitions = runs.size();
      outcome.fastest_seconds = std::ranges::min(runs, {}, &ScanTimes::total).total();
      outcome.times = median_run(std::move(runs));
      outcome.flops = pass->flops();
      outcome.bytes = pass->bytes();
      outcome.notes = pass->notes();
      outcome.is_whole = pass->gives_all();
      pass.reset();  // the parameter gradients need memory there, too
      compare(gradients, outcome);
    } catch (const BackendError& error) {
      outcome.failure = error.what();  // the device is no longer there, or too small
    }
    return outcome;
  }

  /// Compares g_0 of a pass that repeats the forward pass with roundings of its own, which the bound does not know.
  void compare_first(const std::vector<T>& gradients, PassOutcome& outcome) const {
    constexpr double kTolerance = std::is_same_v<T, float> ? 1e-3 : 1e-9;
    const std::size_t stride = batch_.labels.size() * shape_.cell.hidden;
    const double scale = std::max(result_.gradient_first, static_cast<double>(std::numeric_limits<T>::min()));
    outcome.hidden.elements = stride;
    for (std::size_t i = 0; i < stride; ++i) {
      const double difference = std::fabs(static_cast<double>(gradients[i]) - hidden_.gradient[i]) / scale;
      if (!(difference <= outcome.hidden.worst_relative)) outcome.hidden.worst_relative = difference;
      if (difference <= kTolerance || outcome.hidden.mismatch) continue;
      outcome.hidden.mismatch = fmt::format(
          "gradient of h_0 of sample {}: element {} is {:.9g}, expected {:.9g}, accepted is a difference of "
          "{:g} of the largest, {:.3g}",
          i / shape_.cell.hidden, i % shape_.cell.hidden, static_cast<double>(gradients[i]), hidden_.gradient[i],
          kTolerance, scale);
    }
    outcome.hidden.worst_share = outcome.hidden.worst_relative / kTolerance;
  }

  void compare(const std::vector<T>& gradients, PassOutcome& outcome) {
    if (!outcome.is_whole) {
      compare_first(gradients, outcome);
      return;
    }
    outcome.hidden = compare_hidden_gradients<T>(states_, hidden_, gradients);
    const CellWeights<T> found = parameters_on(backends_(outcome.request.backend).outer(), gradients);
    outcome.parameters = compare_parameters<T>(parameters_, found);
    if (!result_.outer.front().parameters_s)
      static_cast<void>(parameters_on(cpu_recurrent_backend().outer(), gradients));  // for its time
  }

  /// The parameter gradients by a backend, measured the first time that it forms some.
  CellWeights<T> parameters_on(const OuterBackend& backend, const std::vector<T>& gradients) {
    CellWeights<T> found;
    const std::unique_ptr<ParameterPass<T>> pass = make_parameter_pass<T>(backend, shape_);
    pass->load(batch_.weights, states_, batch_.inputs, gradients, head_, found);
    // What is not written must not pass as right.
    for (const std::span<T> array : found.arrays())
      std::fill(array.begin(), array.end(), std::numeric_limits<T>::quiet_NaN());
    OuterOutcome* const outer = outcome_on(backend.name());
    if (outer->parameters_s) {
      static_cast<void>(pass->run());
    } else {
      outer->parameters_s = median(repeat(repetitions_, [&] { return pass->run(); }));
      const std::vector<std::string> notes = pass->notes();
      outer->notes.insert(outer->notes.end(), notes.begin(), notes.end());
    }
    pass->fetch();
    return found;
  }

  const SequenceBatch<T>& batch_;
  const RecurrentBackends& backends_;
  const PassesOptions& options_;
  Repetitions repetitions_;
  PassShape shape_;
  ForwardStates<T> states_;
  HeadResult<T> head_;
  HiddenGradientOracle hidden_;
  ParameterOracle parameters_;
  PassesValidation result_;
};

}  // namespace

ExplodingGradient::ExplodingGradient(std::size_t step, std::size_t steps, std::size_t sample)
    : std::runtime_error(fmt::format("the gradient explodes: it is infinite from h_{} on (of h_{}, where it starts), "
                                     "first of sample {}; accepted are fewer steps, smaller weights, or a wider dtype",
                                     step, steps, sample)),
      step_(step),
      sample_(sample) {}

std::optional<std::string> PassOutcome::mismatch() const {
  if (!ran()) return std::nullopt;
  if (hidden.mismatch) return fmt::format("{} on {}: {}", to_string(request.method), request.backend, *hidden.mismatch);
  if (parameters.mismatch)
    return fmt::format("{} on {}: {}", to_string(request.method), request.backend, *parameters.mismatch);
  return std::nullopt;
}

std::optional<std::string> OuterOutcome::mismatch() const {
  if (!ran() || !states.mismatch) return std::nullopt;
  return fmt::format("forward pass on {}: {}", backend, *states.mismatch);
}

const OuterOutcome* PassesValidation::outer_of(const std::string& backend_name) const {
  for (const OuterOutcome& one : outer) {
    if (one.backend == backend_name || std::ranges::find(one.serves, backend_name) != one.serves.end())
      return one.ran() ? &one : nullptr;
  }
  return nullptr;
}

std::uint64_t validation_bytes(const CellShape& shape, std::size_t steps, std::size_t batch, unsigned value_bytes) {
  const std::uint64_t samples = checked_mul(checked_add(steps, std::uint64_t{1}), batch);
  const std::uint64_t gates = shape.kind == CellKind::gru ? 4 : 0;
  const std::uint64_t doubles = 4 + (value_bytes == 4 ? 1 + gates : 0);  // the oracle, bounds, and states widened
  // The states with their gates, and the gradients.
  const std::uint64_t element = (2 + gates) * value_bytes + doubles * sizeof(double);
  return checked_add(checked_mul(samples, checked_mul(shape.hidden, element)),
                     checked_mul(samples, checked_mul(shape.input, std::uint64_t{value_bytes})));
}

template <class T>
PassesValidation validate_passes(const SequenceBatch<T>& batch, bool is_fused, const std::vector<PassRequest>& requests,
                                 const RecurrentBackends& backends, const PassesOptions& options) {
  return Runner<T>(batch, is_fused, backends, options).run(requests);
}

template PassesValidation validate_passes<float>(const SequenceBatch<float>&, bool, const std::vector<PassRequest>&,
                                                 const RecurrentBackends&, const PassesOptions&);
template PassesValidation validate_passes<double>(const SequenceBatch<double>&, bool, const std::vector<PassRequest>&,
                                                  const RecurrentBackends&, const PassesOptions&);

}  // namespace upsweep
