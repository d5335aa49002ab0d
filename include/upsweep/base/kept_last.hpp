#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep {

/// Keeps the values that were used last. Thread-safe; of two threads that want the same one, one makes it and the other
/// waits. A function weight_of(const Value&) gives the bytes that a value takes, about.
template <class Key, class Value, class Hash = std::hash<Key>>
class KeptLast {
 public:
  /// Keeps `most` values of at most `most_weight` bytes together in each of `shards` parts, at least one in each.
  KeptLast(std::size_t shards, std::size_t most, std::uint64_t most_weight)
      : shards_(shards), most_(most), most_weight_(most_weight) {}

  /// The value of a key, from `make()` where it is not kept. What `make` throws comes out, and the next one makes it
  /// again.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    Shard& shard = shards_[Hash{}(key) % shards_.size()];
    const std::shared_ptr<Slot> slot = used(shard, key);
    if (slot->is_made.load(std::memory_order_acquire)) return slot->value;
    const std::lock_guard making(slot->making);
    if (!slot->is_made.load(std::memory_order_relaxed)) {
      slot->value = std::make_shared<const Value>(make());
      slot->is_made.store(true, std::memory_order_release);
      weigh(shard, key, *slot);
    }
    return slot->value;
  }

 private:
  struct Slot {
    std::mutex making;
    std::atomic<bool> is_made = false;
    std::shared_ptr<const Value> value;  // not changed once made
    std::uint64_t weight = 0;            // as its shard counts it
  };
  using Order = std::list<std::pair<Key, std::shared_ptr<Slot>>>;  // the one used last first
  struct Shard {
    std::mutex mutex;
    Order order;
    std::unordered_map<Key, typename Order::iterator, Hash> places;
    std::uint64_t weight = 0;
  };

  std::shared_ptr<Slot> used(Shard& shard, const Key& key) {
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

  void weigh(Shard& shard, const Key& key, Slot& slot) {
    const std::uint64_t weight = weight_of(*slot.value);
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
