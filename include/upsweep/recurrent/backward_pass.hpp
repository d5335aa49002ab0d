#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {

/// What a backward pass is planned for.
struct PassShape {
  CellShape cell;
  std::size_t steps = 2;  ///< T >= 1
  std::size_t batch = 1;  ///< B >= 1
  bool is_fused = true;   ///< one Jacobian per step; otherwise the diagonal and the weights on their own (rnn, levels;
                          ///< a sequential pass forms neither)

  friend bool operator==(const PassShape&, const PassShape&) = default;
};

/// A planned backward pass: it holds its memory (and that of a device), so that one serves every iteration of a
/// training. T is float or double. Not to be used by two threads at once.
template <class T>
class BackwardPass {
 public:
  BackwardPass() = default;
  BackwardPass(const BackwardPass&) = delete;
  BackwardPass& operator=(const BackwardPass&) = delete;
  virtual ~BackwardPass() = default;

  /// Takes the operands of the next runs and where their result goes; a device copies the operands. All must live
  /// until the last fetch().
  ///
  /// Shapes: as bptt(). Throws std::invalid_argument for wrong lengths or another shape, BackendError.
  virtual void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                    std::span<T> gradients) = 0;

  /// One backward pass over what load() took; returns the time of its phases, transfers not counted. A sequential pass
  /// counts as `down`. May run any number of times. Throws BackendError.
  virtual ScanTimes run() = 0;

  /// Writes the gradients of the last run() where load() was told to; nothing to do where run() has done so.
  virtual void fetch() = 0;

  /// Whether fetch() writes the gradients of all steps; otherwise those of h_0 and h_T alone (cudnn).
  [[nodiscard]] virtual bool gives_all() const { return true; }

  /// FLOPs of one run(), all samples. A sequential pass counts as `down`.
  [[nodiscard]] virtual ScanFlops flops() const = 0;

  /// Memory that the plan holds where it runs, operands of load() on a device included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;

  /// What a user should know: a shape that fell back to other kernels, a graph that could not be captured.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// Takes the inputs of the next load(), as run_forward(); they must live until then. Only a pass that repeats the
  /// forward pass reads them (cudnn), and cannot load without.
  virtual void set_inputs(std::span<const T> /*inputs*/) {}
};

}  // namespace upsweep
