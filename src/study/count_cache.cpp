#include "upsweep/study/count_cache.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <new>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cached_network.hpp"
#include "image_lines.hpp"
#include "sealed_bytes.hpp"
#include "settings_text.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/profile/analysis_codec.hpp"
#include "upsweep/profile/counting_rule_version.hpp"

namespace upsweep {
namespace {

ContentKey key_of(const Model& model, PatternKind pattern) {
  ContentHash hash;
  hash.add("model", model.content_hash);
  hash.add("pattern", std::string_view(to_string(pattern)));
  hash.add("rule", std::string_view(kCountingRule));
  hash.add("value_bytes", std::string_view(model.value_bytes == 8 ? "8" : "4"));
  return hash.digest();
}

/// About the memory that a counted network takes, bytes.
std::uint64_t weight_of(const Analysis& analysis) {
  const NetworkProfile& network = analysis.network;
  std::uint64_t bytes = network.operators.size() * sizeof(OperatorProfile) + network.links.size() * sizeof(LinkProfile);
  for (const OperatorProfile& op : network.operators) bytes += op.gradients.size() * sizeof(OpProfile);
  for (const LinkProfile& link : network.links) {
    for (const FormationStep& step : link.formation.steps)
      bytes += sizeof(FormationStep) + step.reads.size() * sizeof(std::size_t);
  }
  for (const ScheduleProfile& profile : analysis.schedules) {
    bytes += sizeof(ScheduleProfile) + profile.ops.size() * sizeof(OpProfile) +
             profile.schedule.combines.size() * sizeof(Combine) + profile.levels.size() * sizeof(LevelProfile) +
             profile.schedule.results.size() * sizeof(ValueId) + profile.value_bytes.size() * sizeof(std::uint64_t);
  }
  return bytes;
}

/// Throws as CountCache::counted() does.
Analysis count(const Model& model, PatternKind pattern, std::vector<Schedule> schedules) {
  return model.at_operators([&] { return count_on_image(model.network, model, pattern, std::move(schedules)); });
}

/// Where a network's analysis by formulas is kept, apart from counted ones.
ContentKey by_formula(const ContentKey& key) {
  ContentHash hash;
  hash.add("by formulas of the image's size", std::as_bytes(std::span(key)));
  return hash.digest();
}

/// Whether a stored analysis is one of this model: its bytes may be anybody's.
bool is_of(const Analysis& analysis, const Model& model) {
  return analysis.network.links.size() + 1 == scan_length(model.network) && !analysis.schedules.empty() &&
         std::all_of(analysis.schedules.begin(), analysis.schedules.end(), [&](const ScheduleProfile& profile) {
           return profile.schedule.length == scan_length(model.network);
         });
}

}  // namespace

double CountStatistics::hit_rate() const {
  return asked == 0 ? 0 : 1 - static_cast<double>(counted) / static_cast<double>(asked);
}

struct CountCache::Impl {
  /// A network that was asked for, with its weight as the limit counts it.
  struct Place {
    ContentKey key{};
    std::shared_ptr<CachedNetwork> entry;
    std::uint64_t weight = 0;  // 0 while nothing is counted
  };
  using Order = std::list<Place>;  // the one used last first

  Impl(CountStorage store, std::uint64_t limit) : storage(std::move(store)), memory_limit(limit) {}

  std::shared_ptr<CachedNetwork> entry_of(const ContentKey& key);
  void weigh(const ContentKey& key, const CachedNetwork& entry, std::uint64_t weight);
  /// Adds the stored analysis, where there is one that can be read.
  void load(const ContentKey& key, const Model& model, CachedNetwork& entry);
  void save(const ContentKey& key, const Analysis& analysis) const;
  /// Counts what is not there, with the others where that works; false where everything is there.
  bool count_missing(const Model& model, PatternKind pattern, std::span<const std::string> schedules,
                     const ScheduleNames& others, CachedNetwork& entry);
  /// Adds what is not there along a line of images; whether by formulas, nothing where that is not possible.
  std::optional<bool> add_by_line(const Model& model, const SizesOnLine& sizes, std::span<const std::string> schedules,
                                  const ScheduleNames& others, CachedNetwork& entry);

