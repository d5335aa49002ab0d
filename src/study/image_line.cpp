#include "image_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/analysis_counts.hpp"

namespace upsweep {
namespace {

/// Sizes of a part that are counted from the smallest on before it is halved.
constexpr std::size_t kMostTries = 16;

}  // namespace

std::optional<SizesOnLine> line_through(ImageSize size, std::span<const ImageSize> all, std::uint64_t step) {
  SizesOnLine best;
  for (const ImageLineKind kind : {ImageLineKind::ratio, ImageLineKind::width, ImageLineKind::height}) {
    SizesOnLine mine{kind, {}};
    for (const ImageSize& other : all) {
      const bool has_residue = other.height % step == size.height % step && other.width % step == size.width % step;
      const bool is_on_line = kind == ImageLineKind::width    ? other.width == size.width
                              : kind == ImageLineKind::height ? other.height == size.height
                                                              : other.height * size.width == other.width * size.height;
      if (has_residue && is_on_line) mine.sizes.push_back(other);
    }
    std::ranges::sort(mine.sizes, {}, [](const ImageSize& one) { return std::pair(one.height, one.width); });
    mine.sizes.erase(std::unique(mine.sizes.begin(), mine.sizes.end()), mine.sizes.end());
    if (mine.sizes.size() > best.sizes.size()) best = std::move(mine);
  }
  if (best.sizes.size() < ImageLine::kLeastSizes) return std::nullopt;
  return best;
}

ImageLine::ImageLine(SizesOnLine line) : kind_(line.kind), sizes_(std::move(line.sizes)) {
  Part all;
  all.end = sizes_.size();
  all.is_given_up = sizes_.size() < kLeastSizes;
  parts_.push_back(std::move(all));
}

ImageLine::Found ImageLine::at(ImageSize size, const Count& count) {
  const auto found = std::ranges::find(sizes_, size);
  if (found == sizes_.end()) return {};
  const auto place = static_cast<std::size_t>(found - sizes_.begin());
  std::unique_lock lock(mutex_);
  for (;;) {
    const Part& part = part_of(place);
    if (counted_.contains(place)) return {handed_out(place, part), false};
    if (part.is_given_up || refused_.contains(place)) return {};
    if (part.formulas != nullptr) {
      if (place < part.from) return {};
      const std::shared_ptr<const Formulas> formulas = part.formulas;
      lock.unlock();
      return by_formula(*formulas, size);
    }
    if (const auto next = next_to_count(part)) {
      count_one(*next, count, lock);
    } else {
      changed_.wait(lock);
    }
  }
}

/// What was counted; where the part needs it no more, it is not kept: who asks again counts that size by itself.
std::shared_ptr<const Analysis> ImageLine::handed_out(std::size_t place, const Part& part) {
  const auto counted = counted_.find(place);
  std::shared_ptr<const Analysis> analysis = counted->second.analysis;
  if (part.formulas != nullptr || part.is_given_up) {
    counted_.erase(counted);
    if (part.formulas == nullptr || place < part.from) refused_.insert(place);
  }
  return analysis;
}

ImageLine::Found ImageLine::by_formula(const Formulas& formulas, ImageSize size) {
  std::vector<std::uint64_t> counts;
  for (const ImagePolynomial& formula : formulas.of_count) {
    const std::optional<std::uint64_t> value = formula.at(size);
    if (!value) return {};
    counts.push_back(*value);
  }
  auto next = counts.begin();
  return {std::make_shared<const Analysis>(with_counts(*formulas.like, [&] { return *next++; })), true};
}

const ImageLine::Part& ImageLine::part_of(std::size_t place) const {
  return *std::ranges::find_if(parts_, [&](const Part& part) { return place < part.end; });
}

std::optional<std::size_t> ImageLine::largest(const Part& part) const {
  for (std::size_t place = part.end; place-- > part.first;) {
    if (!refused_.contains(place)) return place;
  }
  return std::nullopt;
}

/// The largest, one in the middle, then from the smallest on; nothing while other threads count what is left.
std::optional<std::size_t> ImageLine::next_to_count(const Part& part) const {
  const auto is_free = [&](std::size_t place) {
    return !refused_.contains(place) && !under_way_.contains(place) && !counted_.contains(place);
  };
  if (const auto last = largest(part); last && is_free(*last)) return last;
  if (const std::size_t middle = part.first + (part.end - part.first) / 2; is_free(middle)) return middle;
  for (std::size_t place = part.first; place < std::min(part.end, part.first + kMostTries); ++place) {
    if (is_free(place)) return place;
  }
  return std::nullopt;
}

void ImageLine::count_one(std::size_t place, const Count& count, std::unique_lock<std::mutex>& lock) {
  under_way_.insert(place);
  lock.unlock();
  std::shared_ptr<const Analysis> analysis;
  const auto refuse = [&] { analysis = nullptr; };
  try {
    analysis = std::make_shared<const Analysis>(count(sizes_[place]));
  } catch (const InputError&) {
    refuse();
  } catch (const std::invalid_argument&) {
    refuse();
  } catch (const CountOverflow&) {
    refuse();
  } catch (const std::bad_alloc&) {
    refuse();
  } catch (...) {
    lock.lock();
    under_way_.erase(place);
    changed_.notify_all();
    throw;
  }
  lock.lock();
  under_way_.erase(place);
  if (analysis == nullptr) {
    refused_.insert(place);
  } else {
    std::vector<std::uint64_t> counts;
    for_each_count(*analysis, [&](std::uint64_t value) { counts.push_back(value); });
    counted_.emplace(place, Counted{std::move(analysis), std::move(counts)});
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) look_for_formulas(part);
  changed_.notify_all();
}

/// Of a part; where it has none that holds for all of it, halves it.
void ImageLine::look_for_formulas(std::size_t number) {
  Part& part = parts_[number];
  if (part.formulas != nullptr || part.is_given_up) return;
  for (auto it = counted_.lower_bound(part.first); it != counted_.end() && it->first < part.end; ++it) {
    std::vector<ImagePolynomial> polynomials = polynomials_from(it->first, part);
    if (polynomials.empty()) continue;
    part.formulas = std::make_shared<const Formulas>(Formulas{std::move(polynomials), it->second.analysis});
    part.from = it->first;
    return;
  }
  if (next_to_count(part) ||
      std::ranges::any_of(under_way_, [&](std::size_t place) { return place >= part.first && place < part.end; }))
    return;
  const std::size_t tried = std::min(part.end, part.first + kMostTries);
  const std::size_t middle = tried + (part.end - tried) / 2;
  if (middle == part.end || middle == part.first) {
    part.is_given_up = true;
    return;
  }
  Part upper;
  upper.first = middle;
  upper.end = part.end;
  part.end = middle;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(number) + 1, upper);
  for (const std::size_t half : {number + 1, number}) {
    parts_[half].is_given_up = parts_[half].end - parts_[half].first < kLeastSizes;
    look_for_formulas(half);
  }
}

