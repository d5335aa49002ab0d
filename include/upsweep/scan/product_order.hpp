#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// One value of an order: elements `first` to `last` of the scan array, made of first to split and split + 1 to last.
struct OrderedProduct {
  std::uint32_t first = 0;
  std::uint32_t split = 0;
  std::uint32_t last = 0;

  [[nodiscard]] ValueRange earlier() const { return {first, split}; }
  [[nodiscard]] ValueRange later() const { return {split + 1, last}; }
  [[nodiscard]] ValueRange range() const { return {first, last}; }

  friend bool operator==(const OrderedProduct&, const OrderedProduct&) = default;
};

/// An order of products that scans an array, by level and in a level by id: each range once, behind what it is made of.
using ProductOrder = std::vector<std::vector<OrderedProduct>>;

/// Whether a text is meant as the name of an order: it begins with "order:".
[[nodiscard]] bool is_order_name(std::string_view text);

/// The name of an order, which is all of it as text: "order:N:LEVEL/LEVEL/...", N elements, levels of values between
/// commas. A value is "k", elements 0 to k made of 0 to k - 1 and element k (a step of plain back-propagation), or
/// "first.split.last". "order:4:1/2" is plain back-propagation over 4 elements.
[[nodiscard]] std::string order_name(std::size_t length, const ProductOrder& order);

/// The schedule of an order over `length` elements; products of Jacobians are Phase::up, steps of gradients
/// Phase::down. The values 0 to 1 up to 0 to length - 2 are its results.
///
/// Throws std::invalid_argument, saying what is wrong, below 2 elements, for a range out of place or made twice, one
/// that is read before a level below has made it, or a result that is not made.
[[nodiscard]] Schedule order_schedule(std::size_t length, const ProductOrder& order);

/// The schedule that such a name is; its own name is as order_name() writes it. Throws std::invalid_argument for text
/// that is none, with what is wrong.
[[nodiscard]] Schedule read_order(const std::string& name);

/// A schedule as an order: of values that cover the same range the first, and none that no result depends on.
[[nodiscard]] ProductOrder order_of(const Schedule& schedule);

}  // namespace upsweep