  CountStorage storage;
  std::uint64_t memory_limit;
  std::mutex mutex;  // of what follows
  Order order;
  std::unordered_map<ContentKey, Order::iterator, ContentKeyHash> places;
  std::uint64_t weight = 0;

  std::atomic<std::uint64_t> asked = 0;
  std::atomic<std::uint64_t> in_memory = 0;
  std::atomic<std::uint64_t> stored = 0;
  std::atomic<std::uint64_t> counted = 0;
  std::atomic<std::uint64_t> by_formula = 0;
  std::atomic<std::uint64_t> damaged = 0;
  ImageLines lines;
};

std::shared_ptr<CachedNetwork> CountCache::Impl::entry_of(const ContentKey& key) {
  const std::lock_guard lock(mutex);
  const auto found = places.find(key);
  if (found != places.end()) {
    order.splice(order.begin(), order, found->second);
  } else {
    order.push_front({key, std::make_shared<CachedNetwork>()});
    places.emplace(key, order.begin());
  }
  return order.front().entry;
}

void CountCache::Impl::weigh(const ContentKey& key, const CachedNetwork& entry, std::uint64_t entry_weight) {
  const std::lock_guard lock(mutex);
  const auto found = places.find(key);
  if (found == places.end() || found->second->entry.get() != &entry) return;
  weight += entry_weight - found->second->weight;
  found->second->weight = entry_weight;
  // Entries without weight are being counted, or failed: they cost next to nothing.
  for (auto place = order.end(); weight > memory_limit && place != order.begin();) {
    --place;
    if (place->weight == 0 || place->entry.get() == &entry) continue;
    weight -= place->weight;
    places.erase(place->key);
    place = order.erase(place);
  }
}

// What storage cannot do costs time, no more: whoever writes points to the same store says what is wrong with it.

void CountCache::Impl::load(const ContentKey& key, const Model& model, CachedNetwork& entry) {
  if (!storage.load) return;
  try {
    const std::optional<std::string> bytes = storage.load(key);
    if (!bytes) return;
    const Unsealed unsealed = unseal(key, *bytes);
    if (!unsealed.bytes) {
      if (!unsealed.is_older) damaged.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Analysis analysis = decode_analysis(*unsealed.bytes);
    if (is_of(analysis, model)) entry.add(std::move(analysis));
  } catch (const InputError&) {
    return;
  } catch (const std::invalid_argument&) {
    return;  // of another version: counted again
  }
}

void CountCache::Impl::save(const ContentKey& key, const Analysis& analysis) const {
  if (!storage.save) return;
  try {
    storage.save(key, seal(key, encode_analysis(analysis)));
  } catch (const InputError&) {
    return;
  }
}

namespace {

/// Counts `schedules` and `others`; false where that is not possible, and for good.
bool count_along(const Model& model, PatternKind pattern, std::span<const std::string> schedules,
                 const std::vector<std::string>& others, CachedNetwork& entry) {
  ScheduleNameSet all(schedules.begin(), schedules.end());
  all.insert(others.begin(), others.end());
  try {
    entry.add(count(model, pattern, entry.missing(all, scan_length(model.network))));
    return true;
  } catch (const InputError&) {
  } catch (const std::invalid_argument&) {  // of a name
  } catch (const CountOverflow&) {
  } catch (const std::bad_alloc&) {
  }
  entry.are_others_refused = true;
  return false;
}

}  // namespace

bool CountCache::Impl::count_missing(const Model& model, PatternKind pattern, std::span<const std::string> schedules,
                                     const ScheduleNames& others, CachedNetwork& entry) {
  const ScheduleNameSet names(schedules.begin(), schedules.end());
  std::vector<Schedule> missing = entry.missing(names, scan_length(model.network));
  const bool is_any_missing = !missing.empty();
  if (is_any_missing) {
    counted.fetch_add(1, std::memory_order_relaxed);
    const std::vector<std::string> more = others && !entry.are_others_refused ? others() : std::vector<std::string>{};
    try {
      if (more.empty() || !count_along(model, pattern, schedules, more, entry))
        entry.add(count(model, pattern, std::move(missing)));
    } catch (const InputError& error) {
      entry.failure = CachedNetwork::Failure{names, false, error.what()};
      throw;
    } catch (const CountOverflow&) {
      entry.failure = CachedNetwork::Failure{names, true, {}};
      throw;
    }
  }
  entry.names.insert(schedules.begin(), schedules.end());
  return is_any_missing;
}

std::optional<bool> CountCache::Impl::add_by_line(const Model& model, const SizesOnLine& sizes,
                                                  std::span<const std::string> schedules, const ScheduleNames& others,
                                                  CachedNetwork& entry) {
  ScheduleNameSet names(schedules.begin(), schedules.end());
  if (others) {
    for (std::string& name : others()) names.insert(std::move(name));
  }
  const ImageLine::Found found = lines.at(model, sizes, names);
  if (found.analysis == nullptr) return std::nullopt;
  entry.add(*found.analysis);
  entry.names.merge(names);
  return found.is_by_formula;
}

CountCache::CountCache(CountStorage storage, std::uint64_t memory_limit)
    : impl_(std::make_unique<Impl>(std::move(storage), memory_limit)) {}
CountCache::~CountCache() = default;

std::shared_ptr<const Analysis> CountCache::counted(const Model& model, PatternKind pattern,
                                                    std::span<const std::string> schedules, const ScheduleNames& others,
                                                    const ImageSizes& images) {
  const ContentKey key = key_of(model, pattern);
  const std::shared_ptr<CachedNetwork> entry = impl_->entry_of(key);
  const std::lock_guard counting(entry->counting);
  impl_->asked.fetch_add(1, std::memory_order_relaxed);
  const bool has_failed = entry->has_failed(schedules);
  if (has_failed || entry->serves(schedules)) {
    impl_->in_memory.fetch_add(1, std::memory_order_relaxed);
    if (has_failed) entry->throw_failure();
    return entry->analysis;
  }
  const bool was_empty = !entry->analysis;
  if (was_empty) impl_->load(key, model, *entry);
  std::optional<bool> is_by_formula;
  std::optional<SizesOnLine> line;
  if (!entry->analysis && pattern == PatternKind::guaranteed && images) line = line_of(model.network, images());
  if (line) {
    impl_->load(by_formula(key), model, *entry);
    is_by_formula = entry->serves(schedules) ? true : impl_->add_by_line(model, *line, schedules, others, *entry);
  }
  if (is_by_formula) {
    (*is_by_formula ? impl_->by_formula : impl_->counted).fetch_add(1, std::memory_order_relaxed);
    impl_->save(*is_by_formula ? by_formula(key) : key, *entry->analysis);
  } else if (impl_->count_missing(model, pattern, schedules, others, *entry)) {
    impl_->save(key, *entry->analysis);
  } else {
    // Nothing was missing: it was stored, or is here under another name ("hybrid:9" of a short chain).
    (was_empty ? impl_->stored : impl_->in_memory).fetch_add(1, std::memory_order_relaxed);
  }
  impl_->weigh(key, *entry, weight_of(*entry->analysis));
  return entry->analysis;
}

CountStatistics CountCache::statistics() const {
  return {impl_->asked.load(std::memory_order_relaxed),      impl_->in_memory.load(std::memory_order_relaxed),
          impl_->stored.load(std::memory_order_relaxed),     impl_->counted.load(std::memory_order_relaxed),
          impl_->by_formula.load(std::memory_order_relaxed), impl_->damaged.load(std::memory_order_relaxed)};
}

}  // namespace upsweep
