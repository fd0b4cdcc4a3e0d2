#include "gpu/cuda/graph_timer.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "gpu/cuda/check.h"

namespace samebits::gpu {
namespace {

template <typename Handle, cudaError_t (*destroy)(Handle)>
struct Destroy {
  void operator()(Handle handle) const { destroy(handle); }
};
template <typename Handle, cudaError_t (*destroy)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, destroy>>;

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

Event NewEvent() {
  cudaEvent_t event = nullptr;
  CheckCuda(cudaEventCreate(&event), "event");
  return Event(event);
}

GraphExec Capture(cudaStream_t stream, const std::function<void(void*)>& enqueue) {
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  cudaGraph_t captured = nullptr;
  try {
    enqueue(stream);
  } catch (...) {
    cudaStreamEndCapture(stream, &captured);
    if (captured != nullptr) cudaGraphDestroy(captured);
    throw;
  }
  CheckCuda(cudaStreamEndCapture(stream, &captured), "end of capture");
  const Graph graph(captured);
  cudaGraphExec_t exec = nullptr;
  CheckCuda(cudaGraphInstantiate(&exec, graph.get(), 0), "graph");
  return GraphExec(exec);
}

}  // namespace

std::vector<double> TimeGraph(const std::function<void(void* stream)>& enqueue, int replays) {
  cudaStream_t raw = nullptr;
  CheckCuda(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "stream");
  const Stream stream(raw);
  const GraphExec graph = Capture(stream.get(), enqueue);
  const Event start = NewEvent(), stop = NewEvent();
  std::vector<double> microseconds;
  for (int i = -1; i < replays; ++i) {
    CheckCuda(cudaEventRecord(start.get(), stream.get()), "event");
    CheckCuda(cudaGraphLaunch(graph.get(), stream.get()), "graph launch");
    CheckCuda(cudaEventRecord(stop.get(), stream.get()), "event");
    CheckCuda(cudaStreamSynchronize(stream.get()), "kernel");
    float milliseconds = 0;
    CheckCuda(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "elapsed time");
    if (i >= 0) microseconds.push_back(1e3 * milliseconds);
  }
  return microseconds;
}

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  return values[middle];
}

}  // namespace samebits::gpu
