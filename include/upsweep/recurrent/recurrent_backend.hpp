#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "upsweep/backend/backend.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/outer_passes.hpp"

namespace upsweep {

/// Plans forward passes and parameter gradients. What it is asked for has been checked: the functions below do so.
class OuterBackend {
 public:
  virtual ~OuterBackend() = default;

  /// The name by which it is found, that of a RecurrentBackend too.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Availability availability() const = 0;
  /// Why there is no forward pass of that shape, for people; empty where there is one.
  [[nodiscard]] virtual std::string unsupported_forward(const PassShape& shape) const = 0;

  /// Throw BackendError.
  [[nodiscard]] virtual std::unique_ptr<ForwardPass<float>> make_forward(const PassShape& shape,
                                                                         std::type_identity<float>) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ForwardPass<double>> make_forward(const PassShape& shape,
                                                                          std::type_identity<double>) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ParameterPass<float>> make_parameters(const PassShape& shape,
                                                                              std::type_identity<float>) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ParameterPass<double>> make_parameters(const PassShape& shape,
                                                                               std::type_identity<double>) const = 0;
};

/// Plans backward passes of recurrent cells, likewise. Its makers may be called by several threads at once.
class RecurrentBackend {
 public:
  virtual ~RecurrentBackend() = default;

  /// The name by which it is found: "cpu", "cuda", ...
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Availability availability() const = 0;
  /// Throws BackendError where it is not available.
  [[nodiscard]] virtual DeviceFacts facts() const = 0;
  /// Whether it has other passes than the sequential one.
  [[nodiscard]] virtual bool has_scans() const = 0;
  /// Why this backend alone has no such pass, for people; empty where it has one. For others see unsupported_pass().
  [[nodiscard]] virtual std::string unsupported(const BackwardMethod& method, const PassShape& shape) const = 0;
  /// BackwardPass::bytes() of a pass, before it is made. Throws CountOverflow, BackendError.
  [[nodiscard]] virtual std::uint64_t bytes(const BackwardMethod& method, const PassShape& shape,
                                            unsigned value_bytes) const = 0;
  /// Throw BackendError.
  [[nodiscard]] virtual std::unique_ptr<BackwardPass<float>> make(const BackwardMethod& method, const PassShape& shape,
                                                                  std::type_identity<float>) const = 0;
  [[nodiscard]] virtual std::unique_ptr<BackwardPass<double>> make(const BackwardMethod& method, const PassShape& shape,
                                                                   std::type_identity<double>) const = 0;
  /// Where the forward pass and the parameter gradients beside its passes run.
  [[nodiscard]] virtual const OuterBackend& outer() const = 0;
};

/// Finds a backend by its name; throws std::invalid_argument for an unknown one.
using RecurrentBackends = std::function<const RecurrentBackend&(const std::string& name)>;

/// "reference": bptt_reference(), one thread.
[[nodiscard]] const RecurrentBackend& reference_recurrent_backend();

/// "cpu": the passes of this library on the threads that there are. Results are written straight to where load() says.
[[nodiscard]] const RecurrentBackend& cpu_recurrent_backend();

/// Throws BackendError that names the backend and says why it does not run here.
void require_available(const std::string& name, const Availability& availability);

/// Why `backend` has no such pass, for people; empty where it has one. Throws std::invalid_argument for extents of 0.
[[nodiscard]] std::string unsupported_pass(const RecurrentBackend& backend, const BackwardMethod& method,
                                           const PassShape& shape);

/// Bytes that a pass will hold, before it is made: BackwardPass::bytes(). Throws std::invalid_argument for what no pass
/// has, CountOverflow; BackendError where a device does not run here.
[[nodiscard]] std::uint64_t pass_bytes(const RecurrentBackend& backend, const BackwardMethod& method,
                                       const PassShape& shape, unsigned value_bytes);

/// Plans a pass. Throws std::invalid_argument for a pass that unsupported_pass() names; BackendError where the backend
/// does not run here, or where its memory is too small (says how much is needed, and which method needs less).
template <class T>
[[nodiscard]] std::unique_ptr<BackwardPass<T>> make_backward_pass(const RecurrentBackend& backend,
                                                                  const BackwardMethod& method, const PassShape& shape);

/// Plans what stands around the passes of a backend; `is_fused` does not count. Throw as make_backward_pass().
template <class T>
[[nodiscard]] std::unique_ptr<ForwardPass<T>> make_forward_pass(const OuterBackend& backend, const PassShape& shape);
template <class T>
[[nodiscard]] std::unique_ptr<ParameterPass<T>> make_parameter_pass(const OuterBackend& backend,
                                                                    const PassShape& shape);
/// Both.
template <class T>
[[nodiscard]] OuterPasses<T> make_outer_passes(const OuterBackend& backend, const PassShape& shape) {
  return {make_forward_pass<T>(backend, shape), make_parameter_pass<T>(backend, shape)};
}

}  // namespace upsweep
