#include "study_run.hpp"

#include <algorithm>
#include <tuple>

#include "study_record.hpp"
#include "upsweep/store/waiting.hpp"
#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostReasons = 100;
constexpr std::chrono::milliseconds kBetweenProgress{100};

}  // namespace

UnitPoint evaluate_in_study(const PointFactory& factory, CountCache& cache, std::span<const ContentKey> known,
                            std::uint64_t position) {
  const PointInputs inputs = factory.at(position);
  UnitPoint point;
  point.point.position = position;
  point.point.coordinates = factory.coordinates_json(position);
  PointRecord& record = point.point.record;
  const bool is_valid = inputs.error.empty() && !inputs.is_excluded;
  if (is_valid && std::binary_search(known.begin(), known.end(), inputs.key)) {
    point.is_known = true;
    record.key = inputs.key;
    return point;
  }
  record = evaluate_point(inputs, cache);
  if (inputs.is_excluded) record.reason = inputs.excluded_by;
  return point;
}

std::optional<std::string> cached_model(StudyStore& store, const ContentKey& key) {
  std::optional<std::string> bytes = store.reader().counted_model(key);
  if (bytes) store.mark_used(key);
  return bytes;
}

StudyRun::StudyRun(const StudyFile& study, StudyStore* store, const StudyOptions& options)
    : study_(study),
      store_(store),
      options_(options),
      waiting_stop_(WaitingStop::of_this_thread()),
      factory_(study, options.tool_version),
      cache_(storage(), options.memory_cache_bytes),
      said_(started_ - kBetweenProgress) {
  const std::uint64_t points = factory_.grid().points();
  result_.points.resize(points);
  result_.schedules.emplace_back();
  numbers_.emplace(std::string(), 0);
  result_.is_in_seconds = scores_in_seconds(study);
  progress_.points = points;
  progress_.is_in_seconds = result_.is_in_seconds;
  if (store_ != nullptr) resume();
  started_ = Clock::now();
}

void StudyRun::resume() {
  result_.id = store_->open_study(study_record(study_, options_, result_.points.size()));
  std::vector<std::uint64_t> outdated;
  std::vector<StoredKey> networks;
  std::vector<bool> expectations(result_.points.size());
  store_->reader().each_brief(result_.id, [&](const StoredPoint& stored) {
    const std::uint64_t position = stored.position;
    if (position >= result_.points.size() || stored.brief.status == PointStatus::open) return;
    // Evaluated again; what is stored of it stays until then.
    if (stored.brief.status == PointStatus::invalid) return;
    PointBrief& mine = result_.points[position];
    mine = stored.brief;
    mine.schedule = schedule_number(stored.schedule);
    expectations[position] = stored.has_expectations;
    if (factory_.has_networks() && stored.key)
      networks.push_back({factory_.model_number(position), position, *stored.key});
  });
  for (const std::uint64_t position : changed(std::move(networks))) {
    result_.points[position] = {};
    outdated.push_back(position);
  }
  store_->forget(result_.id, outdated);
  take_stored(expectations);
  if (result_.resumed == result_.points.size()) return;
  known_ = store_->reader().result_keys();
  std::sort(known_.begin(), known_.end());
}

// Model by model, each of which is read once.
std::vector<std::uint64_t> StudyRun::changed(std::vector<StoredKey> stored) {
  std::sort(stored.begin(), stored.end(), [](const StoredKey& a, const StoredKey& b) {
    return std::tie(a.model, a.position) < std::tie(b.model, b.position);
  });
  std::vector<std::uint64_t> positions;
  for (const StoredKey& one : stored) {
    if (is_stopped()) {
      result_.points[one.position] = {};
    } else if (factory_.at(one.position).key != one.key) {
      positions.push_back(one.position);
    }
  }
  return positions;
}

void StudyRun::take_stored(const std::vector<bool>& expectations) {
  for (std::uint64_t i = 0; i < result_.points.size(); ++i) {
    const PointBrief& brief = result_.points[i];
    if (brief.status == PointStatus::open) continue;
    ++result_.resumed;
    if (brief.status == PointStatus::done && expectations[i]) result_.is_exact = false;
    if (brief.status == PointStatus::done) take_best(brief);
  }
  progress_.done = result_.resumed;
}

bool StudyRun::is_stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

