#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"
#include "upsweep/sim/complexity.hpp"

/// All backends, by name: the one place that knows them.
namespace upsweep {

/// What can be asked of a backend. All of it in fp32 and fp64.
enum class Ability : std::uint8_t {
  networks,            ///< schedules over networks of operators
  recurrent,           ///< backward passes of recurrent models
  recurrent_scans,     ///< of those also others than the sequential one
  network_training,    ///< trainings of networks of operators
  recurrent_training,  ///< those of recurrent models, which need the gradients of all steps
  calibration,         ///< its rates are measured, and its times predicted
  dense_backprop,      ///< its device's dense back-propagation is measured beside its schedules
};

/// What a backend's library can do at all, whatever the device.
struct BackendLimits {
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  MachineKind kind = MachineKind::cpu;  ///< of machines that it runs on
  std::uint64_t most_entries = kNone;   ///< rows, columns and entries of a matrix
  std::uint64_t most_products = kNone;  ///< scalar multiplications of one product of matrices
  std::optional<LaunchMode> launch;     ///< how it starts kernels; nothing: it starts none
  std::uint64_t most_columns = kNone;   ///< of a matrix
  bool keeps_values = false;            ///< all of them, from the first iteration to the last
  std::string leaves_out = {};          ///< what of its memory is not known before it runs, in a sentence
};

/// A backend, available here or not.
struct BackendEntry {
  std::string name;
  std::unique_ptr<Backend> (*network)() = nullptr;  ///< null where it runs no networks
  const RecurrentBackend* recurrent = nullptr;      ///< null where it runs no recurrent models
  std::vector<Ability> others;                      ///< abilities that the two above do not tell
  std::string baseline_of;                          ///< backend beside which it is shown, as what a library does
  BackendLimits limits = {};                        ///< of schedules over networks
  double (*dense_flops_per_s)(unsigned value_bytes) = nullptr;  ///< measures its dense products; null: the processor's
  double (*copy_bytes_per_s)() = nullptr;  ///< measures copies in its device's memory; null: the processor's

  [[nodiscard]] bool can(Ability ability) const;
};

/// Why a backend cannot run a schedule with such matrices and products; empty where nothing speaks against it.
/// `peak_live_bytes` of one input are compared with the memory of `machine` where that is of the backend's kind and
/// says how much it has; null: they are not. Known before anything runs.
[[nodiscard]] std::string cannot_run_reason(const BackendEntry& backend, const LargestCounts& largest,
                                            std::uint64_t peak_live_bytes, const Machine* machine);

/// Throws std::invalid_argument, in a sentence for users that says what it has, where a backend does not start kernels
/// of schedules over networks as `asked`.
void require_launch(const BackendEntry& backend, LaunchMode asked);

/// The machine as a backend runs schedules over networks on it: with kernels started as the backend does where it is a
/// gpu's datasheet that says what that takes, which it has to if `is_asked`; calibrated rates are measured so. Throws
/// like launched().
[[nodiscard]] Machine as_run_by(const BackendEntry& backend, Machine machine, bool is_asked);

/// In the order in which people read them.
[[nodiscard]] const std::vector<BackendEntry>& backends();

/// Names of those that have an ability.
[[nodiscard]] std::vector<std::string> backend_names(Ability ability);

/// Throws std::invalid_argument, "'x' is no backend of ..., accepted are ...", where no backend of that name has the
/// ability.
[[nodiscard]] const BackendEntry& find_backend(const std::string& name, Ability ability);

/// find_backend() for networks and for recurrent models.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name);
[[nodiscard]] const RecurrentBackend& recurrent_backend(const std::string& name);

}  // namespace upsweep
