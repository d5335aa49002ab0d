#include "worker_team.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <queue>
#include <stdexcept>
#include <thread>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// Keeps the calling thread on one processor of those that it may use, its own for each worker, while it lives. Two
/// workers that wait for each other by spinning may else share a processor for seconds, while another stands idle.
class PinnedThread {
 public:
  explicit PinnedThread(std::size_t worker) {
    if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
    std::size_t left = worker % static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed_)));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed_) || left-- > 0) continue;
      cpu_set_t mine;
      CPU_ZERO(&mine);
      CPU_SET(cpu, &mine);
      pinned_ = sched_setaffinity(0, sizeof mine, &mine) == 0;
      return;
    }
  }
  ~PinnedThread() {
    if (pinned_) static_cast<void>(sched_setaffinity(0, sizeof allowed_, &allowed_));
  }
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t allowed_{};
  bool pinned_ = false;
};

/// Waits by spinning for a while, then lets other threads run: more workers than cores must not stand still.
class Spinner {
 public:
  void wait() {
    if (++spins_ < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr unsigned kSpins = 2000;
  unsigned spins_ = 0;
};

/// Work that is handed out by one counter, the number of tasks that nobody has taken yet. Whoever lowers it owns a
/// task, and until that task is done the call that it belongs to cannot end: body_ and count_ belong to the same call.
class Team final : public WorkerTeam {
 public:
  void run_all(std::size_t count, const TaskBody& body) override {
    if (count == 0) return;
    body_ = &body;
    count_ = count;
    done_.store(0, std::memory_order_relaxed);
    untaken_.store(count, std::memory_order_release);
    work(0);
    Spinner spinner;
    while (done_.load(std::memory_order_acquire) < count) spinner.wait();
    rethrow();
  }

  void run_graph(const std::vector<std::uint32_t>& waits, const std::vector<std::vector<std::uint32_t>>& next,
                 const TaskBody& body) override {
    std::vector<std::uint32_t> left = waits;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    std::mutex guard;
    for (std::uint32_t t = 0; t < waits.size(); ++t) {
      if (waits[t] == 0) ready.push(t);
    }
    std::atomic<std::size_t> waiting{ready.size()};
    std::atomic<std::size_t> left_to_finish{waits.size()};
    const auto serve = [&](std::size_t, std::size_t worker) {
      Spinner spinner;
      for (;;) {
        if (waiting.load(std::memory_order_relaxed) == 0 && left_to_finish.load(std::memory_order_acquire) > 0 &&
            !failed_.load(std::memory_order_relaxed)) {
          spinner.wait();  // without the lock: whoever has finished a task needs it
          continue;
        }
        std::uint32_t task = 0;
        {
          const std::scoped_lock lock(guard);
          if (left_to_finish.load(std::memory_order_acquire) == 0 || failed_.load(std::memory_order_relaxed)) return;
          if (ready.empty()) continue;
          task = ready.top();
          ready.pop();
          waiting.store(ready.size(), std::memory_order_relaxed);
        }
        spinner = Spinner();
        run_guarded(body, task, worker);
        const std::scoped_lock lock(guard);
        for (const std::uint32_t after : next[task]) {
          if (--left[after] == 0) ready.push(after);
        }
        waiting.store(ready.size(), std::memory_order_relaxed);
        left_to_finish.fetch_sub(1, std::memory_order_acq_rel);
      }
    };
    // One server per worker; a worker that is late finds nothing left to do.
    const TaskBody serve_task = serve;
    run_all(workers_, serve_task);
  }

  explicit Team(std::size_t workers) : workers_(workers) {}

  /// A worker's life until stop().
  void stand_by(std::size_t worker) {
    Spinner spinner;
    while (!stopped_.load(std::memory_order_acquire)) {
      if (work(worker)) spinner = Spinner();
      spinner.wait();
    }
  }

  void stop() { stopped_.store(true, std::memory_order_release); }

  void rethrow() {
    const std::scoped_lock lock(error_guard_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Works until nothing is left to take; true when there was something.
  bool work(std::size_t worker) {
    bool worked = false;
    std::size_t untaken = untaken_.load(std::memory_order_acquire);
    while (untaken > 0) {
      if (!untaken_.compare_exchange_weak(untaken, untaken - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        continue;
      }
      run_guarded(*body_, count_ - untaken, worker);
      worked = true;
      done_.fetch_add(1, std::memory_order_acq_rel);
      untaken = untaken_.load(std::memory_order_acquire);
    }
    return worked;
  }

  void run_guarded(const TaskBody& body, std::size_t task, std::size_t worker) {
    try {
      body(task, worker);
    } catch (...) {
      const std::scoped_lock lock(error_guard_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }

  std::size_t workers_;
  const TaskBody* body_ = nullptr;
  std::size_t count_ = 0;
  alignas(64) std::atomic<std::size_t> untaken_{0};
  alignas(64) std::atomic<std::size_t> done_{0};
  alignas(64) std::atomic<bool> stopped_{false};
  std::atomic<bool> failed_{false};
  std::mutex error_guard_;
  std::exception_ptr error_;
};

/// Gives the pool a moment to deliver the workers.
void await_workers(const std::atomic<std::size_t>& joined, std::size_t workers) {
  constexpr auto kPatience = std::chrono::milliseconds(20);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (joined.load(std::memory_order_acquire) < workers && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
}

}  // namespace

std::size_t with_worker_team(std::size_t workers, const std::function<void(WorkerTeam&)>& leader) {
  if (workers == 0 || workers > parallel_slots()) {
    throw std::invalid_argument(
        fmt::format("{} workers, accepted are 1 to {}, the threads of this machine", workers, parallel_slots()));
  }
  Team team(workers);
  std::exception_ptr error;
  std::atomic<std::size_t> joined{0};
  std::size_t at_start = 0;
  const ThreadLimit limit(workers);
  parallel_chunks(workers, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    // Whoever comes first leads. A thread that is handed several chunks plays them one after the other.
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      const std::size_t worker = joined.fetch_add(1, std::memory_order_acq_rel);
      std::optional<PinnedThread> pinned;
      if (workers > 1) pinned.emplace(worker);
      if (worker > 0) {
        team.stand_by(worker);
        continue;
      }
      try {
        await_workers(joined, workers);
        at_start = joined.load(std::memory_order_acquire);
        leader(team);
      } catch (...) {
        error = std::current_exception();
      }
      team.stop();
    }
  });
  if (error) std::rethrow_exception(error);
  return at_start;
}

}  // namespace upsweep
