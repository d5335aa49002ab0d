#include "run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "upsweep/report/format.hpp"
#include "upsweep/scan/request.hpp"

namespace upsweep {
namespace {

/// Whether a schedule has the ops of a run, by place.
bool has_ops_of(const Schedule& schedule, const RunDetails& run) {
  return std::equal(schedule.combines.begin(), schedule.combines.end(), run.ops.begin(), run.ops.end(),
                    [](const Combine& combine, const StoredOp& op) {
                      return combine.left == op.left && combine.right == op.right && combine.target == op.target &&
                             combine.level == op.level;
                    });
}

}  // namespace

inline namespace figure_text {

std::string short_text(const std::string& text, std::size_t most) {
  std::string line;
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_continued = (byte & 0xC0U) == 0x80U;  // UTF-8: belongs to the character before
    if (!is_continued && ++characters > most) return line + "...";
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
    if (line.size() > 4 * most) return line + "...";  // no UTF-8 at all
  }
  return line;
}

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
  std::vector<const StoredOp*> most;  // by level
  for (const StoredOp& op : run.ops) {
    if (op.level >= most.size()) most.resize(std::size_t{op.level} + 1, nullptr);
    if (most[op.level] == nullptr || op.flops > most[op.level]->flops) most[op.level] = &op;
  }
  std::vector<bool> critical(run.ops.size(), false);
  for (const StoredOp* op : most) {
    if (op != nullptr) critical[static_cast<std::size_t>(op - run.ops.data())] = true;
  }
  return critical;
}

std::optional<Schedule> schedule_again(const RunDetails& run) {
  if (run.run.length < 2) return std::nullopt;
  for (const std::string& name : {run.run.requested, run.run.schedule}) {
    try {
      Schedule schedule = make_schedule(parse_schedule(name), run.run.length);
      if (has_ops_of(schedule, run)) return schedule;
    } catch (const std::invalid_argument&) {  // a name of another version
    }
  }
  return std::nullopt;
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
  for (const StoredLevel& level : run.levels) {
    if (level.level >= phases_.size()) phases_.resize(std::size_t{level.level} + 1);
    phases_[level.level] = level.phase;
  }
}

const std::string& OpTexts::phase(std::uint32_t level) const {
  static const std::string kNone;
  return level < phases_.size() ? phases_[level] : kNone;
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
  if (is_critical) text += ", on the critical path";
  if (op.is_dead) text += ", dead: no result depends on it";
  return text;
}

}  // namespace upsweep
