#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "upsweep/recurrent/stacked.hpp"
#include "upsweep/scan/builders.hpp"

// The ways to solve a stack of layers as lists of every operation, made without the closed forms.

namespace upsweep::testing {

/// Level `level` computes value = a · b, or a + b in a level of additions.
struct PlanOp {
  std::size_t a = 0;
  std::size_t b = 0;
};

struct PlanLevel {
  bool adds = false;
  std::vector<PlanOp> ops;
};

/// Values are numbered: the blocks P(i, s), then Q(i, s), then the given gradient, then the operations in order.
struct Plan {
  StackedShape shape;
  std::vector<bool> is_vector;  ///< per value
  std::vector<PlanLevel> levels;
  std::vector<std::size_t> results;  ///< g(i, s) at (i - 1) · T + s - 1

  [[nodiscard]] std::size_t cell(std::size_t i, std::size_t s) const { return (i - 1) * shape.steps + s - 1; }
  [[nodiscard]] std::size_t p(std::size_t i, std::size_t s) const { return cell(i, s); }
  [[nodiscard]] std::size_t q(std::size_t i, std::size_t s) const { return cells() + cell(i, s); }
  [[nodiscard]] std::size_t given() const { return 2 * cells(); }
  [[nodiscard]] std::size_t cells() const { return shape.layers * shape.steps; }
};

/// A block that is to be made: the sum of products and of values.
struct Target {
  std::vector<PlanOp> products;
  std::vector<std::size_t> addends;
};

/// Combines of a scan by level, of which only those that results need: value `length + i` is the i-th in order.
struct ScanPlan {
  struct Op {
    std::size_t earlier = 0;
    std::size_t later = 0;
    std::size_t value = 0;
    bool is_vector = false;  ///< it includes element 0
  };
  std::vector<std::vector<Op>> levels;
  std::vector<std::size_t> prefixes;  ///< [j]: element 0 ⋄ ... ⋄ element j, j = 0..T - 1
};

inline ScanPlan hybrid_plan(std::size_t steps, std::uint32_t depth) {
  const Schedule schedule = hybrid_schedule(steps + 1, depth);
  const std::vector<bool> dead = dead_combines(schedule);
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  std::vector<std::vector<ScanPlan::Op>> levels(schedule.levels);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& op = schedule.combines[id];
    const std::size_t value = schedule.value_of(id);
    if (!dead[id]) levels[op.level].push_back({op.earlier, op.later, value, ranges[value].first == 0});
  }
  std::erase_if(levels, [](const auto& level) { return level.empty(); });
  return {levels, {schedule.results.begin() + 1, schedule.results.end()}};
}

inline ScanPlan kogge_stone_plan(std::size_t steps) {
  ScanPlan plan;
  for (std::size_t j = 0; j < steps; ++j) plan.prefixes.push_back(j);
  std::size_t next = steps;
  for (std::size_t half = 1; half < steps; half *= 2) {
    std::vector<std::size_t> now = plan.prefixes;
    plan.levels.emplace_back();
    for (std::size_t j = half; j < steps; ++j) {
      plan.levels.back().push_back({plan.prefixes[j - half], plan.prefixes[j], next, j < 2 * half});
      now[j] = next++;
    }
    plan.prefixes = now;
  }
  return plan;
}

/// Lists the operations of a way; level for level as far as possible in parallel.
class PlanBuilder {
 public:
  PlanBuilder(const StackedShape& shape, const StackedMethod& method) : method_(method) {
    plan_.shape = shape;
    plan_.is_vector.assign(2 * plan_.cells(), false);
    plan_.is_vector.push_back(true);
    plan_.results.assign(plan_.cells(), 0);
    result(shape.layers, shape.steps) = plan_.given();
  }

  Plan build() {
    switch (method_.kind) {
      case StackedKind::wavefront:
        wavefront();
        break;
      case StackedKind::layers_then_time:
        layers_then_time();
        break;
      case StackedKind::layer_by_layer:
        for (std::size_t i = layers(); i > 0; --i) layer(i);
        break;
      case StackedKind::products_ahead:
        products_ahead();
        break;
    }
    return plan_;
  }

 private:
  using Vector = std::vector<std::size_t>;
  using Matrix = std::vector<std::vector<std::size_t>>;  ///< [row][column], of use on and above the diagonal
  /// x -> matrix · x + vector; element 0 and what includes it have no matrix.
  struct Affine {
    std::optional<std::size_t> matrix;
    std::optional<std::size_t> vector;
  };

  [[nodiscard]] std::size_t layers() const { return plan_.shape.layers; }
  [[nodiscard]] std::size_t steps() const { return plan_.shape.steps; }
  std::size_t& result(std::size_t i, std::size_t s) { return plan_.results[plan_.cell(i, s)]; }

