#include "graph_capture.hpp"

#include <algorithm>
#include <utility>

#include "cuda_check.hpp"

namespace upsweep::kernels {
namespace {

/// Captures into `graph`, which is handed over even where `enqueue` throws: the capture must end in any case.
void capture(cudaStream_t origin, const Enqueue& enqueue, Graph& graph) {
  cuda_check(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t captured = nullptr;
  try {
    enqueue(cudaEventRecordExternal);
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(origin, &captured));
    static_cast<void>(cudaGetLastError());
    graph.reset(captured);
    throw;
  }
  const cudaError_t status = cudaStreamEndCapture(origin, &captured);
  graph.reset(captured);
  cuda_check(status, "cudaStreamEndCapture");
}

}  // namespace

void record(const Event& event, cudaStream_t stream, unsigned event_flags) {
  cuda_check(cudaEventRecordWithFlags(event.get(), stream, event_flags), "cudaEventRecordWithFlags");
}

Replay::Replay(cudaStream_t origin, Enqueue enqueue, std::vector<std::string>& notes)
    : origin_(origin), enqueue_(std::move(enqueue)) {
  try {
    capture(origin, enqueue_, graph_);
    std::size_t nodes = 0;
    cuda_check(cudaGraphGetNodes(graph_.get(), nullptr, &nodes), "cudaGraphGetNodes");
    if (nodes == 0) return;  // a schedule without combines: enqueuing it does nothing
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaGraphInstantiate(&executable, graph_.get(), 0), "cudaGraphInstantiate");
    executable_.reset(executable);
    cuda_check(cudaGraphUpload(executable, origin), "cudaGraphUpload");
  } catch (const BackendError& error) {
    executable_.reset();
    const std::string note = std::string("no CUDA graph, kernels are launched one by one: ") + error.what();
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  graph_.reset();  // the executable has its own copy
}

void Replay::launch() const {
  if (executable_ == nullptr) {
    enqueue_(cudaEventRecordDefault);
  } else {
    cuda_check(cudaGraphLaunch(executable_.get(), origin_), "cudaGraphLaunch");
  }
}

}  // namespace upsweep::kernels
