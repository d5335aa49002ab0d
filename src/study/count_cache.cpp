#include "upsweep/study/count_cache.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <list>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "image_line.hpp"
#include "settings_text.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/analysis_codec.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

using Names = std::set<std::string, std::less<>>;

// A line that is done keeps formulas and one analysis. Past so many, sizes are counted each by itself.
constexpr std::size_t kMostLines = 512;

ContentKey key_of(const Model& model, PatternKind pattern) {
  ContentHash hash;
  hash.add("model", model.content_hash);
  hash.add("pattern", std::string_view(to_string(pattern)));
  hash.add("rule", std::string_view(kCountingRule));
  hash.add("value_bytes", std::string_view(model.value_bytes == 8 ? "8" : "4"));
  return hash.digest();
}

/// Length of the scan array of a network.
std::size_t length_of(const Model& model) { return model.network.links().size() + 1; }

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

/// Counts a network, that of the model or the same on another image, under schedules.
Analysis count(const Network& network, const Model& model, PatternKind pattern, std::vector<Schedule> schedules) {
  require_pattern_memory(network, model.weights, machine_memory(), form_for(pattern));
  return analyse({network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes}, pattern,
                 std::move(schedules));
}

/// Throws as CountCache::counted() does.
Analysis count(const Model& model, PatternKind pattern, std::vector<Schedule> schedules) {
  return model.at_operators([&] { return count(model.network, model, pattern, std::move(schedules)); });
}

/// Of a network on images of any size, under schedules.
ContentKey key_but_for_image(const Model& model, std::span<const std::string> schedules, const SizesOnLine& line) {
  ContentHash hash;
  hash.add("value_bytes", std::to_string(model.value_bytes));
  hash.add("channels", std::to_string(model.network.input().front()));
  for (std::size_t o = 0; o < model.network.operators().size(); ++o) {
    const Operator& op = model.network.operators()[o];
    hash.add(op.name, canonical_text(op.kind));
    for (const std::size_t input : model.network.inputs_of(o)) hash.add("input", std::to_string(input));
    hash.add("mask", std::as_bytes(std::span(model.weights[o].kept)));
  }
  for (const std::string& name : schedules) hash.add("schedule", name);
  for (const ImageSize& size : line.sizes) {
    hash.add("height", std::to_string(size.height));
    hash.add("width", std::to_string(size.width));
  }
  return hash.digest();
}

/// The line of images that a model is one of.
std::optional<SizesOnLine> line_of(const Model& model, PatternKind pattern, const CountCache::ImageSizes& images) {
  const Shape& input = model.network.input();
  if (pattern != PatternKind::guaranteed || !images || input.size() != 3) return std::nullopt;
  try {
    return line_through({input[1], input[2]}, images(), accumulated_stride(model.network));
  } catch (const OperatorError&) {
    return std::nullopt;  // of too large a stride
  }
}

/// Where a network's analysis by formulas is kept, apart from counted ones.
ContentKey by_formula(const ContentKey& key) {
  ContentHash hash;
  hash.add("by formulas of the image's size", std::as_bytes(std::span(key)));
  return hash.digest();
}

/// A counted network with what was tried of it. Guarded by `counting`, which is held while it is counted.
struct Entry {
  /// Why counting these schedules failed: it would again.
  struct Failure {
    Names schedules;
    bool is_overflow = false;
    std::string text;  // of an InputError
  };

  std::mutex counting;
  std::shared_ptr<const Analysis> analysis;
  Names names;  // of its schedules, and by which they were asked for
  std::optional<Failure> failure;
  bool are_others_refused = false;  // counting others along failed

  [[nodiscard]] bool serves(std::span<const std::string> schedules) const {
    return analysis && std::all_of(schedules.begin(), schedules.end(),
                                   [&](const std::string& name) { return names.contains(name); });
  }

  /// Whether counting these schedules failed, and what it threw.
  [[nodiscard]] bool has_failed(std::span<const std::string> schedules) const {
    return failure && failure->schedules == Names(schedules.begin(), schedules.end());
  }
  [[noreturn]] void throw_failure() const {
    if (failure->is_overflow) throw CountOverflow();
    throw InputError(failure->text);
  }

