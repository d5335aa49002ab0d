#include "upsweep/search/image_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "critical_path_formula.hpp"
#include "upsweep/profile/uncounted_text.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostStride = 4096;

/// Counts of these names are maxima of polynomials: by which rule of execution.
constexpr std::array<std::pair<const char*, Execution>, 2> kCriticalPaths = {
    {{"critical_path_level", Execution::level}, {"critical_path_dag", Execution::dag}}};

bool is_critical_path(const ImageFormula& formula) {
  return std::ranges::any_of(kCriticalPaths, [&](const auto& path) { return formula.what == path.first; });
}

/// What FLOPs of combine `id` are named.
std::string op_name(std::size_t id) { return fmt::format("op {}", id); }

/// Counts that a polynomial is made from.
constexpr std::size_t kMadeFrom = 4;

/// Products of a count, sizes and strides leave 64 bits on the way.
__extension__ using SignedWide = __int128;

/// Coefficients of a polynomial as it stands in ImagePolynomial, with the divisor at the end, which is not 0.
using Terms = std::array<SignedWide, 5>;

/// Without common factors; nothing where they leave 64 bits.
std::optional<ImagePolynomial> reduced(Terms terms) {
  SignedWide common = 0;
  for (SignedWide term : terms) {
    term = term < 0 ? -term : term;
    while (term != 0) common = std::exchange(term, common % term);
  }
  if (terms.back() < 0) common = -common;
  ImagePolynomial polynomial;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const SignedWide mine = terms[t] / common;
    if (mine > INT64_MAX || mine < INT64_MIN) return std::nullopt;
    (t < 4 ? polynomial.c[t] : polynomial.divisor) = static_cast<std::int64_t>(mine);
  }
  return polynomial;
}

/// Places of sizes: how many steps height and width are from the smallest.
using Place = std::pair<std::uint64_t, std::uint64_t>;

/// What an operator multiplies the stride by.
std::uint64_t own_stride(const OperatorKind& kind) {
  return std::visit(
      [](const auto& one) -> std::uint64_t {
        if constexpr (requires { one.stride.y; }) return std::lcm(one.stride.y, one.stride.x);
        if constexpr (requires { one.output_size.y; }) return std::lcm(one.output_size.y, one.output_size.x);
        return 1;
      },
      kind);
}

/// Counts by size, each made once.
class CountedSizes {
 public:
  CountedSizes(const NetworkView& view, const FormulaSettings& settings, ImageSize smallest, std::uint64_t step)
      : view_(view), settings_(settings), smallest_(smallest), step_(step) {}

  [[nodiscard]] ImageSize size(const Place& place) const {
    return {smallest_.height + place.first * step_, smallest_.width + place.second * step_};
  }
  void count(const Place& place) {
    if (counts_.contains(place)) return;
    if (settings_.progress) settings_.progress(size(place));
    counts_.emplace(place, image_counts(view_, settings_, size(place)));
    largest_ = {std::max(largest_.height, size(place).height), std::max(largest_.width, size(place).width)};
  }
  [[nodiscard]] std::uint64_t at(const Place& place, std::size_t i) const { return counts_.at(place)[i].value; }
  [[nodiscard]] std::size_t number() const { return counts_.size(); }
  [[nodiscard]] ImageSize largest() const { return largest_; }

  /// Formulas of all counts but critical paths, each from the smallest of the first `places` places of the diagonal on;
  /// none: no polynomial.
  [[nodiscard]] std::vector<ImageFormula> formulas(std::uint64_t places) const {
    std::vector<ImageFormula> all;
    const std::vector<ImageCount>& first = counts_.begin()->second;
    for (std::size_t i = 0; i < first.size(); ++i) {
      ImageFormula formula{first[i].of, first[i].what};
      formula.is_derived = is_critical_path(formula);
      all.push_back(formula.is_derived ? formula : this->formula(std::move(formula), i, places));
    }
    return all;
  }

