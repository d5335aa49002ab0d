#pragma once

#include <string>

#include "upsweep/app/train.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/learning/train_result.hpp"
#include "upsweep/learning/train_spec.hpp"
#include "upsweep/report/train_report.hpp"

namespace upsweep {

/// What is wrong with a value of the file, or with the request's field that replaces it. Throws InputError at the line,
/// RequestError where `line` is 0.
[[noreturn]] void refuse(const TrainSpec& spec, int line, const std::string& field, const std::string& message);

/// The backend of a spec. Throws as refuse() where it has not the ability.
[[nodiscard]] const BackendEntry& backend_of(const TrainSpec& spec, Ability ability);

/// Throws InputError at the line of the optimiser where its settings cannot be had in numbers of that size.
void require_optimizer(const TrainSpec& spec, unsigned value_bytes);

/// Reads model and data of a spec and trains; `spec.is_recurrent` says which of the two it is. The caller fills
/// `workers`. Throws InputError at the spec's lines, BackendError; a training that diverges ends its curve.
[[nodiscard]] TrainReport train_recurrent_model(const TrainSpec& spec, const TrainProgress& progress);
[[nodiscard]] TrainReport train_network_model(const TrainSpec& spec, const TrainProgress& progress);

}  // namespace upsweep