/// Of all counts, through the three sizes from `first` on; none where one of them misses a larger size of the part.
std::vector<ImagePolynomial> ImageLine::polynomials_from(std::size_t first, const Part& part) const {
  const auto last = largest(part);
  if (!last || !counted_.contains(*last)) return {};
  const std::size_t middle = part.first + (part.end - part.first) / 2;
  if (!counted_.contains(middle) && !refused_.contains(middle)) return {};
  const auto begin = counted_.find(first);
  const auto end = counted_.lower_bound(part.end);
  if (static_cast<std::size_t>(std::distance(begin, end)) < 3 + kLeastChecks) return {};
  const auto fourth = std::next(begin, 3);
  const std::size_t counts = begin->second.counts.size();
  if (std::any_of(begin, end, [&](const auto& one) { return one.second.counts.size() != counts; })) return {};
  std::vector<ImagePolynomial> polynomials;
  for (std::size_t i = 0; i < counts; ++i) {
    std::array<CountAtSize, 3> three;
    std::transform(begin, fourth, three.begin(), [&](const auto& one) {
      return CountAtSize{sizes_[one.first], one.second.counts[i]};
    });
    const auto polynomial = polynomial_through(three, kind_);
    const auto is_met = [&](const auto& one) { return polynomial->at(sizes_[one.first]) == one.second.counts[i]; };
    if (!polynomial || !std::all_of(fourth, end, is_met)) return {};
    polynomials.push_back(*polynomial);
  }
  return polynomials;
}

}  // namespace upsweep
