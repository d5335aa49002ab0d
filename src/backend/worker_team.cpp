#include "worker_team.hpp"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

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

/// Work that is handed out by one counter, the number of tasks that nobody has taken yet. Whoever lowers it owns a task,
/// and until that task is done the call that it belongs to cannot end: body_ and count_ belong to the same call.
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
    std::size_t finished = 0;
    for (std::uint32_t t = 0; t < waits.size(); ++t) {
      if (waits[t] == 0) ready.push(t);
    }
    const auto serve = [&](std::size_t, std::size_t worker) {
      Spinner spinner;
      for (;;) {
        std::uint32_t task = 0;
        {
          const std::scoped_lock lock(guard);
          if (finished == waits.size() || failed_.load(std::memory_order_relaxed)) return;
          if (ready.empty()) {
            task = ~std::uint32_t{0};
          } else {
            task = ready.top();
            ready.pop();
          }
        }
        if (task == ~std::uint32_t{0}) {
          spinner.wait();
          continue;
        }
        spinner = Spinner();
        run_guarded(body, task, worker);
        const std::scoped_lock lock(guard);
        ++finished;
        for (const std::uint32_t after : next[task]) {
          if (--left[after] == 0) ready.push(after);
        }
      }
    };
    // One server per worker; a worker that is late finds nothing left to do.
    const TaskBody serve_task = serve;
    run_all(workers_, serve_task);
  }

  explicit Team(std::size_t workers) : workers_(workers) {}

  /// A worker's life until stop(); false when that was over before it began.
  bool stand_by(std::size_t worker) {
    if (stopped_.load(std::memory_order_acquire)) return false;
    Spinner spinner;
    while (!stopped_.load(std::memory_order_acquire)) {
      if (work(worker)) spinner = Spinner();
      spinner.wait();
    }
    return true;
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

}  // namespace

std::size_t with_worker_team(std::size_t workers, const std::function<void(WorkerTeam&)>& leader) {
  if (workers == 0 || workers > parallel_slots()) {
    throw std::invalid_argument(
        fmt::format("{} workers, accepted are 1 to {}, the threads of this machine", workers, parallel_slots()));
  }
  Team team(workers);
  std::exception_ptr error;
  std::atomic<std::size_t> joined{0};
  std::atomic<std::size_t> too_late{0};
  const ThreadLimit limit(workers);
  parallel_chunks(workers, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    // Whoever comes first leads. A thread that is handed several chunks plays them one after the other.
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      const std::size_t worker = joined.fetch_add(1, std::memory_order_acq_rel);
      if (worker > 0) {
        if (!team.stand_by(worker)) ++too_late;
        continue;
      }
      try {
        leader(team);
      } catch (...) {
        error = std::current_exception();
      }
      team.stop();
    }
  });
  if (error) std::rethrow_exception(error);
  return joined - too_late;
}

}  // namespace upsweep