  /// Adds schedules to those that are there. Counts do not depend on which schedules are counted together.
  void add(Analysis counted) {
    if (analysis) {
      std::vector<ScheduleProfile> all = analysis->schedules;
      std::move(counted.schedules.begin(), counted.schedules.end(), std::back_inserter(all));
      counted.schedules = std::move(all);
    }
    for (const ScheduleProfile& profile : counted.schedules) names.insert(profile.schedule.name);
    analysis = std::make_shared<const Analysis>(std::move(counted));
  }

  /// The schedules that are not there yet, linear among them.
  [[nodiscard]] std::vector<Schedule> missing(std::span<const std::string> schedules, std::size_t length) const {
    std::vector<Schedule> list;
    Names listed = names;
    const auto add = [&](const std::string& name) {
      if (listed.contains(name)) return;
      Schedule schedule = make_schedule(parse_schedule(name), length);
      if (listed.insert(schedule.name).second) list.push_back(std::move(schedule));
    };
    add("linear");
    for (const std::string& name : schedules) add(name);
    return list;
  }
};

/// Whether a stored analysis is one of this model: its bytes may be anybody's.
bool is_of(const Analysis& analysis, const Model& model) {
  return analysis.network.links.size() + 1 == length_of(model) && !analysis.schedules.empty() &&
         std::all_of(analysis.schedules.begin(), analysis.schedules.end(),
                     [&](const ScheduleProfile& profile) { return profile.schedule.length == length_of(model); });
}

}  // namespace

double CountStatistics::hit_rate() const {
  return asked == 0 ? 0 : 1 - static_cast<double>(counted) / static_cast<double>(asked);
}

struct CountCache::Impl {
  /// A network that was asked for, with its weight as the limit counts it.
  struct Place {
    ContentKey key{};
    std::shared_ptr<Entry> entry;
    std::uint64_t weight = 0;  // 0 while nothing is counted
  };
  using Order = std::list<Place>;  // the one used last first

  Impl(CountStorage store, std::uint64_t limit) : storage(std::move(store)), memory_limit(limit) {}

  std::shared_ptr<Entry> entry_of(const ContentKey& key);
  void weigh(const ContentKey& key, const Entry& entry, std::uint64_t weight);
  /// Adds the stored analysis, where there is one that can be read.
  void load(const ContentKey& key, const Model& model, Entry& entry) const;
  void save(const ContentKey& key, const Analysis& analysis) const;
  /// Counts what is not there, with the others where that works; false where everything is there.
  bool count_missing(const Model& model, PatternKind pattern, std::span<const std::string> schedules,
                     const ScheduleNames& others, Entry& entry);
  std::shared_ptr<ImageLine> line_at(const ContentKey& key, const SizesOnLine& sizes);
  /// Adds what is not there along a line of images; whether by formulas, nothing where that is not possible.
  std::optional<bool> add_by_line(const Model& model, const SizesOnLine& sizes, std::span<const std::string> schedules,
                                  const ScheduleNames& others, Entry& entry);

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
  std::mutex line_mutex;  // of
  std::unordered_map<ContentKey, std::shared_ptr<ImageLine>, ContentKeyHash> lines;
};

std::shared_ptr<Entry> CountCache::Impl::entry_of(const ContentKey& key) {
  const std::lock_guard lock(mutex);
  const auto found = places.find(key);
  if (found != places.end()) {
    order.splice(order.begin(), order, found->second);
  } else {
    order.push_front({key, std::make_shared<Entry>()});
    places.emplace(key, order.begin());
  }
  return order.front().entry;
}

