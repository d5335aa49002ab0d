#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "upsweep/document/short_text.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// Inline: report/ has functions of the same names, which say numbers in another way.
inline namespace figure_text {

/// "1 op", "2 ops".
[[nodiscard]] std::string counted(std::size_t count, const std::string& noun);

/// A share as text: "12.3 %", "0.0042 %".
[[nodiscard]] std::string percent(double share);

}  // namespace figure_text

/// For every op whether it is critical of its level: the most expensive one, the first of equal ones; length run.ops.
[[nodiscard]] std::vector<bool> critical_ops(const RunDetails& run);

/// The schedule of a run made again; nothing where it is not the one of the stored ops: see stored_schedule().
[[nodiscard]] std::optional<Schedule> schedule_again(const RunDetails& run);

/// Operators by position of the scan array: entry k is that of a[k], null for a[0]. Empty where positions do not stand
/// for single operators: in a network with branches.
[[nodiscard]] std::vector<const StoredOperator*> operators_by_position(const RunDetails& run);

/// Texts about the ops of a run, which must outlive this.
class OpTexts {
 public:
  explicit OpTexts(const RunDetails& run);

  /// All that is known of an op, in a sentence; `is_critical`: of its level.
  [[nodiscard]] std::string about(const StoredOp& op, bool is_critical) const;
  /// "3 fc1": the position with its operator, where there is one; "0 gradient".
  [[nodiscard]] std::string label(std::size_t position) const;
  /// Phase of a level, or empty where it is not stored.
  [[nodiscard]] const std::string& phase(std::uint32_t level) const;

 private:
  [[nodiscard]] std::string place(std::int64_t position) const;

  std::vector<const StoredOperator*> operators_;
  std::unordered_map<std::uint32_t, std::string> phases_;  // by level
};

}  // namespace upsweep
