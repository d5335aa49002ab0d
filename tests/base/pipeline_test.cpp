#include "upsweep/base/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

struct Item {
  int number = 0;
  long worked = 0;
};

/// Hands out items numbered 0, 1, ... below `count`.
std::function<std::shared_ptr<void>()> counting(int& next, int count) {
  return [&next, count]() -> std::shared_ptr<void> {
    if (next == count) return nullptr;
    auto item = std::make_shared<Item>();
    item->number = next++;
    return item;
  };
}

TEST(Pipeline, EveryItemIsWorkedOnOnceAndFinishedInOrder) {
  for (const std::size_t tokens : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    for (const int count : {0, 1, 5, 300}) {
      int next = 0;
      std::vector<long> finished;
      PipelineStages stages;
      stages.next = counting(next, count);
      stages.work = [](void* item) { static_cast<Item*>(item)->worked += static_cast<Item*>(item)->number + 1; };
      stages.finish = [&](void* item) { finished.push_back(static_cast<Item*>(item)->worked); };
      run_pipeline(tokens, stages);
      std::vector<long> expected(static_cast<std::size_t>(count));
      std::iota(expected.begin(), expected.end(), 1);
      EXPECT_EQ(finished, expected) << tokens << " tokens";
    }
  }
}

/// The first of every eight items works until the seven after it are done, where other threads do those meanwhile.
TEST(Pipeline, FinishesInOrderWhereAnEarlyItemWorksLongest) {
  constexpr int kCount = 64;
  int next = 0;
  std::atomic<int> worked{0};
  std::vector<int> finished;
  PipelineStages stages;
  stages.next = counting(next, kCount);
  stages.work = [&](void* item) {
    const int number = static_cast<Item*>(item)->number;
    // So many looks at most: it ends where no other thread does them, too.
    if (number % 8 == 0) {
      for (int look = 0; look < 20'000 && worked < number + 7; ++look) ++static_cast<Item*>(item)->worked;
    }
    ++worked;
  };
  stages.finish = [&](void* item) { finished.push_back(static_cast<Item*>(item)->number); };
  run_pipeline(8, stages);
  std::vector<int> expected(kCount);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(finished, expected);
}

TEST(Pipeline, NoMoreItemsAreUnderWayThanThereAreTokens) {
  int next = 0;
  std::atomic<int> under_way{0};
  std::atomic<int> most{0};
  const auto first = counting(next, 200);
  PipelineStages stages;
  stages.next = [&] {
    std::shared_ptr<void> item = first();
    const int now = item ? ++under_way : under_way.load();
    if (now > most) most = now;
    return item;
  };
  stages.work = [](void*) {};
  stages.finish = [&](void*) { --under_way; };
  run_pipeline(3, stages);
  EXPECT_LE(most, 3);
  EXPECT_EQ(under_way, 0);
}

TEST(Pipeline, AFinishedItemIsDestroyedBeforeItsTokenIsUsedAgain) {
  std::vector<std::weak_ptr<Item>> items;
  std::ptrdiff_t most_alive = 0;
  PipelineStages stages;
  stages.next = [&]() -> std::shared_ptr<void> {
    const auto is_alive = [](const std::weak_ptr<Item>& item) { return !item.expired(); };
    most_alive = std::max(most_alive, std::count_if(items.begin(), items.end(), is_alive));
    if (items.size() == 50) return nullptr;
    auto item = std::make_shared<Item>();
    items.push_back(item);
    return item;
  };
  stages.work = [](void*) {};
  stages.finish = [](void*) {};
  run_pipeline(2, stages);
  EXPECT_LE(most_alive, 1);
}

// ThreadSanitizer watches here: what the stages have touched must be the caller's again, whichever stage threw.
TEST(Pipeline, AnExceptionOfAnyStageReachesTheCallerWhoOwnsEverythingAgain) {
  for (const int failing_stage : {0, 1, 2}) {
    for (int round = 0; round < 30; ++round) {
      auto touched = std::make_unique<std::vector<int>>(3 * 40, 0);
      int next = 0;
      const auto first = counting(next, 40);
      const auto touch = [&](int stage, int number) {
        (*touched)[static_cast<std::size_t>(stage * 40 + number)] = 1;
        if (stage == failing_stage && number == 11) throw std::runtime_error("a stage failed");
      };
      PipelineStages stages;
      stages.next = [&]() -> std::shared_ptr<void> {
        auto item = first();
        if (item) touch(0, static_cast<Item*>(item.get())->number);
        return item;
      };
      stages.work = [&](void* item) { touch(1, static_cast<Item*>(item)->number); };
      stages.finish = [&](void* item) { touch(2, static_cast<Item*>(item)->number); };
      EXPECT_THROW(run_pipeline(4, stages), std::runtime_error);
      touched->assign(touched->size(), 2);
      touched.reset();
    }
  }
}

TEST(Pipeline, WorkMayRunParallelLoopsOfItsOwn) {
  int next = 0;
  long sum = 0;
  PipelineStages stages;
  stages.next = counting(next, 20);
  stages.work = [](void* item) {
    std::vector<long> squares(100);
    parallel_chunks(squares.size(), 4, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) squares[i] = static_cast<long>(i * i);
    });
    static_cast<Item*>(item)->worked = std::accumulate(squares.begin(), squares.end(), 0L);
  };
  stages.finish = [&](void* item) { sum += static_cast<Item*>(item)->worked; };
  run_pipeline(4, stages);
  EXPECT_EQ(sum, 20 * 328350);
}

}  // namespace
}  // namespace upsweep
