#include "history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "upsweep/solve/residual.hpp"

namespace upsweep {
namespace {

/// A gradient of each block's length.
template <class T>
void check_gradients(const BackwardSystem<T>& system, const std::vector<std::vector<double>>& gradients,
                     const std::string& what) {
  for (const BlockShape& block : system.shape().blocks) {
    if (block.activation < gradients.size() && gradients[block.activation].size() == block.size) continue;
    throw std::invalid_argument(
        fmt::format("{} has no gradient of length {} for activation {}", what, block.size, block.activation));
  }
}

template <class T>
void check(const BackwardSystem<T>& system, const IterateSettings<T>& settings, const std::string& method) {
  if (!(settings.tolerance > 0) || !std::isfinite(settings.tolerance)) {
    throw std::invalid_argument(
        fmt::format("{}: the tolerance is {}, accepted are positive numbers", method, settings.tolerance));
  }
  if (!settings.start.empty() && settings.start.size() != system.unknowns()) {
    throw std::invalid_argument(fmt::format("{}: a start of {} numbers, accepted are {} or none", method,
                                            settings.start.size(), system.unknowns()));
  }
  if (settings.reference != nullptr)
    check_gradients(system, *settings.reference, fmt::format("{}: the reference", method));
  const double smallest = smallest_tolerance(system);
  if (settings.tolerance >= smallest) return;
  throw ToleranceUnreachable(
      fmt::format("{}: the tolerance is {:.3g}, accepted is at least {:.3g}, 4 roundings of fp{} for each of {} links",
                  method, settings.tolerance, smallest, 8 * sizeof(T), std::max<std::size_t>(1, system.couplings())),
      {});
}

/// Largest |v - gradient| over largest |gradient|.
template <class T>
double relative_error(std::span<const T> v, std::span<const double> gradient) {
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double here = std::fabs(static_cast<double>(v[i]) - gradient[i]);
    if (std::isnan(here)) return here;
    difference = std::max(difference, here);
    largest = std::max(largest, std::fabs(gradient[i]));
  }
  if (difference == 0) return 0;
  return largest == 0 ? std::numeric_limits<double>::infinity() : difference / largest;
}

double larger(double a, double b) { return std::isnan(b) || b > a ? b : a; }

}  // namespace

bool has_all_errors(std::size_t iteration) {
  return iteration == 0 || next_with_all_errors(iteration - 1) == iteration;
}

std::size_t next_with_all_errors(std::size_t iteration) {
  for (std::size_t decade = 1;; decade *= 10) {
    for (const std::size_t digit : {1U, 2U, 3U, 5U}) {
      if (digit * decade > iteration) return digit * decade;
    }
  }
}

template <class T>
History<T>::History(const BackwardSystem<T>& system, const IterateSettings<T>& settings, std::string method,
                    bool is_sparse)
    : system_(system), settings_(settings), method_(std::move(method)), is_sparse_(is_sparse) {
  check(system, settings, method_);
  if (settings.reference != nullptr) return;
  const std::vector<T> solution = substitute(system);
  for (std::size_t k = 0; k < system.blocks(); ++k) {
    const auto block = system.block(std::span<const T>(solution), k);
    own_reference_.emplace_back(block.begin(), block.end());
  }
}

template <class T>
std::vector<T> History<T>::start() const {
  if (settings_.start.empty()) return system_.right_side();
  std::vector<T> v = settings_.start;
  system_.solve_row(system_.couplings(), {}, system_.block(std::span<T>(v), system_.couplings()));
  return v;
}

template <class T>
std::vector<double> History<T>::errors(std::span<const T> v) const {
  std::vector<double> errors;
  for (std::size_t k = 0; k < system_.blocks(); ++k) {
    const std::size_t activation = system_.shape().blocks[k].activation;
    const std::vector<double>& gradient =
        settings_.reference != nullptr ? (*settings_.reference)[activation] : own_reference_[k];
    errors.push_back(relative_error(system_.block(v, k), gradient));
  }
  return errors;
}

template <class T>
bool History<T>::add(std::size_t iteration, std::span<const T> v) {
  // Only rungs of the ladder and the last point keep their errors by block: they may be many.
  if (!is_sparse_ && !points_.empty() && !has_all_errors(points_.back().iteration)) points_.back().block_errors.clear();
  const Residual found = residual(system_, v);
  IterationPoint point;
  point.iteration = iteration;
  point.residual = std::fabs(found.relative());  // a NaN without its sign
  point.residual_max = found.whole.max;
  point.block_errors = errors(v);
  for (const double error : point.block_errors) point.error = larger(point.error, error);
  point.first_error = point.block_errors.front();
  points_.push_back(std::move(point));
  if (points_.back().residual < points_[best_].residual) best_ = points_.size() - 1;
  return points_.back().residual <= settings_.tolerance;
}

template <class T>
void History<T>::refuse_growth(double growth) const {
  const IterationPoint& last = points_.back();
  if (std::isfinite(last.residual) && last.residual <= growth * std::max(1.0, points_.front().residual)) return;
  const std::string now =
      std::isfinite(last.residual) ? fmt::format("{:.3g} of the right side", last.residual) : std::string("not finite");
  throw Diverged(fmt::format("{}: diverged: the residual is {} after {} iterations, from {:.3g} at the start, accepted "
                             "is {:.3g}",
                             method_, now, last.iteration, points_.front().residual, settings_.tolerance),
                 points_);
}

template <class T>
void History<T>::refuse_stagnation() const {
  throw ToleranceUnreachable(
      fmt::format("{}: stagnates in fp{}: the residual is {:.3g} of the right side at best, after {} of {} iterations, "
                  "accepted is {:.3g}",
                  method_, 8 * sizeof(T), best_residual(), points_[best_].iteration, points_.back().iteration,
                  settings_.tolerance),
      points_);
}

template <class T>
void History<T>::refuse_limit() const {
  refuse_growth(1);
  throw IterationLimit(fmt::format("{}: the residual is {:.3g} of the right side after {} iterations, the most that "
                                   "are allowed, accepted is {:.3g}",
                                   method_, points_.back().residual, points_.back().iteration, settings_.tolerance),
                       points_);
}

template <class T>
std::vector<T> start_from(const BackwardSystem<T>& system, const std::vector<std::vector<double>>& gradients) {
  check_gradients(system, gradients, "start_from: it");
  std::vector<T> v;
  for (const BlockShape& block : system.shape().blocks) {
    for (const double number : gradients[block.activation]) v.push_back(static_cast<T>(number));
  }
  return v;
}

template std::vector<float> start_from(const BackwardSystem<float>&, const std::vector<std::vector<double>>&);
template std::vector<double> start_from(const BackwardSystem<double>&, const std::vector<std::vector<double>>&);
template class History<float>;
template class History<double>;

}  // namespace upsweep
