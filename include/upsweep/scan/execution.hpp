#pragma once

namespace upsweep {

/// How workers go through a schedule.
enum class Execution {
  level,  ///< levels in order with a barrier after each
  dag,    ///< no barriers: a combine may start when its operands are there
};

}  // namespace upsweep