  /// How many sizes from one on were counted, where a polynomial meets count i at all of them.
  [[nodiscard]] std::optional<std::size_t> met(const ImagePolynomial& polynomial, std::size_t i, ImageSize from) const {
    std::size_t met = 0;
    for (const auto& [place, counts] : counts_) {
      const ImageSize size = this->size(place);
      if (size.height < from.height || size.width < from.width) continue;
      if (polynomial.at(size) != counts[i].value) return std::nullopt;
      ++met;
    }
    return met;
  }

 private:
  /// `formula` with the polynomial of count i.
  [[nodiscard]] ImageFormula formula(ImageFormula formula, std::size_t i, std::uint64_t places) const {
    for (std::uint64_t at = 0; at + 2 < places; ++at) {
      const auto polynomial = polynomial_through({{{this->at({at, at}, i), this->at({at, at + 1}, i)},
                                                   {this->at({at + 1, at}, i), this->at({at + 1, at + 1}, i)}}},
                                                 size({at, at}), step_);
      const auto met = polynomial ? this->met(*polynomial, i, size({at, at})) : std::nullopt;
      if (met < kMadeFrom + kLeastChecks) continue;  // nothing is less than any number
      formula.polynomial = polynomial;
      formula.from = size({at, at});
      formula.checks = *met - kMadeFrom;
      return formula;
    }
    return formula;
  }

  const NetworkView& view_;
  const FormulaSettings& settings_;
  ImageSize smallest_;
  std::uint64_t step_;
  ImageSize largest_;
  std::map<Place, std::vector<ImageCount>> counts_;
};

/// Critical paths by the formulas of their combines, where all have one.
void derive_critical_paths(std::vector<ImageFormula>& formulas, const CountedSizes& sizes, const Schedule& schedule,
                           const FormulaSettings& settings, std::uint64_t step) {
  std::vector<ImagePolynomial> flops;
  ImageSize from = sizes.size({0, 0});
  for (const ImageFormula& formula : formulas) {
    if (formula.what != "flops" || formula.of != op_name(flops.size())) continue;
    if (!formula.polynomial) return;
    flops.push_back(*formula.polynomial);
    from = {std::max(from.height, formula.from.height), std::max(from.width, formula.from.width)};
  }
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    for (const auto& [what, execution] : kCriticalPaths) {
      if (formulas[i].what != what) continue;
      const auto path = critical_path_formula(schedule, execution, flops, from, step, settings.most_size);
      const auto met = path ? sizes.met(path->polynomial, i, path->from) : std::nullopt;
      if (!met) continue;
      formulas[i].polynomial = path->polynomial;
      formulas[i].from = path->from;
      formulas[i].checks = *met;
    }
  }
}

/// The smallest sizes of a residue that a network takes. Throws what it says of the largest one.
ImageSize smallest_size(const NetworkView& view, const FormulaSettings& settings, std::uint64_t step) {
  const auto first = [&](std::uint64_t residue) { return residue % step == 0 ? step : residue % step; };
  ImageSize size{first(settings.residue.height), first(settings.residue.width)};
  for (;;) {
    try {
      static_cast<void>(on_image(view.network, view.weights, size));
      return size;
    } catch (const OperatorError&) {
      const ImageSize next{size.height + step, size.width + step};
      if (std::max(next.height, next.width) > settings.most_size) throw;
      size = next;
    }
  }
}

}  // namespace

std::optional<std::uint64_t> ImagePolynomial::at(ImageSize size) const {
  const SignedWide height = size.height;
  const SignedWide width = size.width;
  const SignedWide sum = c[0] + c[1] * height + c[2] * width + c[3] * height * width;
  if (sum < 0 || sum % divisor != 0 || sum / divisor > UINT64_MAX) return std::nullopt;
  return static_cast<std::uint64_t>(sum / divisor);
}

