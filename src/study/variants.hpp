#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "upsweep/study/point_factory.hpp"

namespace upsweep {

/// Which model or machine of a study it is.
struct VariantKey {
  std::uint64_t number = 0;         ///< mixed radix of the places on the axes that change it
  std::uint64_t replaced = 0;       ///< bits of the number that replaces a place, and
  std::uint64_t replaced_axis = 0;  ///< 1 + that axis; 0 where nothing is replaced
  bool has_numbers = false;         ///< of a model: whether it has the values of its weights

  friend bool operator==(const VariantKey&, const VariantKey&) = default;
};

struct VariantKeyHash {
  std::size_t operator()(const VariantKey& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: spreads neighbours
    std::uint64_t hash = (key.number + (key.has_numbers ? 1 : 0)) * kOdd;
    hash = (std::rotl(hash, 31) ^ key.replaced ^ key.replaced_axis) * kOdd;
    return hash ^ (hash >> 32);
  }
};

/// The model of a study with these values; what they do not make is its error. std::bad_alloc comes out.
[[nodiscard]] ModelVariant make_model(const StudyFile& study, std::span<const PathValue> values, bool has_numbers);

/// The machine of a study with these values; neither machine nor error where a study has none.
[[nodiscard]] MachineVariant make_machine(const StudyFile& study, std::span<const PathValue> values);

/// About the memory that a variant takes, bytes.
[[nodiscard]] std::uint64_t weight_of(const ModelVariant& variant);
[[nodiscard]] std::uint64_t weight_of(const MachineVariant& variant);

/// Keeps the variants that were used last. Thread-safe; of two threads that want the same one, one makes it.
template <class Variant>
class VariantCache {
 public:
  /// Keeps `most` variants of at most `most_weight` bytes together in each of `shards` parts, at least one in each.
  VariantCache(std::size_t shards, std::size_t most, std::uint64_t most_weight)
      : shards_(shards), most_(most), most_weight_(most_weight) {}

  /// The variant of a key, from `make()` where it is not kept.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const Variant> get(const VariantKey& key, const Make& make) {
    Shard& shard = shards_[VariantKeyHash{}(key) % shards_.size()];
    const std::shared_ptr<Slot> slot = used(shard, key);
    if (slot->is_made.load(std::memory_order_acquire)) return slot->variant;
    const std::lock_guard making(slot->making);
    if (!slot->is_made.load(std::memory_order_relaxed)) {
      slot->variant = std::make_shared<const Variant>(make());
      slot->is_made.store(true, std::memory_order_release);
      weigh(shard, key, *slot);
    }
    return slot->variant;
  }

 private:
  struct Slot {
    std::mutex making;
    std::atomic<bool> is_made = false;
    std::shared_ptr<const Variant> variant;  // not changed once made
    std::uint64_t weight = 0;                // as its shard counts it
  };
  using Order = std::list<std::pair<VariantKey, std::shared_ptr<Slot>>>;  // the one used last first
  struct Shard {
    std::mutex mutex;
    Order order;
    std::unordered_map<VariantKey, typename Order::iterator, VariantKeyHash> places;
    std::uint64_t weight = 0;
  };

  std::shared_ptr<Slot> used(Shard& shard, const VariantKey& key) {
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(key);
    if (found != shard.places.end()) {
      shard.order.splice(shard.order.begin(), shard.order, found->second);
      return found->second->second;
    }
    shard.order.emplace_front(key, std::make_shared<Slot>());
    shard.places.emplace(key, shard.order.begin());
    std::shared_ptr<Slot> slot = shard.order.front().second;
    trim(shard);
    return slot;
  }

  void weigh(Shard& shard, const VariantKey& key, Slot& slot) {
    const std::uint64_t weight = weight_of(*slot.variant);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(key);
    if (found == shard.places.end() || found->second->second.get() != &slot) return;  // already left out
    slot.weight = weight;
    shard.weight += weight;
    trim(shard);
  }

  void trim(Shard& shard) {
    while (shard.order.size() > 1 && (shard.order.size() > most_ || shard.weight > most_weight_)) {
      shard.weight -= shard.order.back().second->weight;
      shard.places.erase(shard.order.back().first);
      shard.order.pop_back();
    }
  }

  std::vector<Shard> shards_;
  std::size_t most_;
  std::uint64_t most_weight_;
};

}  // namespace upsweep
