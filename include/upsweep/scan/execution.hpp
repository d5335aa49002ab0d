#pragma once

namespace upsweep {

/// How workers go through a schedule.
enum class Execution {
  level,  ///< levels in order with a barrier after each
  dag,    ///< no barriers: a combine may start when its operands are there
};

/// "level" or "dag".
[[nodiscard]] inline const char* to_string(Execution execution) {
  return execution == Execution::level ? "level" : "dag";
}

/// Who works on an op.
enum class Ops {
  whole,   ///< one worker
  shared,  ///< any number of workers at once, which are scalar processors: docs/counting-rule.md
};

/// "whole" or "shared".
[[nodiscard]] inline const char* to_string(Ops ops) { return ops == Ops::whole ? "whole" : "shared"; }

}  // namespace upsweep