std::optional<ImagePolynomial> polynomial_through(const std::array<std::array<std::uint64_t, 2>, 2>& counts,
                                                  ImageSize first, std::uint64_t step) {
  for (const auto& row : counts) {
    for (const std::uint64_t count : row) {
      if (count > INT64_MAX) return std::nullopt;
    }
  }
  const auto count = [&](std::size_t a, std::size_t b) { return static_cast<SignedWide>(counts[a][b]); };
  const auto m = static_cast<SignedWide>(step);
  const auto h = static_cast<SignedWide>(first.height);
  const auto w = static_cast<SignedWide>(first.width);
  // f = A + B i + C j + D i j with i = (height - h) / m and j = (width - w) / m, times m².
  const SignedWide down = count(1, 0) - count(0, 0);
  const SignedWide across = count(0, 1) - count(0, 0);
  const SignedWide both = count(1, 1) - count(1, 0) - across;
  constexpr SignedWide kRoom = static_cast<SignedWide>(1) << 96;
  Terms terms{count(0, 0) * m * m, 0, 0, both, m * m};
  if (terms[0] > kRoom || h > SignedWide{kMostStride} * kMostStride || w > SignedWide{kMostStride} * kMostStride)
    return std::nullopt;
  terms[0] += -down * h * m - across * w * m + both * h * w;
  terms[1] = down * m - both * w;
  terms[2] = across * m - both * h;
  return reduced(terms);
}

std::optional<ImagePolynomial> polynomial_through(const std::array<CountAtSize, 3>& counts, ImageLineKind kind) {
  constexpr std::uint64_t kMostSize = 1 << 13;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 60;
  std::array<SignedWide, 3> x{};
  std::array<SignedWide, 3> y{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [size, count] = counts[i];
    if (std::max(size.height, size.width) > kMostSize || count > kMostCount) return std::nullopt;
    x[i] = static_cast<SignedWide>(kind == ImageLineKind::height ? size.width : size.height);
    y[i] = static_cast<SignedWide>(count);
  }
  // (a + b x + c x²) / all by divided differences.
  const SignedWide all = (x[1] - x[0]) * (x[2] - x[1]) * (x[2] - x[0]);
  const SignedWide c = (y[2] - y[1]) * (x[1] - x[0]) - (y[1] - y[0]) * (x[2] - x[1]);
  const SignedWide first = (y[1] - y[0]) * (x[2] - x[1]) * (x[2] - x[0]);
  const SignedWide b = first - c * (x[0] + x[1]);
  const SignedWide a = y[0] * all - first * x[0] + c * x[0] * x[1];
  if (kind != ImageLineKind::ratio) {
    if (c != 0) return std::nullopt;
    return reduced(kind == ImageLineKind::width ? Terms{a, b, 0, 0, all} : Terms{a, 0, b, 0, all});
  }
  const auto height = static_cast<SignedWide>(counts[0].size.height);
  const auto width = static_cast<SignedWide>(counts[0].size.width);
  return reduced({a * width, b * width, 0, c * height, all * width});  // x² is height · width · (height / width)
}

std::uint64_t accumulated_stride(const Network& network) {
  std::vector<std::uint64_t> strides;
  std::uint64_t all = 1;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    std::uint64_t before = 1;
    for (const std::size_t input : network.inputs_of(o)) {
      if (input != kNetworkInput) before = std::lcm(before, strides[input]);
    }
    strides.push_back(before * own_stride(network.operators()[o].kind));
    all = std::lcm(all, strides.back());
    if (all > kMostStride) {
      const Operator& op = network.operators()[o];
      throw OperatorError(o, fmt::format("{} '{}': the accumulated stride up to here is {}, formulas take at most {}",
                                         kind_name(op.kind), op.name, all, kMostStride));
    }
  }
  return all;
}

Network on_image(const Network& network, const NetworkWeights& weights, ImageSize size) {
  if (network.input().size() != 3)
    throw std::invalid_argument("the network takes [features], accepted is one that takes images");
  std::vector<OperatorSpec> specs;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    std::vector<std::string> inputs;
    for (const std::size_t input : network.inputs_of(o))
      inputs.push_back(input == kNetworkInput ? kInputName : network.operators()[input].name);
    specs.push_back({op.name, op.kind, std::move(inputs)});
  }
  Network made({network.input()[0], size.height, size.width}, specs);
  for (std::size_t o = 0; o < made.operators().size(); ++o) {
    const Operator& op = made.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape || weights[o].kept.empty() || elements(*shape) == weights[o].kept.size()) continue;
    throw OperatorError(
        o, fmt::format("{} '{}': its mask has {} weights, and {} on images of {} x {}; accepted are "
                       "masks that do not depend on the image's size",
                       kind_name(op.kind), op.name, weights[o].kept.size(), elements(*shape), size.height, size.width));
  }
  return made;
}

