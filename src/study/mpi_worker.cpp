#include "mpi_worker.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace upsweep {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a rank looks for letters while it evaluates.
constexpr std::chrono::milliseconds kBetweenLooks{10};

/// Of counted models in a letter: a row of the store has 10^9 bytes at most, a letter 2 GiB with its points.
constexpr std::uint64_t kMostCountedBytes = 900'000'000;

}  // namespace

MpiWorker::MpiWorker(Mailbox& mail, const StudyFile& study, const StudyOptions& options)
    : mail_(mail),
      options_(options),
      factory_(study, options.tool_version),
      cache_(storage(), options.memory_cache_bytes) {}

// The store is rank 0's: what it has is asked for, what is counted goes there with the points.
CountStorage MpiWorker::storage() {
  CountStorage storage;
  storage.load = [this](const ContentKey& key) {
    mail_.send(0, LetterKind::ask, encode_keys({&key, 1}));
    return decode_found(mail_.wait_for(LetterKind::counted).bytes);
  };
  storage.save = [this](const ContentKey& key, std::string_view bytes) { hand_in(key, bytes); };
  return storage;
}

void MpiWorker::hand_in(const ContentKey& key, std::string_view bytes) {
  const std::uint64_t most = std::min(kMostCountedBytes, options_.stored_cache_bytes);
  if (bytes.size() > most || counted_bytes_ > most - bytes.size()) return;
  counted_.emplace_back(key, bytes);
  counted_bytes_ += bytes.size();
}

std::optional<FailureMessage> MpiWorker::work() {
  while (true) {
    mail_.wait([this] { return !mail_.is_empty(); });
    const Letter letter = *mail_.take();
    switch (letter.kind) {
      case LetterKind::keys: {
        const std::vector<ContentKey> keys = decode_keys(letter.bytes);
        known_.insert(known_.end(), keys.begin(), keys.end());
        break;
      }
      case LetterKind::unit:
        evaluate(decode_positions(letter.bytes));
        break;
      case LetterKind::stop:
        is_stopping_ = true;
        break;
      case LetterKind::end:
        return decode_failure(letter.bytes);
      default:
        throw std::logic_error("a letter that only rank 0 gets");
    }
  }
}

bool MpiWorker::is_told_to_stop() const {
  return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
}

void MpiWorker::evaluate(std::span<const std::uint64_t> positions) {
  UnitMessage unit;
  unit.points.reserve(positions.size());
  const Clock::time_point start = Clock::now();
  Clock::time_point looked = start;
  for (const std::uint64_t position : positions) {
    if (is_stopping_ || is_told_to_stop() || mail_.has(LetterKind::stop)) break;
    unit.points.push_back(evaluate_in_study(factory_, cache_, known_, position));
    if (Clock::now() - looked < kBetweenLooks) continue;
    mail_.pump();
    looked = Clock::now();
  }
  unit.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  unit.is_stopped = is_told_to_stop();
  unit.counts = cache_.statistics();
  unit.counted = std::exchange(counted_, {});
  counted_bytes_ = 0;
  mail_.send(0, LetterKind::points, encode_unit(unit));
  mail_.flush();  // a large letter takes both sides to travel
}

}  // namespace upsweep
