#include "upsweep/scan/product_order.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/schedules.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

/// The results of a schedule over letters, which do not commute.
std::vector<std::string> results_over_letters(const Schedule& schedule) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < schedule.length; ++i) values.emplace_back(1, static_cast<char>('A' + i));
  for (const Combine& combine : schedule.combines) values.push_back(values[combine.earlier] + values[combine.later]);
  std::vector<std::string> results;
  for (const ValueId id : schedule.results) results.push_back(id == kIdentity ? "" : values[id]);
  return results;
}

std::string fault_of(const std::string& name) {
  try {
    static_cast<void>(read_order(name));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ProductOrder, IsAScheduleByItsName) {
  const std::string name = "order:6:1,2.2.3/0.1.3,2/4";
  const Schedule schedule = read_order(name);
  EXPECT_EQ(schedule.name, name);
  EXPECT_EQ(schedule.length, 6U);
  EXPECT_EQ(schedule.levels, 3U);
  EXPECT_EQ(level_sizes(schedule), (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(results_over_letters(schedule), (std::vector<std::string>{"", "A", "AB", "ABC", "ABCD", "ABCDE"}));
  EXPECT_FALSE(schedule.hybrid_depth());
  EXPECT_EQ(make_schedule(parse_schedule(name), 6).combines, schedule.combines);
  EXPECT_EQ(canonical_name(parse_schedule("order:6:0.0.1,2.2.3/0.1.3,0.1.2/0.3.4")), name) << "steps in short";
}

TEST(ProductOrder, OfEveryScheduleScansTheSame) {
  for (std::size_t length = 2; length < 26; ++length) {
    std::vector<Schedule> all = testing::schemes(length);
    for (const std::uint32_t depth : {0U, 1U, 2U, 9U}) all.push_back(hybrid_schedule(length, depth));
    for (const Schedule& schedule : all) {
      SCOPED_TRACE(schedule.name + " over " + std::to_string(length));
      const Schedule order = order_schedule(length, order_of(schedule));
      EXPECT_EQ(results_over_letters(order), results_over_letters(schedule));
      EXPECT_LE(order.combines.size(), schedule.combines.size());
      EXPECT_LE(order.levels, schedule.levels);
      for (const bool is_dead : dead_combines(order)) EXPECT_FALSE(is_dead);
      EXPECT_EQ(read_order(order.name).combines, order.combines);
      EXPECT_EQ(order_of(order), order_of(schedule)) << "nothing is left to leave out";
    }
  }
}

TEST(ProductOrder, OfPlainBackPropagationNamesItsSteps) {
  EXPECT_EQ(order_schedule(5, order_of(linear_schedule(5))).name, "order:5:1/2/3");
  EXPECT_EQ(order_schedule(2, order_of(linear_schedule(2))).name, "order:2:");
  EXPECT_EQ(read_order("order:2:").results, (std::vector<ValueId>{kIdentity, 0}));
}

TEST(ProductOrder, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"order:", "no ':' stands behind its number of elements"},
      {"order:x:1", "'x' is no number of at most 100000"},
      {"order:1:", "a scan over 1 elements, expected at least 2"},
      {"order:99999999999999999999:1", "'99999999999999999999' is no number of at most 100000"},
      {"order:4:1/2/", "level 2 is empty"},
      {"order:4:1,/2", "'' is neither k nor first.split.last"},
      {"order:4:0/1/2", "'0' is given, not made"},
      {"order:4:1.2/2", "'1.2' is neither k nor first.split.last"},
      {"order:4:1/2/1", "elements 0 to 1 are made twice"},
      {"order:4:1,2", "elements 0 to 1 are read in level 0 and not made before"},
      {"order:4:1", "elements 0 to 2 are not made"},
      {"order:4:1/2/3", "elements 0 to 3 split behind 2, accepted of 4 elements is first <= split < last <= 2"},
      {"order:4:1/2/2.1.1", "elements 2 to 1 split behind 1, accepted of 4 elements is first <= split < last <= 2"}};
  for (const auto& [name, fault] : faults) {
    EXPECT_EQ(fault_of(name), fault) << name;
    EXPECT_THROW(static_cast<void>(parse_schedule(name)), std::invalid_argument);
  }
  EXPECT_EQ(fault_of("order:4:1/2"), "");
}

TEST(ProductOrder, FitsOneLength) {
  const ScheduleRequest request = parse_schedule("order:4:1/2");
  EXPECT_EQ(make_schedule(request, 4).combines.size(), 2U);
  EXPECT_THROW(static_cast<void>(make_schedule(request, 5)), std::invalid_argument);
  EXPECT_EQ(became_text(request, request.text, 4), "");
}

}  // namespace
}  // namespace upsweep
