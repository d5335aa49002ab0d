#include "upsweep/learning/network_backward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "for_each_sample.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/backend/planned_scan.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/validate/direct_gradient.hpp"

namespace upsweep {
namespace {

/// The request for a schedule by its name. `others` are accepted besides schedules.
ScheduleRequest request_of(const std::string& name, const std::vector<std::string>& others = {}) {
  try {
    return parse_schedule(name);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("'{}' is no backward pass of a network{}", name, accepted_schedules(name, others)));
  }
}

/// What the numbers of a Jacobian depend on.
enum class Depends : std::uint8_t { nothing, weights, sample };

Depends depends_on(const OperatorKind& kind) {
  switch (jacobian_numbers(kind)) {
    case JacobianNumbers::fixed:
      return Depends::nothing;
    case JacobianNumbers::weights:
      return Depends::weights;
    case JacobianNumbers::input:
    case JacobianNumbers::chosen:
      break;
  }
  return Depends::sample;
}

const Network& without_blocks(const Network& network) {
  require_no_blocks(network, "training");
  return network;
}

void require_shapes(const Network& network, const BatchVectors& inputs, const BatchVectors& gradients) {
  const std::size_t activations = network.links().size() + 1;
  if (inputs.size() == activations && gradients.size() == activations &&
      inputs.back().size() == gradients.back().size())
    return;
  throw std::invalid_argument(fmt::format(
      "activations at {} places and gradients at {}, accepted are those of one batch at the inputs of {} links and the "
      "output",
      inputs.size(), gradients.size(), activations - 1));
}

}  // namespace

std::string network_backward_name(const std::string& name) {
  if (name == kPlainBackward) return name;
  if (is_order_name(name))
    throw std::invalid_argument(
        fmt::format("'{}' is an order of products, accepted are schedules of any length", name));
  return canonical_name(request_of(name, {"bp"}));
}

ActivationGradients plain_backward(const Network& network) {
  require_no_blocks(network, "training");
  return [&network](const NetworkWeights& weights, const BatchVectors& inputs, BatchVectors& gradients) {
    require_shapes(network, inputs, gradients);
    for (std::size_t i = network.links().size(); i-- > 1;) {
      const std::size_t o = network.links()[i];
      const Operator& op = network.operators()[o];
      gradients[i].resize(inputs[i].size());
      for_each_sample(op.kind, inputs[i].size(), [&](std::size_t s) {
        gradients[i][s] = direct_gradient(op, weights[o], inputs[i][s], gradients[i + 1][s]);
      });
    }
  };
}

/// Positions are those of the scan array: a[k] is the Jacobian of link n - k.
template <class T>
struct ScanBackward<T>::Impl {
  /// What one thread works with.
  struct Worker {
    typename PlannedScan<T>::Workspace workspace;
    std::vector<std::vector<T>> values;     // by position: a[0] and Jacobians that depend on the sample
    std::vector<std::span<const T>> array;  // by position
  };

  const Network& network;
  JacobianChain chain;
  PlannedScan<T> plan;
  std::vector<std::vector<T>> shared;  // by position: numbers of all samples
  std::vector<std::optional<Worker>> workers;

  Impl(const Network& its_network, const NetworkWeights& weights, const std::string& schedule)
      : network(without_blocks(its_network)),
        chain(guaranteed_chain(network, weights)),
        plan(make_schedule(request_of(schedule), chain.length()), chain),
        shared(chain.length()),
        workers(parallel_slots()) {
    for (std::size_t k = 1; k < chain.length(); ++k) {
      if (!plan.reads(k) || depends(k) == Depends::sample) continue;
      shared[k].resize(pattern(k).nnz());
      if (depends(k) == Depends::nothing) fill_shared(k, weights);
    }
  }

  [[nodiscard]] std::size_t links() const { return network.links().size(); }
  [[nodiscard]] std::size_t operator_at(std::size_t k) const { return network.links()[links() - k]; }
  [[nodiscard]] Depends depends(std::size_t k) const { return depends_on(network.operators()[operator_at(k)].kind); }
  [[nodiscard]] const Pattern& pattern(std::size_t k) const { return *chain.jacobians[k - 1]; }

  /// Calls visit(position) for the Jacobians that are read and depend on `what`.
  template <class Visit>
  void for_each_position(Depends what, const Visit& visit) const {
    for (std::size_t k = 1; k < chain.length(); ++k) {
      if (plan.reads(k) && depends(k) == what) visit(k);
    }
  }

  [[nodiscard]] std::uint64_t values_that_depend(Depends what) const {
    std::uint64_t count = 0;
    for_each_position(what, [&](std::size_t k) { count += pattern(k).nnz(); });
    return count;
  }

  void fill_shared(std::size_t k, const NetworkWeights& weights) {
    const std::size_t o = operator_at(k);
    const std::vector<double> x(pattern(k).rows());  // no input changes these numbers: any will do
    fill_jacobian_values<T>(network.operators()[o], weights[o], x, pattern(k), shared[k]);
  }

