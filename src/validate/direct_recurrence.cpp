#include "direct_recurrence.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

/// What back-propagation through time needs of a step.
struct StepTrace {
  std::vector<double> before, after;          ///< states
  std::vector<double> memory_before, memory;  ///< of an lstm
  std::vector<std::vector<double>> gate;      ///< after their functions
  std::vector<double> product;                ///< gru: matrix of n times the state, with its bias
};

/// One layer, written by PyTorch's formulas, gate by gate.
class TimeWalk {
 public:
  TimeWalk(const Operator& op, const Recurrence& kind, const OperatorWeights& weights, std::span<const double> x)
      : kind_(kind), weights_(weights), steps_(op.in_shape[0]), features_(op.in_shape[1]), hidden_(kind.hidden) {
    std::vector<double> state(hidden_, 0.0);
    std::vector<double> memory(hidden_, 0.0);
    for (std::size_t k = 0; k < steps_; ++k) {
      traces_.push_back(trace(x.subspan(time(k) * features_, features_), state, memory));
      state = traces_.back().after;
      memory = traces_.back().memory;
    }
  }

  /// Gradients with respect to the input; with `is_absolute` every factor by its absolute value.
  [[nodiscard]] std::vector<double> hand_back(std::span<const double> upstream, bool is_absolute) const {
    std::vector<double> result(steps_ * features_, 0.0);
    std::vector<double> state(hidden_, 0.0);
    std::vector<double> memory(hidden_, 0.0);
    for (std::size_t k = steps_; k-- > 0;) {
      for (std::size_t j = 0; j < hidden_; ++j) state[j] += upstream[time(k) * hidden_ + j];
      const std::span<double> to = std::span(result).subspan(time(k) * features_, features_);
      back(traces_[k], state, memory, to, is_absolute);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t time(std::size_t k) const { return kind_.reversed ? steps_ - 1 - k : k; }
  [[nodiscard]] double entry(std::size_t gate, std::size_t j, std::size_t column) const {
    return weights_.values[(gate * hidden_ + j) * (features_ + hidden_) + column];
  }
  [[nodiscard]] double shift(std::size_t which, std::size_t gate, std::size_t j) const {
    if (weights_.bias.empty()) return 0;
    return weights_.bias[(which * kind_.gates() + gate) * hidden_ + j];
  }
  [[nodiscard]] double from_input(std::size_t gate, std::size_t j, std::span<const double> x) const {
    double sum = 0;
    for (std::size_t f = features_; f-- > 0;) sum += x[f] * entry(gate, j, f);
    return sum + shift(0, gate, j);
  }
  [[nodiscard]] double from_state(std::size_t gate, std::size_t j, const std::vector<double>& h) const {
    double sum = 0;
    for (std::size_t i = hidden_; i-- > 0;) sum += h[i] * entry(gate, j, features_ + i);
    return sum + shift(1, gate, j);
  }

  [[nodiscard]] StepTrace trace(std::span<const double> x, const std::vector<double>& state,
                                const std::vector<double>& memory) const {
    const auto logistic_of = [](double sum) { return 0.5 * (1 + std::tanh(sum / 2)); };
    StepTrace t{state, state, memory, memory, {}, {}};
    const bool is_gru = kind_.cell == RecurrentCell::gru;
    for (std::size_t g = 0; g < kind_.gates(); ++g) {
      std::vector<double>& gate = t.gate.emplace_back();
      for (std::size_t j = 0; j < hidden_; ++j) {
        if (is_gru && g == 2) {
          std::vector<double> kept = state;
          for (std::size_t i = 0; i < hidden_; ++i) kept[i] *= kind_.reset_after ? 1 : t.gate[0][i];
          t.product.push_back(from_state(2, j, kept));
          gate.push_back(std::tanh(from_input(2, j, x) + t.product[j] * (kind_.reset_after ? t.gate[0][j] : 1)));
          continue;
        }
        const double sum = from_input(g, j, x) + from_state(g, j, state);
        const bool is_candidate = kind_.cell == RecurrentCell::rnn || (kind_.cell == RecurrentCell::lstm && g == 2);
        gate.push_back(!is_candidate ? logistic_of(sum) : kind_.relu ? (sum > 0 ? sum : 0) : std::tanh(sum));
      }
    }
    for (std::size_t j = 0; j < hidden_; ++j) {
      if (kind_.cell == RecurrentCell::rnn) t.after[j] = t.gate[0][j];
      if (is_gru) t.after[j] = t.gate[2][j] + t.gate[1][j] * (state[j] - t.gate[2][j]);
      if (kind_.cell != RecurrentCell::lstm) continue;
      t.memory[j] = t.gate[0][j] * t.gate[2][j] + t.gate[1][j] * memory[j];
      t.after[j] = t.gate[3][j] * std::tanh(t.memory[j]);
    }
    return t;
  }

  /// From the gradients of a step's states to those of the states before, and of its input.
  void back(const StepTrace& t, std::vector<double>& state, std::vector<double>& memory, std::span<double> input,
            bool is_absolute) const {
    const auto factor = [&](double number) { return is_absolute ? std::fabs(number) : number; };
    std::vector<std::vector<double>> sums(kind_.gates(), std::vector<double>(hidden_, 0.0));
    std::vector<double> before(hidden_, 0.0);
    const auto square_of = [](double number) { return number * number; };
    for (std::size_t j = 0; j < hidden_; ++j) {
      const auto gate = [&](std::size_t g) { return t.gate[g][j]; };
      const auto flank = [&](std::size_t g) { return gate(g) - square_of(gate(g)); };
      switch (kind_.cell) {
        case RecurrentCell::rnn:
          sums[0][j] = state[j] * factor(kind_.relu ? (t.after[j] > 0 ? 1 : 0) : 1 - square_of(t.after[j]));
          break;
        case RecurrentCell::gru:
          before[j] += state[j] * gate(1);
          sums[1][j] = state[j] * factor((t.before[j] - gate(2)) * flank(1));
          sums[2][j] = state[j] * factor((1 - gate(1)) * (1 - square_of(gate(2))));
          break;
        case RecurrentCell::lstm: {
          const double bent = std::tanh(t.memory[j]);
          memory[j] += state[j] * factor(gate(3) * (1 - square_of(bent)));
          sums[0][j] = memory[j] * factor(gate(2) * flank(0));
          sums[1][j] = memory[j] * factor(t.memory_before[j] * flank(1));
          sums[2][j] = memory[j] * factor(gate(0) * (1 - square_of(gate(2))));
          sums[3][j] = state[j] * factor(bent * flank(3));
          memory[j] *= gate(1);
          break;
        }
      }
    }
    if (kind_.cell == RecurrentCell::gru) back_through_reset(t, sums, before, factor);
    for (std::size_t g = 0; g < sums.size(); ++g) {
      const bool is_passed = kind_.cell == RecurrentCell::gru && g == 2;  // its state has been handed back
      for (std::size_t j = 0; j < hidden_; ++j) {
        for (std::size_t f = 0; f < features_; ++f) input[f] += sums[g][j] * factor(entry(g, j, f));
        for (std::size_t i = 0; i < hidden_ && !is_passed; ++i)
          before[i] += sums[g][j] * factor(entry(g, j, features_ + i));
      }
    }
    state = std::move(before);
  }

  void back_through_reset(const StepTrace& t, std::vector<std::vector<double>>& sums, std::vector<double>& before,
                          const auto& factor) const {
    for (std::size_t i = 0; i < hidden_; ++i) {
      const double r = t.gate[0][i];
      double through = 0;
      for (std::size_t j = 0; j < hidden_; ++j)
        through += sums[2][j] * factor(entry(2, j, features_ + i)) * (kind_.reset_after ? t.gate[0][j] : 1);
      before[i] += kind_.reset_after ? through : through * r;
      const double to_reset = kind_.reset_after ? sums[2][i] * factor(t.product[i]) : through * factor(t.before[i]);
      sums[0][i] = to_reset * factor(r * (1 - r));
    }
  }

  const Recurrence& kind_;
  const OperatorWeights& weights_;
  std::size_t steps_, features_, hidden_;
  std::vector<StepTrace> traces_;
};

}  // namespace

std::vector<double> through_time(const Operator& op, const Recurrence& kind, const OperatorWeights& weights,
                                 std::span<const double> x, std::span<const double> upstream, PassKind pass) {
  const TimeWalk walk(op, kind, weights, x);
  if (pass != PassKind::square) return walk.hand_back(upstream, pass == PassKind::magnitude);
  std::vector<double> roots;
  for (const double square : upstream) roots.push_back(std::sqrt(square));
  std::vector<double> result = walk.hand_back(roots, true);
  for (double& number : result) number *= number;
  return result;
}

}  // namespace upsweep
