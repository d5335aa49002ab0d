#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/recurrent/compare_gradients.hpp"
#include "upsweep/recurrent/compare_parameters.hpp"
#include "upsweep/recurrent/compare_states.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"
#include "upsweep/recurrent/sequence_batch.hpp"

namespace upsweep {

/// The gradient of the loss outgrows the number type: it is infinite from a step on, whatever computes it.
class ExplodingGradient : public std::runtime_error {
 public:
  ExplodingGradient(std::size_t step, std::size_t steps, std::size_t sample);
  [[nodiscard]] std::size_t step() const { return step_; }      ///< the largest t whose gradient is infinite
  [[nodiscard]] std::size_t sample() const { return sample_; }  ///< the first such sample

 private:
  std::size_t step_;
  std::size_t sample_;
};

/// One backward pass that is asked for.
struct PassRequest {
  std::string backend;
  BackwardMethod method;
};

/// What came of it.
struct PassOutcome {
  PassRequest request;
  std::string failure;         ///< why it did not run, for people; empty where it ran
  ScanTimes times;             ///< of the run with the median total; the mean of two for an even number
  double fastest_seconds = 0;  ///< the fastest repetition
  std::size_t repetitions = 0;
  double plan_seconds = 0;  ///< once: lists of combines and memory; on a device loading kernels and graph capture, too
  ScanFlops flops;
  std::uint64_t bytes = 0;         ///< that the plan holds
  std::vector<std::string> notes;  ///< of the pass
  /// All hidden gradients and those of the parameters were compared within the rounding bound. Otherwise only g_0, with
  /// a tolerance: 1e-3 (fp32) or 1e-9 (fp64) of its largest element; the share is that of the tolerance.
  bool is_whole = true;
  GradientComparison hidden;
  ParameterComparison parameters;

  [[nodiscard]] bool ran() const { return failure.empty(); }
  /// The first difference that is out of its bound.
  [[nodiscard]] std::optional<std::string> mismatch() const;
};

/// Forward pass and parameter gradients on one backend.
struct OuterOutcome {
  std::string backend;
  std::vector<std::string> serves;     ///< backends whose backward passes they stand around
  std::string failure;                 ///< why it did not run, for people; empty where it ran
  double forward_s = 0;                ///< median; on the cpu with the head, elsewhere without it and without transfers
  std::optional<double> parameters_s;  ///< median: parameter gradients from hidden gradients, likewise; empty where no
                                       ///< pass gave those
  StateComparison states;              ///< each step of its forward pass for itself
  std::vector<std::string> notes;      ///< of both

  [[nodiscard]] bool ran() const { return failure.empty(); }
  /// The first state that is out of its bound. Parameter gradients count with the passes whose gradients they take.
  [[nodiscard]] std::optional<std::string> mismatch() const;
};

/// A batch that was run forward, and backward by several passes.
struct PassesValidation {
  double loss = 0;
  std::vector<OuterOutcome> outer;  ///< the cpu first, then each other backend of the requests
  double oracle_s = 0;              ///< once: gradients in double precision and their bounds
  /// Time of the first pass when it runs again after all others, over that before them; empty where it did not run.
  std::optional<double> drift;
  double gradient_last = 0;         ///< largest |gradient| of h_T
  double gradient_first = 0;        ///< and of h_0: how far gradients vanish or grow
  std::size_t live_states = 0;      ///< of the T + 1: the largest |gradient| is a normal number of the model's type
  std::vector<PassOutcome> passes;  ///< one for each request

  /// What came of the forward pass beside the passes of a backend; null where none was asked for or it did not run.
  [[nodiscard]] const OuterOutcome* outer_of(const std::string& backend_name) const;
};

struct PassesOptions {
  std::size_t repetitions = 3;  ///< as Repetitions
  double min_seconds = 0.2;     ///< likewise
  /// Called with the name of a pass before it runs.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Bytes that validate_passes() needs besides what a pass holds: states, gradients and the oracle.
[[nodiscard]] std::uint64_t validation_bytes(const CellShape& shape, std::size_t steps, std::size_t batch,
                                             unsigned value_bytes);

/// Runs the forward pass, every requested backward pass and the parameter gradients of each; compares all hidden and
/// parameter gradients with those of sequential back-propagation in double precision.
///
/// The forward pass runs on this processor, whose states all backward passes and the oracle take; and on each device of
/// the requests, for its time and its own comparison. The parameter gradients of a pass are formed where
/// RecurrentBackend::outer() of its backend says. Head and oracle run on this processor, on the threads that
/// parallel_chunks() has. Throws std::invalid_argument for wrong lengths, NonFiniteState, ExplodingGradient. A pass
/// that cannot run says so in its outcome.
template <class T>
[[nodiscard]] PassesValidation validate_passes(const SequenceBatch<T>& batch, bool is_fused,
                                               const std::vector<PassRequest>& requests,
                                               const RecurrentBackends& backends, const PassesOptions& options);

}  // namespace upsweep
