#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

/// What stands around a backward pass in an iteration: the forward pass and the gradients of the parameters. The head
/// and its loss between them stay on this processor.
namespace upsweep {

/// A planned forward pass: run_forward() from h_0 = 0, with the memory (and that of a device) for one shape. T is float
/// or double. Not to be used by two threads at once.
template <class T>
class ForwardPass {
 public:
  ForwardPass() = default;
  ForwardPass(const ForwardPass&) = delete;
  ForwardPass& operator=(const ForwardPass&) = delete;
  virtual ~ForwardPass() = default;

  /// Takes the operands of the next runs and where their result goes, which gets its lengths; a device copies the
  /// operands. All must live until the last fetch().
  ///
  /// Shapes: as run_forward(). Throws std::invalid_argument for wrong lengths or another shape, BackendError.
  virtual void load(const CellWeights<T>& weights, std::span<const T> inputs, ForwardStates<T>& states) = 0;

  /// One forward pass over what load() took; returns its seconds, transfers not counted. Any number of times. Throws
  /// BackendError.
  virtual double run() = 0;

  /// Writes the states of the last run() where load() was told to. Throws NonFiniteState as run_forward(),
  /// BackendError.
  virtual void fetch() = 0;

  /// Memory that the plan holds where it runs, operands of load() on a device included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;

  /// What a user should know, as BackwardPass::notes().
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// A planned parameter_gradients(), likewise.
template <class T>
class ParameterPass {
 public:
  ParameterPass() = default;
  ParameterPass(const ParameterPass&) = delete;
  ParameterPass& operator=(const ParameterPass&) = delete;
  virtual ~ParameterPass() = default;

  /// Takes the operands of the next runs and where their result goes; a device copies the operands. All must live until
  /// the last fetch().
  ///
  /// Shapes: as parameter_gradients(). Throws std::invalid_argument for wrong lengths or another shape, BackendError.
  virtual void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
                    std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients) = 0;

  /// All gradients once; returns the seconds, transfers not counted. Any number of times. Throws BackendError.
  virtual double run() = 0;

  /// Writes the gradients of the last run() where load() was told to. Throws BackendError.
  virtual void fetch() = 0;

  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// Both passes of an iteration.
template <class T>
struct OuterPasses {
  std::unique_ptr<ForwardPass<T>> forward;
  std::unique_ptr<ParameterPass<T>> parameters;
};

}  // namespace upsweep