std::vector<bool> StudyRun::open_points() const {
  std::vector<bool> open(result_.points.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = result_.points[i].status == PointStatus::open;
  return open;
}

// Threads that count read from the store under a lock, and leave what they counted, and what went wrong, to the thread
// that writes: a store that fails would otherwise look like a model that does.
CountStorage StudyRun::storage() {
  if (store_ == nullptr) return {};
  CountStorage storage;
  storage.load = [this](const ContentKey& key) -> std::optional<std::string> {
    try {
      const std::lock_guard lock(store_lock_);
      return cached_model(*store_, key);
    } catch (...) {
      const std::lock_guard lock(counted_lock_);
      if (!failure_) failure_ = std::current_exception();
      return std::nullopt;
    }
  };
  storage.save = [this](const ContentKey& key, std::string_view bytes) {
    const std::lock_guard lock(counted_lock_);
    counted_.emplace_back(key, bytes);
  };
  return storage;
}

void StudyRun::write_counted() {
  std::vector<std::pair<ContentKey, std::string>> counted;
  {
    const std::lock_guard lock(counted_lock_);
    if (failure_) std::rethrow_exception(failure_);
    counted.swap(counted_);
  }
  for (const auto& [key, bytes] : counted) {
    const std::lock_guard lock(store_lock_);
    store_->keep(key, bytes, options_.stored_cache_bytes);
  }
}

void StudyRun::fetch(UnitPoint& point) {
  std::optional<PointRecord> record;
  {
    const std::lock_guard lock(store_lock_);
    record = store_->reader().result(point.point.record.key);
  }
  if (record) {
    point.point.record = std::move(*record);
    ++result_.found;
  } else {
    point = evaluate_in_study(factory_, cache_, {}, point.point.position);
    ++result_.evaluated;
  }
}

void StudyRun::add(std::vector<UnitPoint> points) {
  const WaitingStop stops_waiting(waiting_stop_);  // any thread of a pipeline adds
  std::vector<StudyPoint> rows;
  rows.reserve(points.size());
  for (UnitPoint& point : points) {
    if (point.is_known) {
      fetch(point);
    } else if (point.point.record.status != PointStatus::excluded) {
      ++result_.evaluated;
    }
    rows.push_back(std::move(point.point));
  }
  if (store_ != nullptr) {
    write_counted();
    const std::lock_guard lock(store_lock_);
    store_->save(result_.id, rows);
  }
  for (const StudyPoint& row : rows) take(row);
  progress_.done += rows.size();
  say_progress(false);
}

void StudyRun::take(const StudyPoint& point) {
  const PointRecord& record = point.record;
  const bool is_done = record.status == PointStatus::done;
  const std::uint32_t schedule = record.figures.best ? schedule_number(record.figures.best->schedule) : 0;
  PointBrief& brief = result_.points[point.position];
  brief = brief_of(record, schedule);
  if (record.status == PointStatus::invalid) keep_reason(point.position, record.reason);
  if (!is_done) return;
  result_.is_exact = result_.is_exact && record.figures.is_exact;
  take_best(brief);
}

void StudyRun::take_best(const PointBrief& brief) {
  if (brief.is_in_seconds != progress_.is_in_seconds) return;
  if (!progress_.best.empty() && !(brief.score < progress_.best_score)) return;
  progress_.best = result_.schedules[brief.schedule];
  progress_.best_score = brief.score;
}

void StudyRun::keep_reason(std::uint64_t position, const std::string& reason) {
  if (reasons_.size() == kMostReasons && position > std::prev(reasons_.end())->first) return;
  reasons_.emplace(position, reason);
  if (reasons_.size() > kMostReasons) reasons_.erase(std::prev(reasons_.end()));
}

void StudyRun::say_progress(bool is_last) {
  if (!options_.progress) return;
  const Clock::time_point now = Clock::now();
  if (!is_last && now - said_ < kBetweenProgress) return;
  said_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const auto of_this_run = static_cast<double>(progress_.done - result_.resumed);
  progress_.points_per_s = seconds > 0 ? of_this_run / seconds : 0;
  const auto left = static_cast<double>(progress_.points - progress_.done);
  progress_.seconds_left = progress_.points_per_s > 0 ? left / progress_.points_per_s : 0;
  options_.progress(progress_);
}

std::uint32_t StudyRun::schedule_number(std::string_view name) {
  const auto [place, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(result_.schedules.size()));
  if (is_new) result_.schedules.emplace_back(name);
  return place->second;
}

// All of them are of this run: those of earlier ones were evaluated again.
void StudyRun::collect_invalid() {
  for (const auto& [position, reason] : reasons_) {
    result_.invalid.push_back(position);
    result_.reasons.push_back(reason);
  }
}

void StudyRun::answer() {
  const AnswerInputs inputs{.study = study_,
                            .factory = factory_,
                            .cache = cache_,
                            .points = result_.points,
                            .schedules = result_.schedules,
                            .is_in_seconds = result_.is_in_seconds,
                            .stop = options_.stop};
  result_.answers = answer_study(inputs);
  if (store_ != nullptr) write_counted();
  if (is_stopped()) {
    result_.is_interrupted = true;
    result_.answers.clear();
  } else if (store_ != nullptr) {
    store_->save_answers(result_.id, result_.answers, true);
  }
}

StudyResult StudyRun::finish(const CountStatistics& counts) {
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  say_progress(true);
  if (store_ != nullptr) write_counted();
  collect_invalid();
  result_.is_interrupted = progress_.done < progress_.points;
  if (!result_.is_interrupted) answer();
  result_.counts = cache_.statistics();
  result_.counts.asked += counts.asked;
  result_.counts.in_memory += counts.in_memory;
  result_.counts.stored += counts.stored;
  result_.counts.counted += counts.counted;
  result_.counts.by_formula += counts.by_formula;
  return std::move(result_);
}

}  // namespace upsweep