std::vector<ImageCount> image_counts(const NetworkView& view, const FormulaSettings& settings, ImageSize size) {
  const Network network = on_image(view.network, view.weights, size);
  NetworkView there{network, view.weights, nullptr, view.value_bytes};
  const Analysis analysis = analyse(there, PatternKind::guaranteed, {settings.schedule(network.links().size() + 1)}, {},
                                    PatternForm::classes, &settings.limits);
  if (!analysis.uncounted.empty()) {
    throw OperatorError(first_operator(network, analysis.uncounted.front().refused),
                        uncounted_text(there, PatternKind::guaranteed, analysis.uncounted.front()));
  }
  std::vector<ImageCount> counts;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (is_view(op.kind) || is_join(op.kind)) continue;
    counts.push_back({op.name, "nnz", analysis.network.operators[o].nnz});
    counts.push_back({op.name, "baseline_flops", analysis.network.operators[o].baseline_flops});
  }
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    if (!network.link(i).is_block) continue;
    const std::string name = "block of " + network.operators()[network.link(i).output()].name;
    counts.push_back({name, "nnz", analysis.network.links[i].nnz});
    counts.push_back({name, "formation_flops", analysis.network.links[i].formation.flops()});
  }
  const ScheduleProfile& profile = analysis.schedules.front();
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    counts.push_back({op_name(id), "nnz", profile.ops[id].nnz});
    counts.push_back({op_name(id), "flops", profile.ops[id].flops});
  }
  const std::string& name = profile.schedule.name;
  const Totals all = totals(profile, Scope::all);
  counts.push_back({name, "flops", all.flops});
  counts.push_back({name, "live_flops", totals(profile, Scope::live).flops});
  for (const auto& [what, execution] : kCriticalPaths) counts.push_back({name, what, all.critical_path(execution)});
  counts.push_back({"network", "linear_flops", analysis.network.linear_flops});
  counts.push_back({"network", "baseline_flops", analysis.network.baseline_flops});
  return counts;
}

ImageFormulas image_formulas(const NetworkView& view, const FormulaSettings& settings) {
  ImageFormulas found;
  found.step = accumulated_stride(view.network);
  found.residue = {settings.residue.height % found.step, settings.residue.width % found.step};
  found.smallest = smallest_size(view, settings, found.step);
  CountedSizes sizes(view, settings, found.smallest, found.step);
  const auto fits = [&](const Place& place) {
    return std::max(sizes.size(place).height, sizes.size(place).width) <= settings.most_size;
  };
  bool is_done = false;
  for (std::uint64_t last = 0; !is_done && fits({last, last}); ++last) {
    sizes.count({last, last});
    for (std::uint64_t behind = 1; behind <= std::min<std::uint64_t>(last, 2); ++behind) {
      sizes.count({last, last - behind});
      sizes.count({last - behind, last});
    }
    if (last < 2) continue;
    const auto look = [&] {
      found.formulas = sizes.formulas(last + 1);
      return std::ranges::all_of(found.formulas,
                                 [](const ImageFormula& f) { return f.is_derived || f.polynomial.has_value(); });
    };
    is_done = look();
    if (!is_done || !fits({2 * last, 2 * last + 1})) continue;
    sizes.count({2 * last, 2 * last + 1});
    is_done = look();
  }
  const Schedule schedule = settings.schedule(view.network.links().size() + 1);
  derive_critical_paths(found.formulas, sizes, schedule, settings, found.step);
  found.largest = sizes.largest();
  found.sizes = sizes.number();
  found.schedule = schedule.name;
  return found;
}

}  // namespace upsweep
