#include "two_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep {
namespace {

/// The smallest whole number up to `most` for which reached() holds; it holds for `most`.
template <class Reached>
double smallest(double most, const Reached& reached) {
  double low = 0;
  while (low < most) {
    const double middle = std::floor((low + most) / 2);
    if (reached(middle)) {
      most = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

double makespan_of_two_kinds(double first, double first_s, double second, double second_s, double workers) {
  const double rounds = std::floor(first / workers);
  const double late = first - rounds * workers;  // workers that have one more of the first items
  const double early = workers - late;
  const double start = rounds * first_s;
  const double late_start = start + (late > 0 ? first_s : 0);
  if (second == 0 || second_s == 0) return late_start;
  // The last item ends a whole number of items after one of the two starts: the sooner time by which all are done.
  const double gap = (late_start - start) / second_s;
  const double after_start =
      smallest(second, [&](double n) { return early * n + late * std::max(0.0, std::floor(n - gap)) >= second; });
  const double after_late =
      smallest(second, [&](double n) { return early * std::floor(n + gap) + late * n >= second; });
  return std::max(late_start, std::min(start + after_start * second_s, late_start + after_late * second_s));
}

}  // namespace upsweep
