#pragma once

#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {

/// All hidden gradients of one sequence by a pass, as workers that share ops see them: what predict_on_device() times
/// on a pram, Jacobians formed in it too. Its batch is that of shared_makespan(), whatever `shape` says.
///
/// A step of a sequential pass, which forms no Jacobian, is an op of 2 · gates · hidden² FLOPs whose sums have gates ·
/// hidden terms. Forming a Jacobian takes as many FLOPs and sums of `gates` terms; by levels all are formed in a level
/// before the others, in a blocked scan without stored Jacobians each where it is used. Blocks walk at the same time, a
/// level for each step. Throws as predict_on_device() for the method and the shape; CountOverflow. Cost: that of
/// profile_homogeneous() or the number of blocks, whatever the steps. Source: spans by product_span().
[[nodiscard]] SharedWork shared_work(const PassShape& shape, const BackwardMethod& method);

}  // namespace upsweep
