#include "mpi_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace upsweep {
namespace {

/// Keys in a letter: 16 MiB.
constexpr std::size_t kKeysPerLetter = std::size_t{1} << 20;

// Of chains a rank has its next unit at hand while the last one travels. Units of networks are long and few: one that
// waits at a busy rank could be under way at an idle one.
constexpr std::size_t kChainUnits = 2;
constexpr std::size_t kNetworkUnits = 1;

}  // namespace

MpiHead::MpiHead(Mailbox& mail, StudyRun& run, StudyStore* store, const StudyOptions& options, int ranks)
    : mail_(mail),
      run_(run),
      store_(store),
      options_(options),
      units_(run.factory(), run.open_points(), static_cast<std::size_t>(ranks)),
      ranks_(static_cast<std::size_t>(ranks)),
      most_units_(run.factory().has_networks() ? kNetworkUnits : kChainUnits) {}

void MpiHead::deal() {
  attempt([this] { send_keys(); });
  while (true) {
    attempt([this] {
      if (run_.is_stopped()) stop();
      hand_out();
    });
    if (!has_units_out()) break;
    mail_.wait([this] { return !mail_.is_empty() || (run_.is_stopped() && !is_stopping_); });
    while (const std::optional<Letter> letter = mail_.take()) {
      attempt([&] { read(*letter); });
    }
  }
  if (failure_) std::rethrow_exception(failure_);
}

void MpiHead::attempt(const std::function<void()>& step) {
  try {
    step();
  } catch (const MpiError&) {
    throw;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    stop();
  }
}

void MpiHead::send_keys() {
  const std::span<const ContentKey> keys = run_.known_keys();
  for (std::size_t at = 0; at < keys.size(); at += kKeysPerLetter) {
    const auto part = keys.subspan(at, std::min(kKeysPerLetter, keys.size() - at));
    const auto bytes = std::make_shared<const std::string>(encode_keys(part));
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
      mail_.send(static_cast<int>(rank), LetterKind::keys, bytes);
  }
}

// A unit for each rank in turn: with few units everybody has one before somebody has two.
void MpiHead::hand_out() {
  for (std::size_t held = 0; held < most_units_; ++held) {
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      if (is_stopping_) return;
      if (ranks_[rank].has_failed || ranks_[rank].units > held) continue;
      const std::vector<std::uint64_t> positions = units_.next(rank);
      if (positions.empty()) continue;  // there may be some for another rank, which has the model at hand
      mail_.send(static_cast<int>(rank), LetterKind::unit, encode_positions(positions));
      ++ranks_[rank].units;
    }
  }
}

void MpiHead::stop() {
  if (is_stopping_) return;
  is_stopping_ = true;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
    mail_.send(static_cast<int>(rank), LetterKind::stop, std::string());
}

void MpiHead::read(const Letter& letter) {
  Rank& rank = ranks_.at(static_cast<std::size_t>(letter.rank));
  switch (letter.kind) {
    case LetterKind::points:
      --rank.units;
      take_points(letter);
      return;
    case LetterKind::ask:
      answer(letter);
      return;
    case LetterKind::failure:
      rank.has_failed = true;
      rank.units = 0;
      throw_failure(fmt::format("rank {} failed", letter.rank),
                    decode_failure(letter.bytes).value_or(FailureMessage{FailureKind::fault, "an unknown error"}));
    default:
      throw std::logic_error("a letter that rank 0 does not get");
  }
}

void MpiHead::take_points(const Letter& letter) {
  UnitMessage unit = decode_unit(letter.bytes);
  const auto rank = static_cast<std::size_t>(letter.rank);
  ranks_[rank].counts = unit.counts;
  units_.took(rank, unit.points.size(), unit.seconds);
  if (unit.is_stopped) stop();
  if (!can_write_) return;
  try {
    for (const auto& [key, bytes] : unit.counted) {
      if (store_ != nullptr) store_->keep(key, bytes, options_.stored_cache_bytes);
    }
    if (!unit.points.empty()) run_.add(std::move(unit.points));
  } catch (...) {
    can_write_ = false;
    throw;
  }
}

void MpiHead::answer(const Letter& letter) {
  std::optional<std::string> found;
  std::exception_ptr failure;
  try {
    if (store_ != nullptr && can_write_) found = cached_model(*store_, decode_keys(letter.bytes).at(0));
  } catch (...) {
    failure = std::current_exception();
  }
  mail_.send(letter.rank, LetterKind::counted, encode_found(found));  // in any case: the rank waits for it
  if (failure) std::rethrow_exception(failure);
}

bool MpiHead::has_units_out() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.units > 0; });
}

CountStatistics MpiHead::counts() const {
  CountStatistics sum;
  for (const Rank& rank : ranks_) {
    sum.asked += rank.counts.asked;
    sum.in_memory += rank.counts.in_memory;
    sum.stored += rank.counts.stored;
    sum.counted += rank.counts.counted;
    sum.by_formula += rank.counts.by_formula;
    sum.damaged += rank.counts.damaged;
  }
  return sum;
}

}  // namespace upsweep