  [[nodiscard]] ScanPlan scan() const {
    return method_.scan == TimeScan::hybrid ? hybrid_plan(steps(), method_.depth) : kogge_stone_plan(steps());
  }

  std::size_t add_op(PlanLevel& level, std::size_t a, std::size_t b) {
    level.ops.push_back({a, b});
    plan_.is_vector.push_back(plan_.is_vector[b]);
    return plan_.is_vector.size() - 1;
  }

  /// A level of all products, then sums of pairs until each target is one value.
  Vector make(const std::vector<Target>& targets) {
    std::vector<Vector> terms;
    PlanLevel products;
    for (const Target& target : targets) {
      terms.push_back(target.addends);
      for (const PlanOp& op : target.products) terms.back().push_back(add_op(products, op.a, op.b));
    }
    plan_.levels.push_back(products);
    while (true) {
      PlanLevel sums{true, {}};
      for (Vector& of : terms) {
        Vector fewer;
        for (std::size_t t = 0; t + 1 < of.size(); t += 2) fewer.push_back(add_op(sums, of[t], of[t + 1]));
        if (of.size() % 2 == 1) fewer.push_back(of.back());
        of = fewer;
      }
      if (sums.ops.empty()) break;
      plan_.levels.push_back(sums);
    }
    Vector made;
    for (const Vector& of : terms) made.push_back(of.front());
    return made;
  }

  void wavefront() {
    for (std::size_t diagonal = 1; diagonal + 1 < layers() + steps(); ++diagonal) {
      std::vector<Target> targets;
      std::vector<std::size_t*> to;
      for (std::size_t x = 0; x < layers(); ++x) {
        if (x > diagonal || diagonal - x >= steps()) continue;
        const std::size_t i = layers() - x;
        const std::size_t s = steps() - (diagonal - x);
        targets.emplace_back();
        if (i < layers()) targets.back().products.push_back({plan_.p(i, s), result(i + 1, s)});
        if (s < steps()) targets.back().products.push_back({plan_.q(i, s), result(i, s + 1)});
        to.push_back(&result(i, s));
      }
      const Vector made = make(targets);
      for (std::size_t t = 0; t < made.size(); ++t) *to[t] = made[t];
    }
  }

  void layers_then_time() {
    const std::size_t k = layers();
    std::vector<Matrix> transitions(steps(), Matrix(k, Vector(k)));
    std::vector<Matrix> ranges(steps(), Matrix(k, Vector(k)));  // [s - 1][i - 1][rows]: P(i, s) ... P(i + rows - 1, s)
    for (std::size_t s = 1; s <= steps(); ++s) {
      for (std::size_t i = 1; i <= k; ++i) {
        if (s < steps()) transitions[s - 1][i - 1][i - 1] = plan_.q(i, s);
        if (i < k) ranges[s - 1][i - 1][1] = plan_.p(i, s);
      }
    }
    for (std::size_t half = 1; half < k; half *= 2) {
      std::vector<Target> targets;
      std::vector<std::size_t*> to;
      const auto add = [&](std::size_t& value, std::size_t a, std::size_t b) {
        targets.push_back({{{a, b}}, {}});
        to.push_back(&value);
      };
      for (std::size_t s = 1; s <= steps(); ++s) {
        Matrix& range = ranges[s - 1];
        for (std::size_t i = 1; i + half <= k; ++i) {
          for (std::size_t j = i + half; j <= k && j < i + 2 * half && s < steps(); ++j)
            add(transitions[s - 1][i - 1][j - 1], range[i - 1][half], transitions[s - 1][i + half - 1][j - 1]);
          if (i + 2 * half <= k) add(range[i - 1][2 * half], range[i - 1][half], range[i + half - 1][half]);
          if (s == steps() && i + 2 * half > k) add(result(i, s), range[i - 1][half], result(i + half, s));
        }
      }
      const Vector made = make(targets);
      for (std::size_t t = 0; t < made.size(); ++t) *to[t] = made[t];
    }
    scan_transitions(transitions);
  }

  Target row_of(const Matrix& later, std::size_t row, const Vector& earlier) const {
    Target target;
    for (std::size_t l = row; l < layers(); ++l) target.products.push_back({later[row][l], earlier[l]});
    return target;
  }

