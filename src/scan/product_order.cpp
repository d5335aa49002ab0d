#include "upsweep/scan/product_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>

namespace upsweep {
namespace {

/// Longer arrays are not written as orders; it also bounds what a name can ask for.
constexpr std::uint32_t kMostElements = 100'000;
constexpr std::string_view kPrefix = "order:";

std::string text_of(const OrderedProduct& made) {
  return made.first == 0 && made.split + 1 == made.last ? fmt::format("{}", made.last)
                                                        : fmt::format("{}.{}.{}", made.first, made.split, made.last);
}

std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number > kMostElements)
    throw std::invalid_argument(fmt::format("'{}' is no number of at most {}", text, kMostElements));
  return number;
}

/// The parts between separators: one more than there are of these; none of an empty text.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

OrderedProduct value_of(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text, '.');
  if (parts.size() == 3) return {number_of(parts[0]), number_of(parts[1]), number_of(parts[2])};
  if (parts.size() != 1) throw std::invalid_argument(fmt::format("'{}' is neither k nor first.split.last", text));
  const std::uint32_t last = number_of(parts[0]);
  if (last == 0) throw std::invalid_argument("'0' is given, not made");
  return {0, last - 1, last};
}

/// Values by range, as a schedule comes to be.
class MadeValues {
 public:
  explicit MadeValues(std::size_t length) : length_(length) {}

  /// The value over a range that is there before `level`. Throws std::invalid_argument.
  [[nodiscard]] ValueId at(ValueRange range, std::uint32_t level) const {
    if (range.first == range.last) return range.first;
    const auto found = made_.find(range);
    if (found == made_.end() || found->second.level >= level) {
      throw std::invalid_argument(
          fmt::format("elements {} to {} are read in level {} and not made before", range.first, range.last, level));
    }
    return found->second.id;
  }
  void add(ValueRange range, ValueId id, std::uint32_t level) {
    if (!made_.try_emplace(range, Made{id, level}).second)
      throw std::invalid_argument(fmt::format("elements {} to {} are made twice", range.first, range.last));
  }
  [[nodiscard]] ValueId result(std::uint32_t last) const {
    if (last == 0) return 0;
    const auto found = made_.find({0, last});
    if (found == made_.end()) throw std::invalid_argument(fmt::format("elements 0 to {} are not made", last));
    return found->second.id;
  }
  void require_place(const OrderedProduct& made) const {
    if (made.first <= made.split && made.split < made.last && made.last + std::size_t{1} < length_) return;
    throw std::invalid_argument(
        fmt::format("elements {} to {} split behind {}, accepted of {} elements is first <= split < last <= {}",
                    made.first, made.last, made.split, length_, length_ - 2));
  }

 private:
  struct Made {
    ValueId id = 0;
    std::uint32_t level = 0;
  };
  std::size_t length_;
  std::map<ValueRange, Made> made_;
};

}  // namespace

bool is_order_name(std::string_view text) { return text.starts_with(kPrefix); }

std::string order_name(std::size_t length, const ProductOrder& order) {
  std::vector<std::string> levels;
  for (const std::vector<OrderedProduct>& level : order) {
    std::vector<std::string> values;
    for (const OrderedProduct& made : level) values.push_back(text_of(made));
    levels.push_back(fmt::format("{}", fmt::join(values, ",")));
  }
  return fmt::format("{}{}:{}", kPrefix, length, fmt::join(levels, "/"));
}

Schedule order_schedule(std::size_t length, const ProductOrder& order) {
  if (length < 2) throw std::invalid_argument(fmt::format("a scan over {} elements, expected at least 2", length));
  Schedule schedule;
  schedule.name = order_name(length, order);
  schedule.length = length;
  MadeValues values(length);
  for (const std::vector<OrderedProduct>& level : order) {
    const auto number = static_cast<std::uint32_t>(schedule.levels++);
    if (level.empty()) throw std::invalid_argument(fmt::format("level {} is empty", number));
    for (const OrderedProduct& made : level) {
      values.require_place(made);
      const ValueId earlier = values.at(made.earlier(), number);
      const ValueId later = values.at(made.later(), number);
      schedule.combines.push_back(
          {made.first == 0 ? Phase::down : Phase::up, number, made.split, made.last, made.last, earlier, later});
      values.add(made.range(), schedule.value_of(schedule.combines.size() - 1), number);
    }
  }
  schedule.results.push_back(kIdentity);
  for (std::uint32_t last = 0; last + std::size_t{1} < length; ++last) schedule.results.push_back(values.result(last));
  return schedule;
}

Schedule read_order(const std::string& name) {
  std::string_view text = name;
  if (!is_order_name(text)) throw std::invalid_argument("it does not begin with order:");
  text.remove_prefix(kPrefix.size());
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw std::invalid_argument("no ':' stands behind its number of elements");
  const std::uint32_t length = number_of(text.substr(0, colon));
  ProductOrder order;
  for (const std::string_view level : parts_of(text.substr(colon + 1), '/')) {
    order.emplace_back();
    for (const std::string_view value : parts_of(level, ',')) order.back().push_back(value_of(value));
  }
  return order_schedule(length, order);
}

ProductOrder order_of(const Schedule& schedule) {
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  std::map<ValueRange, std::size_t> maker;  // the first combine of each range
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) maker.try_emplace(ranges[schedule.value_of(id)], id);
  std::vector<bool> is_needed(schedule.combines.size());
  for (std::uint32_t last = 1; last + std::size_t{1} < schedule.length; ++last) is_needed[maker.at({0, last})] = true;
  ProductOrder order(schedule.levels);
  for (std::size_t id = schedule.combines.size(); id-- > 0;) {
    if (!is_needed[id]) continue;
    const Combine& combine = schedule.combines[id];
    const OrderedProduct made{ranges[combine.earlier].first, ranges[combine.earlier].last, ranges[combine.later].last};
    for (const ValueRange operand : {made.earlier(), made.later()}) {
      if (operand.first != operand.last) is_needed[maker.at(operand)] = true;
    }
    order[combine.level].insert(order[combine.level].begin(), made);
  }
  std::erase_if(order, [](const std::vector<OrderedProduct>& level) { return level.empty(); });
  return order;
}

}  // namespace upsweep
