#pragma once

#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {

/// Keeps sparsity pictures of a model whose runs were stored, unless the store has some: of its Jacobians and of
/// products of neighbours, in the pattern of the runs; `sample` at its first input. Pictures that would take too much
/// time, memory or room are left out: see PictureLimits. The runs stand without them: where they cannot be made or
/// written, a line on standard error says so, and nothing is thrown.
void save_pictures(RunStore& store, const Model& model, PatternKind pattern);

}  // namespace upsweep::cli
