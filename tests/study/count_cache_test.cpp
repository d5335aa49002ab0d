#include "upsweep/study/count_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "made_study.hpp"
#include "study/sealed_bytes.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/profile/analysis_codec.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

using Schedules = std::vector<std::string>;
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

Model load(const std::string& text, Numbers numbers = Numbers::needed) {
  std::istringstream in(text);
  return load_network(parse_yaml(in, "made.yaml"), numbers);
}

/// kNetwork with another seed: another network of the same shape.
Model network(int seed = 1) {
  std::string text = testing::kNetwork;
  const std::string there = "he_normal, seed: 1";
  text.replace(text.find(there), there.size(), "he_normal, seed: " + std::to_string(seed));
  return load(text);
}

std::vector<std::string> names(const Analysis& analysis) {
  std::vector<std::string> list;
  for (const ScheduleProfile& profile : analysis.schedules) list.push_back(profile.schedule.name);
  return list;
}

/// What counting at once gives.
Analysis direct(const Model& model, PatternKind pattern, const Schedules& schedules) {
  std::vector<Schedule> list;
  for (const std::string& name : schedules)
    list.push_back(make_schedule(parse_schedule(name), model.network.links().size() + 1));
  return analyse({model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes}, pattern,
                 list);
}

/// Storage in memory.
struct Shelf {
  std::mutex mutex;
  std::map<ContentKey, std::string> kept;
  int saves = 0;

  CountStorage storage() {
    return {[this](const ContentKey& key) -> std::optional<std::string> {
              const std::lock_guard lock(mutex);
              const auto found = kept.find(key);
              return found == kept.end() ? std::nullopt : std::optional(found->second);
            },
            [this](const ContentKey& key, std::string_view bytes) {
              const std::lock_guard lock(mutex);
              kept[key] = bytes;
              ++saves;
            }};
  }
};

TEST(CountCache, CountsANetworkOnceForEightThreads) {
  const Model model = network();
  CountCache cache({}, kPlenty);
  const Schedules schedules = {"linear", "hybrid:1", "hybrid:2"};
  std::vector<std::shared_ptr<const Analysis>> got(8);
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&] { mine = cache.counted(model, PatternKind::guaranteed, schedules); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : got) EXPECT_EQ(mine, got[0]);
  const CountStatistics statistics = cache.statistics();
  EXPECT_EQ(statistics.asked, 8U);
  EXPECT_EQ(statistics.counted, 1U);
  EXPECT_EQ(statistics.in_memory, 7U);
  EXPECT_DOUBLE_EQ(statistics.hit_rate(), 7.0 / 8);
}

TEST(CountCache, CountsTheSameAsCountingAtOnce) {
  const Model model = network();
  for (const PatternKind pattern : {PatternKind::guaranteed, PatternKind::sample}) {
    CountCache cache({}, kPlenty);
    const Schedules all = {"linear", "hybrid:1", "sklansky", "hybrid:2"};
    static_cast<void>(cache.counted(model, pattern, Schedules{"linear", "hybrid:1"}));
    static_cast<void>(cache.counted(model, pattern, Schedules{"linear", "sklansky"}));
    const auto grown = cache.counted(model, pattern, Schedules{"linear", "hybrid:2"});
    EXPECT_EQ(encode_analysis(*grown), encode_analysis(direct(model, pattern, all)));
    EXPECT_EQ(cache.statistics().counted, 3U);
    EXPECT_EQ(cache.counted(model, pattern, all), grown) << "the union of what was asked for is there";
    EXPECT_EQ(cache.statistics().in_memory, 1U);
  }
}

TEST(CountCache, CountsOthersAlongOnce) {
  CountCache cache({}, kPlenty);
  const Model model = network();
  int times = 0;
  const CountCache::ScheduleNames others = [&] {
    ++times;
    return Schedules{"linear", "hybrid:2", "sklansky"};
  };
  const auto first = cache.counted(model, PatternKind::guaranteed, Schedules{"linear", "hybrid:1"}, others);
  EXPECT_EQ(encode_analysis(*first),
            encode_analysis(direct(model, PatternKind::guaranteed, {"linear", "hybrid:1", "hybrid:2", "sklansky"})));
  for (const std::string name : {"sklansky", "hybrid:2", "hybrid:1"})
    EXPECT_EQ(cache.counted(model, PatternKind::guaranteed, Schedules{"linear", name}, others), first) << name;
  EXPECT_EQ(cache.statistics().counted, 1U);
  EXPECT_EQ(cache.statistics().in_memory, 3U);
  EXPECT_EQ(times, 1) << "nobody asks for names where nothing is counted";
}

