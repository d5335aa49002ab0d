#include "upsweep/profile/homogeneous_op.hpp"

#include "block_steps.hpp"
#include "block_structure.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {

OpProfile homogeneous_op(const HomogeneousChain& chain, const OpRun& run, unsigned value_bytes) {
  const std::uint64_t size = chain.size;
  OpProfile op;
  op.m = size;
  op.k = size;
  op.n = run.is_mv ? 1 : size;
  op.is_mv = run.is_mv;
  op.dead = run.dead;
  op.left_nnz = run.is_mv ? size : structure_nnz(run.earlier, size);
  op.right_nnz = structure_nnz(run.later, size);
  op.nnz = run.nnz;
  op.products = run.flops / 2;  // exact: flops_of_products() doubles them
  op.flops = run.flops;
  op.span = run.span;
  op.bytes = run.bytes;
  op.left_bytes = run.is_mv ? checked_mul(value_bytes, size) : csr_bytes(size, op.left_nnz, value_bytes);
  op.right_bytes = csr_bytes(size, op.right_nnz, value_bytes);
  const BlockSteps steps(chain);
  op.steps = run.is_mv ? steps.with_vector(run.later, op.right_nnz)
                       : steps.with_matrix(run.earlier, run.later, {op.left_nnz, op.right_nnz, op.products, op.nnz});
  return op;
}

}  // namespace upsweep
