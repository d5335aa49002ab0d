#include "upsweep/sim/task_engine.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

template <class T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(std::string("simulate_tasks: ") + message);
}

void check(const Workload& workload) {
  const std::size_t tasks = workload.durations.size();
  require(boost::num_vertices(workload.graph) == tasks && workload.resource_of.size() == tasks,
          "one duration and one resource per task");
  require(workload.delays.empty() || workload.delays.size() == tasks, "one delay per task, or none");
  require(workload.keys.empty() || workload.keys.size() == tasks, "one key per task, or none");
  for (const std::uint32_t resource : workload.resource_of)
    require(resource == kNoResource || resource < workload.resources.size(), "a resource that does not exist");
  for (const Resource& resource : workload.resources) {
    require(resource.servers > 0, "a resource without servers");
    require(resource.discipline != Discipline::preemptive || resource.servers == 1,
            "a preemptive resource with several servers");
  }
}

/// A candidate of a resource, the next one first: (time ready under fifo, key, task).
struct Candidate {
  std::uint64_t ready;
  std::uint64_t key;
  std::uint32_t task;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(a.ready, a.key, a.task) < std::tie(b.ready, b.key, b.task);
  }
  friend bool operator>(const Candidate& a, const Candidate& b) { return b < a; }
};

/// Something that will happen.
struct Event {
  enum class What : std::uint8_t {
    over,      // leaves its server, and those that wait for it may start
    released,  // leaves its server
    arrived,   // those that wait for it may start
  };
  std::uint64_t time;
  std::uint32_t task;
  std::uint32_t serial;  // of the task's last interruption: an older event is void
  What what;

  bool operator>(const Event& other) const { return time != other.time ? time > other.time : task > other.task; }
};

/// A resource at work.
struct Station {
  MinHeap<Candidate> ready;          // all but fixed_order
  std::vector<std::uint32_t> order;  // fixed_order: its tasks
  std::size_t next = 0;              // fixed_order: position in order
  MinHeap<std::uint32_t> free;       // servers that have worked and are free
  std::uint32_t fresh = 0;           // the first server that has not worked yet
  std::uint32_t running = 0;         // preemptive: the task
  bool is_busy = false;              // preemptive
  bool is_listed = false;            // among those that have to choose
};

