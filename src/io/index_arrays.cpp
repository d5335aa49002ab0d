#include "index_arrays.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/io/npy.hpp"

namespace upsweep {

IndexList IndexArrays::read(const std::string& file, const std::string& array) {
  IndexList& list = lists_[{file, array}];
  if (list.numbers) return list;
  const std::string path = (folder_ / file).string();
  std::string place = path;
  NpyArray numbers;
  if (array.empty()) {
    numbers = read_finite_npy(path);
  } else {
    auto& source = sources_[file];
    if (!source) source = open_arrays(path);
    numbers = source->read(array, {});
    place = source->place(array);
  }
  auto all = std::make_shared<std::vector<std::uint32_t>>();
  all->reserve(numbers.size());
  for (const double number : numbers.to_doubles()) {
    const bool fits = number >= -1 && number <= static_cast<double>(kMaxElements) && number == std::floor(number);
    if (!fits) {
      throw InputError(
          fmt::format("{}: element {} is {}, accepted are integers from 0 on, and -1", place, all->size(), number));
    }
    all->push_back(number < 0 ? IndexMap::kFill : static_cast<std::uint32_t>(number));
  }
  if (all->empty()) throw InputError(fmt::format("{}: it has no elements, accepted is at least one", place));
  list.numbers = std::move(all);
  return list;
}

}  // namespace upsweep
