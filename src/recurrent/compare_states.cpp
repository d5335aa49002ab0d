#include "upsweep/recurrent/compare_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

/// A number, and how far a computed one may be away.
struct Rounded {
  double value = 0;
  double error = 0;

  [[nodiscard]] double most() const { return std::fabs(value) + error; }
};

/// Roundings of type T.
template <class T>
struct Rounding {
  static constexpr double kUnit = kOracleRoundoff<T>;
  static constexpr double kTiny = std::is_same_v<T, float> ? 4e-38 : 1e-303;
  static constexpr double kFunction = 16 * kUnit;  // of exp and tanh

  /// A sum of `terms` products, from the sum of their absolute values.
  static Rounded sum(double value, double size, std::size_t terms) {
    const auto count = static_cast<double>(terms);
    return {value, worst_rounding(count + 4, kUnit) * size + count * kTiny};
  }
  static Rounded sigmoid(const Rounded& x) {
    const double value = 1 / (1 + std::exp(-x.value));
    return {value, x.error / 4 + kFunction * (value + x.error / 4) + kTiny};
  }
  static Rounded tanh(const Rounded& x) {
    const double value = std::tanh(x.value);
    return {value, x.error + kFunction * (std::fabs(value) + x.error) + kTiny};
  }
  /// x + y · z.
  static Rounded multiply_add(const Rounded& x, const Rounded& y, const Rounded& z) {
    const double carried = x.error + y.error * z.most() + std::fabs(y.value) * z.error;
    return {x.value + y.value * z.value, carried + 4 * kUnit * (x.most() + y.most() * z.most()) + kTiny};
  }
  /// (1 - z) · n + z · before.
  static Rounded mix(const Rounded& z, const Rounded& n, double before) {
    const double carried = z.error * (n.most() + std::fabs(before)) + std::fabs(1 - z.value) * n.error;
    const double size = (std::fabs(1 - z.value) + z.error) * n.most() + z.most() * std::fabs(before);
    return {(1 - z.value) * n.value + z.value * before, carried + 4 * kUnit * size + kTiny};
  }
};

/// A comparison of some rows, and where its first mismatch stands.
struct Partial {
  StateComparison result;
  std::size_t row = 0;

  void add(const Partial& other) {
    result.Closeness::add(other.result);
    if (!other.result.mismatch || (result.mismatch && row < other.row)) return;
    result.mismatch = other.result.mismatch;
    row = other.row;
  }
};

template <class T>
class Checker {
 public:
  Checker(const CellWeights<T>& weights, std::span<const T> inputs, const ForwardStates<T>& states)
      : w_(to_double(weights)), inputs_(inputs), states_(states) {}

  /// h_0.
  void check_start(Partial& to) const {
    for (std::size_t i = 0; i < states_.batch * w_.shape.hidden; ++i)
      compare("h", 0, i, static_cast<double>(states_.hidden[i]), {}, to);
  }

  /// Row `row` is step row / batch + 1 of sample row % batch.
  void check_row(std::size_t row, Partial& to) const {
    for (std::size_t i = 0; i < w_.shape.hidden; ++i) {
      const std::size_t at = row * w_.shape.hidden + i;
      const auto after = static_cast<double>(states_.hidden[at + states_.batch * w_.shape.hidden]);
      if (w_.shape.kind == CellKind::gru) {
        check_gru(row, i, after, to);
        continue;
      }
      const Rounded sum = gate_sum(row, i);
      const bool is_relu = w_.shape.nonlinearity == Nonlinearity::relu;
      const Rounded expected = is_relu ? Rounded{std::max(sum.value, 0.0), sum.error} : Rounding<T>::tanh(sum);
      compare("h", row / states_.batch + 1, at, after, expected, to);
    }
  }