class Engine {
 public:
  explicit Engine(const Workload& workload) : workload_(workload), tasks_(workload.durations.size()) {
    check(workload);
    waits_for_.assign(tasks_, 0);
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      for (auto [edge, last] = boost::out_edges(task, workload_.graph); edge != last; ++edge)
        ++waits_for_[boost::target(*edge, workload_.graph)];
    }
    server_.assign(tasks_, 0);
    result_.start.assign(tasks_, kNever);
    result_.end.assign(tasks_, kNever);
    result_.segments.reserve(tasks_);
    stations_.resize(workload.resources.size());
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      const std::uint32_t resource = workload_.resource_of[task];
      if (resource == kNoResource) continue;
      if (workload_.resources[resource].discipline == Discipline::fixed_order)
        stations_[resource].order.push_back(task);
      may_interrupt_ = may_interrupt_ || workload_.resources[resource].discipline == Discipline::preemptive;
    }
    for (Station& station : stations_) {
      std::ranges::stable_sort(station.order, {}, [&](std::uint32_t task) { return key(task); });
    }
    if (may_interrupt_) {
      left_ = workload.durations;
      serial_.assign(tasks_, 0);
      segment_.assign(tasks_, 0);
    }
  }

  Simulation run() {
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      if (waits_for_[task] == 0) make_ready(task);
    }
    while (true) {
      do {
        retire();
        choose(transports_);
      } while (!events_.empty() && events_.top().time == now_);
      choose(others_);
      if (events_.empty()) break;
      now_ = events_.top().time;
    }
    if (finished_ < tasks_) refuse_deadlock();
    // Parts of no length, of a task that was interrupted as it started.
    if (may_interrupt_) {
      std::erase_if(result_.segments, [](const Segment& segment) { return segment.task == kNoTask; });
    }
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t key(std::uint32_t task) const {
    return workload_.keys.empty() ? task : workload_.keys[task];
  }
  [[nodiscard]] std::uint64_t delay(std::uint32_t task) const {
    return workload_.delays.empty() ? 0 : workload_.delays[task];
  }
  [[nodiscard]] std::uint32_t serial(std::uint32_t task) const { return may_interrupt_ ? serial_[task] : 0; }
  [[nodiscard]] std::uint64_t left(std::uint32_t task) const {
    return may_interrupt_ ? left_[task] : workload_.durations[task];
  }

  /// All that ends or arrives now.
  void retire() {
    while (!events_.empty() && events_.top().time == now_) {
      const Event event = events_.top();
      events_.pop();
      if (event.serial != serial(event.task)) continue;
      const std::uint32_t resource = workload_.resource_of[event.task];
      if (event.what != Event::What::arrived && resource != kNoResource) {
        stations_[resource].free.push(server_[event.task]);
        stations_[resource].is_busy = false;
        list(resource);
      }
      if (event.what != Event::What::released) finish(event.task);
    }
  }

  void finish(std::uint32_t task) {
    ++finished_;
    for (auto [edge, last] = boost::out_edges(task, workload_.graph); edge != last; ++edge) {
      const auto next = static_cast<std::uint32_t>(boost::target(*edge, workload_.graph));
      if (--waits_for_[next] == 0) make_ready(next);
    }
  }

  void make_ready(std::uint32_t task) {
    const std::uint32_t resource = workload_.resource_of[task];
    if (resource == kNoResource) {
      result_.start[task] = now_;
      result_.end[task] = checked_add(now_, workload_.durations[task]);
      events_.push({checked_add(result_.end[task], delay(task)), task, 0, Event::What::over});
      return;
    }
    Station& station = stations_[resource];
    const Discipline discipline = workload_.resources[resource].discipline;
    if (discipline != Discipline::fixed_order)
      station.ready.push({discipline == Discipline::fifo ? now_ : 0, key(task), task});
    list(resource);
  }

  void list(std::uint32_t resource) {
    if (std::exchange(stations_[resource].is_listed, true)) return;
    (workload_.resources[resource].is_transport ? transports_ : others_).push_back(resource);
  }

  /// Every listed resource starts what it can.
  void choose(std::vector<std::uint32_t>& listed) {
    std::ranges::sort(listed);
    for (const std::uint32_t resource : listed) {
      Station& station = stations_[resource];
      station.is_listed = false;
      if (workload_.resources[resource].discipline == Discipline::preemptive) interrupt(station);
      while (!station.free.empty() || station.fresh < workload_.resources[resource].servers) {
        const std::uint32_t task = take(station, resource);
        if (task == kNoTask) break;
        start(task, station, workload_.resources[resource]);
      }
    }
    listed.clear();
  }

  /// The next task of a resource, taken out of its queue, or kNoTask.
  std::uint32_t take(Station& station, std::uint32_t resource) {
    if (workload_.resources[resource].discipline == Discipline::fixed_order) {
      if (station.next == station.order.size()) return kNoTask;
      const std::uint32_t task = station.order[station.next];
      if (waits_for_[task] > 0) return kNoTask;
      ++station.next;
      return task;
    }
    if (station.ready.empty()) return kNoTask;
    const std::uint32_t task = station.ready.top().task;
    station.ready.pop();
    return task;
  }

  void start(std::uint32_t task, Station& station, const Resource& resource) {
    std::uint32_t server = station.fresh;
    if (station.free.empty()) {
      ++station.fresh;
    } else {
      server = station.free.top();
      station.free.pop();
    }
    server_[task] = server;
    const std::uint64_t end = checked_add(now_, left(task));
    if (result_.end[task] == kNever) result_.start[task] = now_;
    result_.end[task] = end;
    result_.makespan = std::max(result_.makespan, end);
    if (may_interrupt_) segment_[task] = result_.segments.size();
    result_.segments.push_back({task, server, now_, end});
    station.running = task;
    station.is_busy = true;

    const std::uint64_t later = delay(task);
    if (end == now_ && resource.frees_instantly) {
      station.free.push(server);
      station.is_busy = false;
      events_.push({checked_add(end, later), task, serial(task), Event::What::arrived});
    } else if (later == 0) {
      events_.push({end, task, serial(task), Event::What::over});
    } else {
      events_.push({end, task, serial(task), Event::What::released});
      events_.push({checked_add(end, later), task, serial(task), Event::What::arrived});
    }
  }

  /// Stops the running task of a preemptive resource when a smaller key is ready.
  void interrupt(Station& station) {
    if (!station.is_busy || station.ready.empty()) return;
    const std::uint32_t task = station.running;
    const Candidate running{0, key(task), task};
    if (!(station.ready.top() < running)) return;
    Segment& segment = result_.segments[segment_[task]];
    left_[task] = segment.end - now_;
    segment.end = now_;
    if (segment.start == now_) {
      segment.task = kNoTask;
      if (result_.start[task] == now_) result_.end[task] = kNever;  // it has no other part
    }
    ++serial_[task];
    station.ready.push(running);
    station.free.push(server_[task]);
    station.is_busy = false;
  }

  [[noreturn]] void refuse_deadlock() const {
    std::size_t first = 0;
    while (result_.end[first] != kNever) ++first;
    throw std::invalid_argument("simulate_tasks: " + std::to_string(tasks_ - finished_) +
                                " tasks wait for each other, among them task " + std::to_string(first));
  }

  const Workload& workload_;
  std::size_t tasks_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint32_t> server_;
  std::vector<Station> stations_;
  std::vector<std::uint32_t> transports_;  // that have to choose
  std::vector<std::uint32_t> others_;      // that have to choose
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  bool may_interrupt_ = false;
  std::vector<std::uint64_t> left_;    // with a preemptive resource: time that a task still needs
  std::vector<std::uint32_t> serial_;  // and how often it was interrupted
  std::vector<std::size_t> segment_;   // and its last segment
  std::uint64_t now_ = 0;
  std::size_t finished_ = 0;
  Simulation result_;
};

}  // namespace

Simulation simulate_tasks(const Workload& workload) { return Engine(workload).run(); }

}  // namespace upsweep
