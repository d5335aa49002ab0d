#include "timed_work.hpp"

#include <utility>

#include "cuda_check.hpp"

namespace upsweep::kernels {

TimedWork::TimedWork(std::string name, Enqueue enqueue)
    : name_(std::move(name)),
      enqueue_(std::move(enqueue)),
      stream_(make_stream()),
      start_(make_timing_event()),
      stop_(make_timing_event()) {}

double TimedWork::run() {
  cuda_check(cudaSetDevice(0), "cudaSetDevice");
  if (!replay_) {
    // Once as it is: kernels are loaded when they first run, and an error is told from one of the capture.
    enqueue_timed(cudaEventRecordDefault);
    synchronize();
    replay_.emplace(
        stream_.get(), [this](unsigned flags) { enqueue_timed(flags); }, notes_);
  }
  replay_->launch();
  synchronize();
  return seconds_between(start_, stop_);
}

void TimedWork::enqueue_timed(unsigned event_flags) const {
  record(start_, stream_.get(), event_flags);
  enqueue_(stream_.get());
  record(stop_, stream_.get(), event_flags);
}

void TimedWork::synchronize() const {
  cuda_check(cudaStreamSynchronize(stream_.get()), ("cudaStreamSynchronize after " + name_).c_str());
}

}  // namespace upsweep::kernels