TEST(CountCache, CountsAloneWhereOthersCannotBeCounted) {
  CountCache cache({}, kPlenty);
  const Model model = network();
  int times = 0;
  const CountCache::ScheduleNames others = [&] {
    ++times;
    return Schedules{"no-schedule"};
  };
  for (const std::string name : {"hybrid:1", "hybrid:2"})
    static_cast<void>(cache.counted(model, PatternKind::guaranteed, Schedules{"linear", name}, others));
  EXPECT_THAT(names(*cache.counted(model, PatternKind::guaranteed, Schedules{"linear"}, others)),
              ::testing::ElementsAre("linear", "hybrid:1", "hybrid:2"));
  EXPECT_EQ(cache.statistics().counted, 2U);
  EXPECT_EQ(times, 1) << "what failed would fail again";
}

TEST(CountCache, HasPlainBackPropagationAlways) {
  CountCache cache({}, kPlenty);
  EXPECT_THAT(names(*cache.counted(network(), PatternKind::guaranteed, Schedules{"hybrid:2"})),
              ::testing::ElementsAre("linear", "hybrid:2"));
}

TEST(CountCache, TakesNamesThatMeanTheSameForOneSchedule) {
  CountCache cache({}, kPlenty);
  const Model model = network();
  const auto first = cache.counted(model, PatternKind::guaranteed, Schedules{"linear", "hybrid:99"});
  EXPECT_EQ(first->schedules.size(), 2U);
  EXPECT_EQ(cache.counted(model, PatternKind::guaranteed, Schedules{"blelloch", "hybrid:0"}), first);
  EXPECT_EQ(cache.statistics().counted, 1U);
  EXPECT_EQ(cache.statistics().in_memory, 1U);
}

TEST(CountCache, TellsModelsAndPatternsApart) {
  CountCache cache({}, kPlenty);
  const Schedules schedules = {"linear", "hybrid:1"};
  const auto guaranteed = cache.counted(network(1), PatternKind::guaranteed, schedules);
  const auto sample = cache.counted(network(1), PatternKind::sample, schedules);
  const auto other = cache.counted(network(2), PatternKind::guaranteed, schedules);
  EXPECT_EQ(cache.statistics().counted, 3U);
  EXPECT_EQ(guaranteed->network.inputs, 1U);
  EXPECT_EQ(sample->network.inputs, 2U);
  EXPECT_NE(guaranteed, other);
  const auto wide =
      cache.counted(load(std::string(testing::kNetwork) + "dtype: fp64\n"), PatternKind::guaranteed, schedules);
  EXPECT_GT(wide->network.build_bytes, guaranteed->network.build_bytes);
  EXPECT_EQ(cache.counted(network(1), PatternKind::guaranteed, schedules), guaranteed);
}

TEST(CountCache, FindsInStorageWhatAnotherCacheCounted) {
  Shelf shelf;
  const Model model = network();
  const Schedules schedules = {"linear", "hybrid:1"};
  CountCache first(shelf.storage(), kPlenty);
  const auto counted = first.counted(model, PatternKind::guaranteed, schedules);
  EXPECT_EQ(shelf.kept.size(), 1U);

  CountCache second(shelf.storage(), kPlenty);
  const auto stored = second.counted(model, PatternKind::guaranteed, schedules);
  EXPECT_EQ(encode_analysis(*stored), encode_analysis(*counted));
  EXPECT_EQ(second.statistics().stored, 1U);
  EXPECT_EQ(second.statistics().counted, 0U);
  EXPECT_EQ(second.statistics().hit_rate(), 1);
  static_cast<void>(second.counted(model, PatternKind::guaranteed, schedules));
  EXPECT_EQ(second.statistics().in_memory, 1U);
  EXPECT_EQ(shelf.saves, 1) << "nothing new";

  static_cast<void>(second.counted(model, PatternKind::guaranteed, Schedules{"linear", "hybrid:2"}));
  EXPECT_EQ(shelf.saves, 2);
  const auto& [key, sealed] = *shelf.kept.begin();
  EXPECT_THAT(names(decode_analysis(unseal(key, sealed).bytes.value())),
              ::testing::ElementsAre("linear", "hybrid:1", "hybrid:2"));
}

