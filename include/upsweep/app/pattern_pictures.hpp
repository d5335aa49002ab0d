#pragma once

#include "upsweep/app/session.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep {

/// Keeps sparsity pictures of a model whose runs were stored, unless the store has some: of its Jacobians and of
/// products of neighbours, in the pattern of the runs; `sample` at its first input. Pictures that would take too much
/// time, memory or room are left out: see PictureLimits. The runs stand without them: where they cannot be made or
/// written, a note says so, and nothing is thrown.
void save_pictures(RunStore& store, const Model& model, PatternKind pattern, const Watch& watch);

}  // namespace upsweep
