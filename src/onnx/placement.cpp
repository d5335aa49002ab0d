#include "placement.hpp"

#include <algorithm>

namespace upsweep {

Shape trimmed(Shape dims) {
  const auto first = std::ranges::find_if(dims, [](std::uint64_t size) { return size != 1; });
  dims.erase(dims.begin(), first == dims.end() && !dims.empty() ? first - 1 : first);
  return dims;
}

Shape sample_shape(Shape dims) {
  if (dims.size() > 1 && dims[0] == 1) dims.erase(dims.begin());
  if (dims.empty()) dims = {1};
  return dims;
}

std::string whole(OnnxValue& value, NetworkBuilder& builder) {
  if (!value.map && value.sources.size() == 1) return value.sources[0];
  return builder.source(value, sample_shape(value.dims));
}

OnnxValue expanded(OnnxValue value, const Shape& dims, NetworkBuilder& builder) {
  if (value.dims == dims) return value;
  require_size(dims);
  std::vector<std::uint32_t> from;
  for (std::size_t e = 0; e < elements(dims); ++e) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t back = 1, rest = e; back <= value.rank(); rest /= dims[dims.size() - back], ++back) {
      const std::uint64_t size = value.dims[value.rank() - back];
      if (size != 1) at += rest % dims[dims.size() - back] * step;
      step *= size;
    }
    from.push_back(static_cast<std::uint32_t>(at));
  }
  return builder.moved({dims, std::move(from), 0}, {std::move(value)});
}

Placement placement_of(const Shape& constant, const Shape& dims) {
  Placement place;
  const Shape mine = trimmed(constant);
  std::size_t last = mine.size();
  while (last > 0 && mine[last - 1] == 1) --last;
  bool fits = true;
  for (std::size_t back = 1; back <= mine.size(); ++back) {
    const std::uint64_t whole = dims[dims.size() - back];
    if (mine.size() - back >= last) {
      place.inner *= whole;
    } else {
      fits = fits && mine[mine.size() - back] == whole;
      place.size *= whole;
    }
  }
  if (fits) return place;
  require_size(dims);
  place = {elements(dims), 1, {}};
  for (std::size_t e = 0; e < place.size; ++e) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t back = 1, rest = e; back <= mine.size(); rest /= dims[dims.size() - back], ++back) {
      if (mine[mine.size() - back] != 1) at += rest % dims[dims.size() - back] * step;
      step *= mine[mine.size() - back];
    }
    place.order.push_back(static_cast<std::uint32_t>(at));
  }
  return place;
}

std::vector<double> placed(const Tensor& tensor, const Placement& place, NetworkBuilder& builder) {
  std::vector<double> values = builder.numbers_of(tensor);
  if (values.empty() || place.order.empty()) return values;
  std::vector<double> sorted;
  for (const std::uint32_t from : place.order) sorted.push_back(values[from]);
  return sorted;
}

}  // namespace upsweep
