#pragma once

#include <array>
#include <optional>
#include <tuple>

#include "support/workload.hpp"

namespace upsweep::testing {

/// What the rules of engine.hpp give, by looking at every task at every tick.
class TickByTick {
 public:
  struct Part {
    std::uint32_t task;
    std::uint32_t server;
    std::uint64_t start;
    std::uint64_t end;

    friend auto operator<=>(const Part&, const Part&) = default;
  };

  explicit TickByTick(const Workload& workload)
      : workload_(workload), before_(tasks_before(workload)), tasks_(workload.durations.size()) {
    for (std::size_t id = 0; id < tasks_.size(); ++id) tasks_[id].left = workload.durations[id];
  }

  /// False where tasks wait for each other.
  bool run() {
    for (; true; ++now_) {
      do {
        do settle();
        while (choose(true) && is_unsettled());
        choose(false);
      } while (is_unsettled());
      if (std::ranges::all_of(tasks_, [](const Task& task) { return task.state == State::over; })) return true;
      const auto is_under_way = [](const Task& t) { return t.state == State::runs || t.state == State::travels; };
      if (std::ranges::none_of(tasks_, is_under_way)) return false;
    }
  }

  /// Parts on servers of at least some length, and tasks of no duration; by task.
  [[nodiscard]] std::vector<Part> parts() const {
    std::vector<Part> sorted = parts_;
    std::ranges::sort(sorted);
    return sorted;
  }
  [[nodiscard]] std::uint64_t start(std::size_t id) const { return tasks_[id].start; }
  [[nodiscard]] std::uint64_t end(std::size_t id) const { return tasks_[id].end; }

 private:
  enum class State : std::uint8_t { waits, ready, runs, travels, over };
  struct Task {
    State state = State::waits;
    std::uint64_t left = 0;  // of its duration
    std::uint64_t ready_since = 0;
    std::uint64_t resumed = 0;  // start of the part that runs
    std::uint32_t server = 0;
    bool has_started = false;
    std::uint64_t start = 0, end = 0, arrival = 0;
  };

  [[nodiscard]] bool ends_now(const Task& task) const {
    return task.state == State::runs && task.resumed + task.left == now_;
  }
  [[nodiscard]] bool arrives_now(const Task& task) const {
    return task.state == State::travels && task.arrival == now_;
  }
  [[nodiscard]] bool is_unsettled() const {
    return std::ranges::any_of(tasks_, [&](const Task& task) { return ends_now(task) || arrives_now(task); });
  }

  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t id = 0; id < tasks_.size(); ++id) {
        Task& task = tasks_[id];
        const bool may_start =
            std::ranges::all_of(before_[id], [&](std::uint32_t other) { return tasks_[other].state == State::over; });
        if (ends_now(task)) {
          leave(id);
        } else if (arrives_now(task)) {
          task.state = State::over;
        } else if (task.state == State::waits && may_start) {
          task.state = State::ready;
          task.ready_since = now_;
          if (workload_.resource_of[id] == kNoResource) begin(id, 0);
        } else {
          continue;
        }
        changed = true;
      }
    }
  }

  void begin(std::uint32_t id, std::uint32_t server) {
    Task& task = tasks_[id];
    if (!task.has_started) task.start = now_;
    task.has_started = true;
    task.state = State::runs;
    task.resumed = now_;
    task.server = server;
  }

  void leave(std::uint32_t id) {
    Task& task = tasks_[id];
    record(id);
    task.state = State::travels;
    task.end = now_;
    task.arrival = now_ + delay_of(workload_, id);
  }

  void record(std::uint32_t id) {
    const Task& task = tasks_[id];
    const bool has_length = now_ > task.resumed || workload_.durations[id] == 0;
    if (workload_.resource_of[id] != kNoResource && has_length) parts_.push_back({id, task.server, task.resumed, now_});
  }

  bool choose(bool transports) {
    bool chose = false;
    for (std::uint32_t resource = 0; resource < workload_.resources.size(); ++resource) {
      if (workload_.resources[resource].is_transport != transports) continue;
      if (workload_.resources[resource].discipline == Discipline::preemptive) interrupt(resource);
      while (const auto server = free_server(resource)) {
        const auto id = next_of(resource);
        if (!id) break;
        begin(*id, *server);
        chose = true;
        if (tasks_[*id].left == 0 && workload_.resources[resource].frees_instantly) leave(*id);
      }
    }
    return chose;
  }

  [[nodiscard]] std::vector<std::uint32_t> tasks_of(std::uint32_t resource, State state) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t id = 0; id < tasks_.size(); ++id) {
      if (workload_.resource_of[id] == resource && tasks_[id].state == state) found.push_back(id);
    }
    return found;
  }

  [[nodiscard]] std::optional<std::uint32_t> free_server(std::uint32_t resource) const {
    for (std::uint32_t server = 0; server < workload_.resources[resource].servers; ++server) {
      const auto running = tasks_of(resource, State::runs);
      if (std::ranges::none_of(running, [&](std::uint32_t id) { return tasks_[id].server == server; })) return server;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::uint32_t> next_of(std::uint32_t resource) const {
    const Discipline discipline = workload_.resources[resource].discipline;
    std::vector<std::uint32_t> candidates = tasks_of(resource, State::ready);
    if (discipline == Discipline::fixed_order) {
      const auto waiting = tasks_of(resource, State::waits);
      candidates.insert(candidates.end(), waiting.begin(), waiting.end());
    }
    if (candidates.empty()) return std::nullopt;
    const auto first = *std::ranges::min_element(candidates, {}, [&](std::uint32_t id) {
      const std::uint64_t since = discipline == Discipline::fifo ? tasks_[id].ready_since : 0;
      return std::tuple_cat(std::tuple{since}, rank_of(workload_, id));
    });
    if (tasks_[first].state != State::ready) return std::nullopt;
    return first;
  }

  void interrupt(std::uint32_t resource) {
    const auto running = tasks_of(resource, State::runs);
    const auto first = next_of(resource);
    if (running.empty() || !first || rank_of(workload_, running[0]) < rank_of(workload_, *first)) return;
    record(running[0]);
    Task& task = tasks_[running[0]];
    task.left -= now_ - task.resumed;
    task.state = State::ready;
    task.has_started = task.start < now_;  // a part of no length is none
  }

  const Workload& workload_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<Task> tasks_;
  std::vector<Part> parts_;
  std::uint64_t now_ = 0;
};

}  // namespace upsweep::testing