  [[nodiscard]] Worker make_worker() const {
    Worker worker{plan.make_workspace(), std::vector<std::vector<T>>(chain.length()), {}};
    worker.values[0].resize(chain.gradient_length);
    for_each_position(Depends::sample, [&](std::size_t k) { worker.values[k].resize(pattern(k).nnz()); });
    for (std::size_t k = 0; k < chain.length(); ++k)
      worker.array.emplace_back(shared[k].empty() ? worker.values[k] : shared[k]);
    return worker;
  }

  /// The numbers of an elementwise operator or a max-pooling at x. Unlike fill_jacobian_values() on this thread alone.
  void fill_for_sample(std::size_t k, const OperatorWeights& weights, std::span<const double> x,
                       std::span<T> values) const {
    const Operator& op = network.operators()[operator_at(k)];
    if (is_elementwise(op.kind)) {
      std::vector<double> slopes(x.size());
      elementwise_slopes(op, weights, 0, x, slopes);
      std::transform(slopes.begin(), slopes.end(), values.begin(), [](double slope) { return static_cast<T>(slope); });
      return;
    }
    const std::vector<std::uint32_t> chosen = max_positions(op, x);
    std::size_t at = 0;
    for (Index r = 0; r < pattern(k).rows(); ++r)
      pattern(k).row(r).for_each([&](Index column) { values[at++] = chosen[column] == r ? T{1} : T{0}; });
  }

  void run_sample(Worker& worker, const NetworkWeights& weights, const BatchVectors& inputs, std::size_t s,
                  BatchVectors& gradients) const {
    const std::vector<double>& loss = gradients.back()[s];
    if (loss.size() != chain.gradient_length) {
      throw std::invalid_argument(
          fmt::format("a loss gradient of {} numbers, accepted are {}", loss.size(), chain.gradient_length));
    }
    for (std::size_t i = 0; i < loss.size(); ++i) worker.values[0][i] = static_cast<T>(loss[i]);
    for_each_position(Depends::sample, [&](std::size_t k) {
      fill_for_sample(k, weights[operator_at(k)], inputs[links() - k][s], worker.values[k]);
    });
    plan.run(worker.array, worker.workspace);
    for (std::size_t k = 2; k < chain.length(); ++k) {
      const std::span<const T> result = plan.result(k, worker.workspace);
      gradients[links() + 1 - k][s].assign(result.begin(), result.end());
    }
  }

  [[nodiscard]] std::uint64_t bytes() const {
    const std::uint64_t once = values_that_depend(Depends::nothing) + values_that_depend(Depends::weights);
    const std::uint64_t of_worker = values_that_depend(Depends::sample) * sizeof(T) + plan.workspace_bytes();
    return plan.plan_bytes() + once * sizeof(T) + of_worker * workers.size();
  }
};

template <class T>
ScanBackward<T>::ScanBackward(const Network& network, const NetworkWeights& weights, const std::string& schedule) {
  const auto too_small = [&](const std::string& need) {
    return BackendError(fmt::format("cpu: {} needs {}, accepted is what fits into the memory of this machine, {} bytes",
                                    schedule, need, machine_memory()));
  };
  try {
    impl_ = make_hidden<Impl>(network, weights, schedule);
  } catch (const std::bad_alloc&) {
    throw too_small("more memory than there is for its plan");
  }
  if (bytes() > machine_memory()) throw too_small(fmt::format("{} bytes on {} threads", bytes(), parallel_slots()));
}

template <class T>
void ScanBackward<T>::run(const NetworkWeights& weights, const BatchVectors& inputs, BatchVectors& gradients) {
  Impl& impl = *impl_;
  require_shapes(impl.network, inputs, gradients);
  const std::size_t samples = inputs.back().size();
  for (std::size_t i = 1; i < impl.links(); ++i) gradients[i].resize(samples);
  impl.for_each_position(Depends::weights, [&](std::size_t k) { impl.fill_shared(k, weights); });
  parallel_chunks(samples, 1, [&](std::size_t begin, std::size_t end, std::size_t slot) {
    std::optional<typename Impl::Worker>& worker = impl.workers[slot];
    if (!worker) worker.emplace(impl.make_worker());
    for (std::size_t s = begin; s < end; ++s) impl.run_sample(*worker, weights, inputs, s, gradients);
  });
}

template <class T>
std::uint64_t ScanBackward<T>::flops() const {
  return impl_->plan.flops();
}
template <class T>
std::uint64_t ScanBackward<T>::values_per_sample() const {
  return impl_->values_that_depend(Depends::sample);
}
template <class T>
std::uint64_t ScanBackward<T>::values_per_iteration() const {
  return impl_->values_that_depend(Depends::weights);
}
template <class T>
std::uint64_t ScanBackward<T>::bytes() const {
  return impl_->bytes();
}

template class ScanBackward<float>;
template class ScanBackward<double>;

}  // namespace upsweep
