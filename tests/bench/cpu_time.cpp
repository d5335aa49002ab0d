#include "cpu_time.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace upsweep::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// From the first line of /proc/stat: user nice system idle iowait irq softirq steal, in clock ticks.
double machine_seconds() {
  std::ifstream stat("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  stat >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  return (user + nice + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

CpuTime cpu_time_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(now).count(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
          machine_seconds()};
}

double cores_of_others(const CpuTime& start, const CpuTime& end) {
  const double others = (end.machine - start.machine) - (end.own - start.own);
  return std::max(0.0, others / (end.wall - start.wall));
}

}  // namespace upsweep::bench