 private:
  void check_gru(std::size_t row, std::size_t i, double after, Partial& to) const {
    const std::size_t h = w_.shape.hidden;
    const std::size_t at = row * h + i;
    const std::size_t t = row / states_.batch + 1;
    const Rounded r = Rounding<T>::sigmoid(gate_sum(row, i));
    const Rounded z = Rounding<T>::sigmoid(gate_sum(row, h + i));
    const Terms input = input_terms(row, 2 * h + i);
    const Terms hidden = hidden_terms(row, 2 * h + i);
    const Rounded m = Rounding<T>::sum(hidden.value, hidden.size, h + 1);
    const Rounded n = Rounding<T>::tanh(
        Rounding<T>::multiply_add(Rounding<T>::sum(input.value, input.size, w_.shape.input + 1), r, m));
    compare("r", t, at, static_cast<double>(states_.r[at]), r, to);
    compare("z", t, at, static_cast<double>(states_.z[at]), z, to);
    compare("n", t, at, static_cast<double>(states_.n[at]), n, to);
    compare("m", t, at, static_cast<double>(states_.m[at]), m, to);
    compare("h", t, at, after, Rounding<T>::mix(z, n, static_cast<double>(states_.hidden[at])), to);
  }

  /// A sum, and that of the absolute values of its terms.
  struct Terms {
    double value = 0;
    double size = 0;

    void add(double term) {
      value += term;
      size += std::fabs(term);
    }
  };

  [[nodiscard]] Terms input_terms(std::size_t row, std::size_t sum) const {
    Terms terms;
    const std::size_t count = w_.shape.input;
    for (std::size_t j = 0; j < count; ++j)
      terms.add(w_.w_ih[sum * count + j] * static_cast<double>(inputs_[row * count + j]));
    terms.add(w_.b_ih[sum]);
    return terms;
  }

  [[nodiscard]] Terms hidden_terms(std::size_t row, std::size_t sum) const {
    Terms terms;
    const std::size_t count = w_.shape.hidden;
    for (std::size_t j = 0; j < count; ++j)
      terms.add(w_.w_hh[sum * count + j] * static_cast<double>(states_.hidden[row * count + j]));
    terms.add(w_.b_hh[sum]);
    return terms;
  }

  [[nodiscard]] Rounded gate_sum(std::size_t row, std::size_t sum) const {
    const Terms input = input_terms(row, sum);
    const Terms hidden = hidden_terms(row, sum);
    return Rounding<T>::sum(input.value + hidden.value, input.size + hidden.size, w_.shape.input + w_.shape.hidden + 2);
  }

  /// Element `at` of [b][h], or of [t - 1][b][h].
  void compare(const char* what, std::size_t t, std::size_t at, double found, const Rounded& expected,
               Partial& to) const {
    StateComparison& result = to.result;
    if (result.add(found, expected.value, expected.error, 1) || result.mismatch) return;
    const std::size_t h = w_.shape.hidden;
    result.mismatch = fmt::format(
        "{}_{} of sample {}: element {} is {:.9g}, expected {:.9g} from the state before it, accepted is a difference "
        "of {:.3g}",
        what, t, at / h % states_.batch, at % h, found, expected.value, expected.error);
    to.row = t == 0 ? 0 : at / h + 1;
  }

  CellWeights<double> w_;
  std::span<const T> inputs_;
  const ForwardStates<T>& states_;
};

}  // namespace

template <class T>
StateComparison compare_states(const CellWeights<T>& weights, std::span<const T> inputs,
                               const ForwardStates<T>& states) {
  require_fitting(weights, states);
  const std::size_t rows = states.steps * states.batch;
  require_length("inputs", inputs.size(), rows * weights.shape.input);
  const Checker<T> checker(weights, inputs, states);
  Partial all;
  checker.check_start(all);
  std::mutex guard;
  parallel_chunks(rows, 64, [&](std::size_t begin, std::size_t end, std::size_t) {
    Partial some;
    for (std::size_t row = begin; row < end; ++row) checker.check_row(row, some);
    const std::scoped_lock lock(guard);
    all.add(some);
  });
  return all.result;
}

template StateComparison compare_states<float>(const CellWeights<float>&, std::span<const float>,
                                               const ForwardStates<float>&);
template StateComparison compare_states<double>(const CellWeights<double>&, std::span<const double>,
                                                const ForwardStates<double>&);

}  // namespace upsweep
