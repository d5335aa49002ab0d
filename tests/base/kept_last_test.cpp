#include "upsweep/base/kept_last.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace upsweep::kept_last_test {

struct Item {
  std::string text;
};
std::uint64_t weight_of(const Item& item) { return item.text.size(); }

namespace {

TEST(KeptLast, MakesAValueOnceForManyThreads) {
  KeptLast<int, Item> kept(4, 8, 100);
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int key = 0; key < 4; ++key) {
          const auto item = kept.get(key, [&] {
            ++made;
            return Item{std::to_string(key)};
          });
          EXPECT_EQ(item->text, std::to_string(key));
        }
      });
    }
  }
  EXPECT_EQ(made, 4);
}

TEST(KeptLast, LetsThoseGoThatWereUsedLongestAgo) {
  KeptLast<int, Item> kept(1, 100, 10);
  int made = 0;
  const auto get = [&](int key) {
    return kept.get(key, [&] {
      ++made;
      return Item{"four"};
    });
  };
  const auto first = get(1);
  static_cast<void>(get(2));
  static_cast<void>(get(1));  // used again
  static_cast<void>(get(3));  // 12 bytes: 2 goes
  EXPECT_EQ(made, 3);
  static_cast<void>(get(1));
  EXPECT_EQ(made, 3);
  static_cast<void>(get(2));
  EXPECT_EQ(made, 4);
  EXPECT_EQ(first->text, "four") << "who has it keeps it";
}

TEST(KeptLast, TriesAgainWhereMakingFailed) {
  KeptLast<int, Item> kept(1, 8, 100);
  EXPECT_THROW(static_cast<void>(kept.get(1, []() -> Item { throw std::runtime_error("no"); })), std::runtime_error);
  EXPECT_EQ(kept.get(1, [] { return Item{"now"}; })->text, "now");
}

}  // namespace
}  // namespace upsweep::kept_last_test
