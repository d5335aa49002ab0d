#pragma once

#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {

/// Keeps sparsity pictures of a model whose runs were stored, unless the store has some: of its Jacobians and of
/// products of neighbours, in the pattern of the runs; `sample` at its first input. Pictures that would take too much
/// time or memory are left out. Throws InputError where the store cannot be written.
void save_pictures(RunStore& store, const Model& model, PatternKind pattern);

}  // namespace upsweep::cli