  void scan_transitions(const std::vector<Matrix>& transitions) {
    std::map<std::size_t, Matrix> matrices;
    std::map<std::size_t, Vector> vectors;
    for (std::size_t i = 1; i <= layers(); ++i) vectors[0].push_back(result(i, steps()));
    for (std::size_t j = 1; j < steps(); ++j) matrices[j] = transitions[steps() - j - 1];
    const ScanPlan plan = scan();
    for (const auto& level : plan.levels) {
      std::vector<Target> targets;
      for (const ScanPlan::Op& op : level) {
        const Matrix& later = matrices.at(op.later);
        for (std::size_t row = 0; row < layers(); ++row) {
          if (op.is_vector) targets.push_back(row_of(later, row, vectors.at(op.earlier)));
          for (std::size_t column = row; column < layers() && !op.is_vector; ++column) {
            targets.emplace_back();
            for (std::size_t l = row; l <= column; ++l)
              targets.back().products.push_back({later[row][l], matrices.at(op.earlier)[l][column]});
          }
        }
      }
      const Vector made = make(targets);
      std::size_t next = 0;
      for (const ScanPlan::Op& op : level) {
        for (std::size_t row = 0; row < layers(); ++row) {
          if (op.is_vector) vectors[op.value].push_back(made[next++]);
          if (!op.is_vector) matrices[op.value].resize(layers(), Vector(layers()));
          for (std::size_t column = row; column < layers() && !op.is_vector; ++column)
            matrices[op.value][row][column] = made[next++];
        }
      }
    }
    for (std::size_t j = 0; j < steps(); ++j) {
      for (std::size_t i = 1; i <= layers(); ++i) result(i, steps() - j) = vectors.at(plan.prefixes[j])[i - 1];
    }
  }

  /// Elements of a layer's scan, after its right sides are made.
  std::map<std::size_t, Affine> elements_of(std::size_t i) {
    std::map<std::size_t, Affine> values;
    values[0].vector = result(i, steps());
    for (std::size_t j = 1; j < steps(); ++j) values[j].matrix = plan_.q(i, steps() - j);
    if (i == layers()) return values;
    std::vector<Target> targets;
    for (std::size_t j = 0; j < steps(); ++j)
      targets.push_back({{{plan_.p(i, steps() - j), result(i + 1, steps() - j)}}, {}});
    const Vector made = make(targets);
    for (std::size_t j = 0; j < steps(); ++j) values[j].vector = made[j];
    return values;
  }

  static Target vector_of(const Affine& later, const Affine& earlier) {
    Target target{{{*later.matrix, *earlier.vector}}, {}};
    if (later.vector) target.addends.push_back(*later.vector);
    return target;
  }

  void store(std::size_t i, const ScanPlan& plan, const std::map<std::size_t, Affine>& values) {
    for (std::size_t j = 0; j < steps(); ++j) result(i, steps() - j) = *values.at(plan.prefixes[j]).vector;
  }

  /// The combines of a level for one layer: of matrices where `matrices`, of vectors where `vectors`.
  void combine(const std::vector<ScanPlan::Op>& level, std::vector<std::map<std::size_t, Affine>*> matrices,
               std::vector<std::map<std::size_t, Affine>*> vectors) {
    std::vector<Target> targets;
    std::vector<std::optional<std::size_t>*> to;
    for (const ScanPlan::Op& op : level) {
      for (auto* values : matrices) {
        if (op.is_vector) continue;
        targets.push_back({{{*values->at(op.later).matrix, *values->at(op.earlier).matrix}}, {}});
        to.push_back(&(*values)[op.value].matrix);
      }
      for (auto* values : vectors) {
        if (!values->at(op.earlier).vector) continue;
        targets.push_back(vector_of(values->at(op.later), values->at(op.earlier)));
        to.push_back(&(*values)[op.value].vector);
      }
    }
    if (targets.empty()) return;
    const Vector made = make(targets);
    for (std::size_t t = 0; t < made.size(); ++t) *to[t] = made[t];
  }

  void layer(std::size_t i) {
    std::map<std::size_t, Affine> values = elements_of(i);
    const ScanPlan plan = scan();
    for (const auto& level : plan.levels) combine(level, {&values}, {&values});
    store(i, plan, values);
  }

  void products_ahead() {
    const ScanPlan plan = scan();
    std::vector<std::map<std::size_t, Affine>> ahead(layers());  // of layer i at [i - 1]
    for (std::size_t i = 1; i <= layers(); ++i) {
      for (std::size_t j = 1; j < steps(); ++j) ahead[i - 1][j].matrix = plan_.q(i, steps() - j);
    }
    ahead.back()[0].vector = plan_.given();
    std::vector<std::map<std::size_t, Affine>*> all;
    for (auto& values : ahead) all.push_back(&values);
    for (const auto& level : plan.levels) combine(level, all, {&ahead.back()});
    store(layers(), plan, ahead.back());
    for (std::size_t i = layers() - 1; i > 0; --i) {
      for (const auto& [j, element] : elements_of(i)) ahead[i - 1][j].vector = element.vector;
      for (const auto& level : plan.levels) combine(level, {}, {&ahead[i - 1]});
      store(i, plan, ahead[i - 1]);
    }
  }

  StackedMethod method_;
  Plan plan_;
};

[[nodiscard]] inline Plan explicit_plan(const StackedShape& shape, const StackedMethod& method) {
  return PlanBuilder(shape, method).build();
}

}  // namespace upsweep::testing
