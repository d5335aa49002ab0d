#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upsweep/study/answer_study.hpp"
#include "upsweep/study/count_cache.hpp"
#include "upsweep/study/point_factory.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep {

/// A point as whoever evaluates points hands it to StudyRun::add().
struct UnitPoint {
  StudyPoint point;
  bool is_known = false;  ///< its result is in the store: point.record has no more than its key
};

/// Makes a point and evaluates it, unless its key is among `known` (ascending). Thread-safe.
[[nodiscard]] UnitPoint evaluate_in_study(const PointFactory& factory, CountCache& cache,
                                          std::span<const ContentKey> known, std::uint64_t position);

/// A counted model of the cache, which is marked as used; nothing when there is none.
[[nodiscard]] std::optional<std::string> cached_model(StudyStore& store, const ContentKey& key);

/// A study under way, in the process that writes to the store: which points are open, the briefs of those that are not,
/// what goes to the store, progress, and at the end the answers.
///
/// add(), open_points() and finish() are for one thread at a time; factory(), cache(), known_keys() and is_stopped()
/// for all threads, also during add().
class StudyRun {
 public:
  /// Opens the study in the store (null: none), takes over the points that it has, and removes those that are to be
  /// evaluated again (see run_study()). The arguments must outlive it.
  StudyRun(const StudyFile& study, StudyStore* store, const StudyOptions& options);
  StudyRun(const StudyRun&) = delete;
  StudyRun& operator=(const StudyRun&) = delete;

  [[nodiscard]] const PointFactory& factory() const { return factory_; }
  /// Counted models, in memory and in the store: what is counted is written by the next add() or finish().
  [[nodiscard]] CountCache& cache() { return cache_; }
  /// Keys of the results that the store had at the start, ascending.
  [[nodiscard]] const std::vector<ContentKey>& known_keys() const { return known_; }
  /// Whether options.stop is set.
  [[nodiscard]] bool is_stopped() const;
  /// By position, whether the point is to be evaluated, as WorkUnits wants it.
  [[nodiscard]] std::vector<bool> open_points() const;

  /// Takes evaluated points over, fetches the known ones, writes all in one transaction and says how far the study is,
  /// at most ten times a second. Throws InputError of the store.
  void add(std::vector<UnitPoint> points);

  /// Answers the questions where every point is done and nobody said stop; call it once, last. `counts`: of caches
  /// elsewhere, added to this process' own.
  [[nodiscard]] StudyResult finish(const CountStatistics& counts = {});

 private:
  using Clock = std::chrono::steady_clock;
  /// A stored result of the study.
  struct StoredKey {
    std::uint64_t model = 0;  ///< its number
    std::uint64_t position = 0;
    ContentKey key{};
  };

  void resume();
  /// Those of the stored points whose model is not what it was, in its arrays; where the study is stopped before all
  /// are looked at, the others count as open.
  std::vector<std::uint64_t> changed(std::vector<StoredKey> stored);
  /// Counts points that are there from earlier runs. `expectations`: by position, whether its counts are such.
  void take_stored(const std::vector<bool>& expectations);
  CountStorage storage();
  /// Writes what was counted since the last time; throws what went wrong with the store on other threads.
  void write_counted();
  /// The result of a known point from the store; evaluated where it is gone.
  void fetch(UnitPoint& point);
  void take(const StudyPoint& point);
  /// For the progress: the smallest score so far of the unit that the study has.
  void take_best(const PointBrief& brief);
  void keep_reason(std::uint64_t position, const std::string& reason);
  void say_progress(bool is_last);
  std::uint32_t schedule_number(std::string_view name);
  void collect_invalid();
  void answer();

  const StudyFile& study_;
  StudyStore* store_;
  const StudyOptions& options_;
  const std::atomic<bool>* waiting_stop_;  ///< of the thread that made this
  PointFactory factory_;
  CountCache cache_;
  std::mutex store_lock_;    ///< of *store_: threads that count read from it
  std::mutex counted_lock_;  ///< of the two below
  std::vector<std::pair<ContentKey, std::string>> counted_;
  std::exception_ptr failure_;
  std::vector<ContentKey> known_;
  StudyResult result_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< of schedules
  std::map<std::uint64_t, std::string> reasons_;            ///< of invalid points, by position
  StudyProgress progress_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point said_;
};

}  // namespace upsweep
