#pragma once

#include <cstddef>

#include "upsweep/learning/sequence_data.hpp"
#include "upsweep/learning/train_spec.hpp"
#include "upsweep/recurrent/cell.hpp"

namespace upsweep {

/// Reads the arrays that `spec.data`, a FeatureData, names: the first `steps` steps of every sequence, normalised
/// where it says so. `value_bytes`: of the model's numbers.
///
/// Throws InputError at the line of `data`: no .npy file, NaN or infinity (of a model in fp32 there, too), shapes that
/// do not go with each other or with `cell`, labels that are no classes, sequences shorter than `steps`.
[[nodiscard]] SequenceData load_features(const TrainSpec& spec, const CellShape& cell, std::size_t steps,
                                         unsigned value_bytes);

}  // namespace upsweep