TEST(CountCache, CountsAgainWhatStorageCannotRead) {
  const Model model = network();
  const Schedules schedules = {"linear", "hybrid:1"};
  Shelf shelf;
  const auto expected = encode_analysis(direct(model, PatternKind::guaranteed, schedules));
  static_cast<void>(CountCache(shelf.storage(), kPlenty).counted(model, PatternKind::guaranteed, schedules));
  const Model shorter = load("input: [3]\noperators:\n  - linear: {out_features: 2}\n", Numbers::structure);
  const std::string of_another = encode_analysis(direct(shorter, PatternKind::guaranteed, {"linear"}));
  const ContentKey key = shelf.kept.begin()->first;
  for (const std::string& bytes : {std::string("nonsense"), std::string(), of_another, seal(key, of_another)}) {
    shelf.kept.begin()->second = bytes;
    CountCache cache(shelf.storage(), kPlenty);
    EXPECT_EQ(encode_analysis(*cache.counted(model, PatternKind::guaranteed, schedules)), expected);
    EXPECT_EQ(cache.statistics().counted, 1U);
    EXPECT_EQ(shelf.kept.begin()->second, seal(key, expected)) << "and kept";
  }
}

TEST(CountCache, CountsAgainWhereAnyByteOfAStoredNetworkChangedAndSaysSo) {
  const Model model = network();
  const Schedules schedules = {"linear", "hybrid:1"};
  Shelf shelf;
  const auto expected = encode_analysis(direct(model, PatternKind::guaranteed, schedules));
  static_cast<void>(CountCache(shelf.storage(), kPlenty).counted(model, PatternKind::guaranteed, schedules));
  const std::string whole = shelf.kept.begin()->second;
  // The seal, the checksum, and every part of the counts.
  for (std::size_t at = 0; at < whole.size(); at += at < 40 ? 1 : 97) {
    std::string& kept = shelf.kept.begin()->second;
    kept = whole;
    kept[at] = static_cast<char>(kept[at] ^ 0x10);
    CountCache cache(shelf.storage(), kPlenty);
    ASSERT_EQ(encode_analysis(*cache.counted(model, PatternKind::guaranteed, schedules)), expected) << at;
    ASSERT_EQ(cache.statistics().damaged, 1U) << at;
    ASSERT_EQ(shelf.kept.begin()->second, whole) << "mended: " << at;
  }
}

TEST(CountCache, DoesNotTakeTheNetworkOfAnotherKey) {
  const ContentKey key{1};
  EXPECT_EQ(unseal(key, seal(key, "bytes")).bytes, "bytes");
  EXPECT_EQ(unseal(ContentKey{2}, seal(key, "bytes")).bytes, std::nullopt);
  EXPECT_TRUE(unseal(key, "UPSA without a checksum").is_older) << "counted again, and nothing to be said";
}

TEST(CountCache, DoesWithoutStorageThatFails) {
  const CountStorage broken = {[](const ContentKey&) -> std::optional<std::string> { throw InputError("no"); },
                               [](const ContentKey&, std::string_view) { throw InputError("full"); }};
  CountCache cache(broken, kPlenty);
  EXPECT_EQ(cache.counted(network(), PatternKind::guaranteed, Schedules{"linear"})->schedules.size(), 1U);
}

TEST(CountCache, KeepsTheNetworksUsedLastUpToItsLimit) {
  CountCache cache({}, 1);
  const Schedules schedules = {"linear", "hybrid:1"};
  const auto ask = [&](int seed) { return cache.counted(network(seed), PatternKind::guaranteed, schedules); };
  static_cast<void>(ask(1));
  static_cast<void>(ask(1));
  EXPECT_EQ(cache.statistics().counted, 1U) << "the last one always stays";
  static_cast<void>(ask(2));
  static_cast<void>(ask(1));
  EXPECT_EQ(cache.statistics().counted, 3U);
  const auto held = ask(3);
  static_cast<void>(ask(4));
  EXPECT_EQ(held->schedules.size(), 2U) << "who has it keeps it";
}

TEST(CountCache, NamesTheOperatorThatMakesAModelTooLarge) {
  const Model model = load("input: [4000000000]\noperators:\n  - tanh\n  - relu: {name: big}\n", Numbers::structure);
  CountCache cache({}, kPlenty);
  for (int time = 0; time < 2; ++time) {
    try {
      static_cast<void>(cache.counted(model, PatternKind::guaranteed, Schedules{"linear"}));
      FAIL() << "nothing was thrown";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("made.yaml:"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("GiB"));
    }
  }
  EXPECT_EQ(cache.statistics().counted, 1U) << "what failed would fail again";
}

}  // namespace
}  // namespace upsweep