void CountCache::Impl::weigh(const ContentKey& key, const Entry& entry, std::uint64_t entry_weight) {
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

void CountCache::Impl::load(const ContentKey& key, const Model& model, Entry& entry) const {
  if (!storage.load) return;
  try {
    const std::optional<std::string> bytes = storage.load(key);
    if (!bytes) return;
    Analysis analysis = decode_analysis(*bytes);
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
    storage.save(key, encode_analysis(analysis));
  } catch (const InputError&) {
    return;
  }
}

namespace {

/// Counts `schedules` and `others`; false where that is not possible, and for good.
bool count_along(const Model& model, PatternKind pattern, std::span<const std::string> schedules,
                 const std::vector<std::string>& others, Entry& entry) {
  std::vector<std::string> all(schedules.begin(), schedules.end());
  all.insert(all.end(), others.begin(), others.end());
  try {
    entry.add(count(model, pattern, entry.missing(all, length_of(model))));
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
                                     const ScheduleNames& others, Entry& entry) {
  std::vector<Schedule> missing = entry.missing(schedules, length_of(model));
  const bool is_any_missing = !missing.empty();
  if (is_any_missing) {
    counted.fetch_add(1, std::memory_order_relaxed);
    const std::vector<std::string> more = others && !entry.are_others_refused ? others() : std::vector<std::string>{};
    try {
      if (more.empty() || !count_along(model, pattern, schedules, more, entry))
        entry.add(count(model, pattern, std::move(missing)));
    } catch (const InputError& error) {
      entry.failure = Entry::Failure{Names(schedules.begin(), schedules.end()), false, error.what()};
      throw;
    } catch (const CountOverflow&) {
      entry.failure = Entry::Failure{Names(schedules.begin(), schedules.end()), true, {}};
      throw;
    }
  }
  entry.names.insert(schedules.begin(), schedules.end());
  return is_any_missing;
}

/// Null where there are too many.
std::shared_ptr<ImageLine> CountCache::Impl::line_at(const ContentKey& key, const SizesOnLine& sizes) {
  const std::lock_guard lock(line_mutex);
  if (const auto found = lines.find(key); found != lines.end()) return found->second;
  if (lines.size() >= kMostLines) return nullptr;
  return lines.emplace(key, std::make_shared<ImageLine>(sizes)).first->second;
}

std::optional<bool> CountCache::Impl::add_by_line(const Model& model, const SizesOnLine& sizes,
                                                  std::span<const std::string> schedules, const ScheduleNames& others,
                                                  Entry& entry) {
  std::vector<std::string> names(schedules.begin(), schedules.end());
  if (others) {
    const std::vector<std::string> more = others();
    names.insert(names.end(), more.begin(), more.end());
  }
  std::ranges::sort(names);  // one line, whichever of its schedules is asked for first
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  const std::shared_ptr<ImageLine> line = line_at(key_but_for_image(model, names, sizes), sizes);
  if (line == nullptr) return std::nullopt;
  const ImageSize mine{model.network.input()[1], model.network.input()[2]};
  const ImageLine::Found found = line->at(mine, [&](ImageSize size) {
    const Network network = on_image(model.network, model.weights, size);
    return count(network, model, PatternKind::guaranteed, Entry().missing(names, length_of(model)));
  });
  if (found.analysis == nullptr) return std::nullopt;
  entry.add(*found.analysis);
  entry.names.insert(names.begin(), names.end());
  return found.is_by_formula;
}

CountCache::CountCache(CountStorage storage, std::uint64_t memory_limit)
    : impl_(std::make_unique<Impl>(std::move(storage), memory_limit)) {}
CountCache::~CountCache() = default;

std::shared_ptr<const Analysis> CountCache::counted(const Model& model, PatternKind pattern,
                                                    std::span<const std::string> schedules, const ScheduleNames& others,
                                                    const ImageSizes& images) {
  const ContentKey key = key_of(model, pattern);
  const std::shared_ptr<Entry> entry = impl_->entry_of(key);
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
  if (!entry->analysis) line = line_of(model, pattern, images);
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
  return {impl_->asked.load(std::memory_order_relaxed), impl_->in_memory.load(std::memory_order_relaxed),
          impl_->stored.load(std::memory_order_relaxed), impl_->counted.load(std::memory_order_relaxed),
          impl_->by_formula.load(std::memory_order_relaxed)};
}

}  // namespace upsweep
