#pragma once

#include "exact_problem.hpp"

namespace upsweep::exact {

/// Orders the tasks of copies of one part of the graph (micro-batches), task by task: of the slots of a task and of
/// its copy, the earlier ones together are a schedule of the one part and the later ones of the other, so that some
/// best schedule remains. Adds to the lags; numbers need not agree with the graph. Cost: O(tasks³).
void order_copies(const Problem& problem, Lags& lags);

/// Orders tasks of one resource and duration where the earlier one is ready first and more waits for it: to exchange
/// them never hurts, so that some best schedule remains. Adds to the lags. Cost: O(tasks³) for each round.
void order_equals(const Problem& problem, Lags& lags);

}  // namespace upsweep::exact
