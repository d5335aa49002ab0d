#include "run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "upsweep/document/numbers.hpp"
#include "upsweep/report/replayed_run.hpp"

namespace upsweep {
inline namespace figure_text {

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", short_count(static_cast<double>(count)), noun, count == 1 ? "" : "s");
}

std::string percent(double share) {
  const double value = 100 * share;
  if (value == 0 || value >= 10) return fmt::format("{:.1f} %", value);
  return fmt::format("{:.2g} %", value);
}

}  // namespace figure_text

std::vector<bool> critical_ops(const RunDetails& run) {
  std::unordered_map<std::uint32_t, std::size_t> most;  // by level, which may be any number in an edited file
  for (std::size_t i = 0; i < run.ops.size(); ++i) {
    const auto [first, is_new] = most.try_emplace(run.ops[i].level, i);
    if (!is_new && run.ops[i].flops > run.ops[first->second].flops) first->second = i;
  }
  std::vector<bool> critical(run.ops.size(), false);
  for (const auto& [level, op] : most) critical[op] = true;
  return critical;
}

std::optional<Schedule> schedule_again(const RunDetails& run) {
  try {
    return stored_schedule(run);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::vector<const StoredOperator*> operators_by_position(const RunDetails& run) {
  std::vector<const StoredOperator*> by_position;
  for (const StoredOperator& op : run.operators) {
    if (op.rows) by_position.push_back(&op);
  }
  if (run.run.graph_bp_flops || by_position.size() + 1 != run.run.length) return {};
  by_position.push_back(nullptr);  // a[0]
  std::reverse(by_position.begin(), by_position.end());
  return by_position;
}

OpTexts::OpTexts(const RunDetails& run) : operators_(operators_by_position(run)) {
  for (const StoredLevel& level : run.levels) phases_[level.level] = level.phase;
}

const std::string& OpTexts::phase(std::uint32_t level) const {
  static const std::string kNone;
  const auto found = phases_.find(level);
  return found == phases_.end() ? kNone : found->second;
}

std::string OpTexts::label(std::size_t position) const {
  if (position == 0) return "0 gradient";
  if (position >= operators_.size()) return fmt::format("{}", position);
  return fmt::format("{} {}", position, short_text(operators_[position]->name, 18));
}

std::string OpTexts::place(std::int64_t position) const {
  if (position < 0) return "red";
  const auto k = static_cast<std::size_t>(position);
  if (k == 0 || k >= operators_.size()) return fmt::format("a[{}]", k);
  return fmt::format("a[{}] ({})", k, short_text(operators_[k]->name));
}

std::string OpTexts::about(const StoredOp& op, bool is_critical) const {
  const std::string target = op.target < 0 ? "red" : fmt::format("a[{}]", op.target);
  const double places = static_cast<double>(op.m) * static_cast<double>(op.n);
  const std::string& in_phase = phase(op.level);
  std::string text = fmt::format("op {}, level {}{}, {} ← {} ⋄ {}, {}: {} × {} times {} × {}", op.id, op.level,
                                 in_phase.empty() ? "" : fmt::format(" ({})", in_phase), target, place(op.left),
                                 place(op.right), op.is_mv ? "mv" : "mm", op.m, op.k, op.k, op.n);
  text += fmt::format(", {} FLOPs, {} and {} entries make {}", short_count(op.flops), short_count(op.right_nnz),
                      short_count(op.left_nnz), short_count(op.nnz));
  if (places > 0) text += fmt::format(" (density {})", percent(op.nnz / places));
  if (is_critical) text += ", critical of its level";
  if (op.is_dead) text += ", dead: no result depends on it";
  return text;
}

}  // namespace upsweep
