// Timing of work on a stream, as replays of a graph between events.
#ifndef SAMEBITS_GPU_CUDA_GRAPH_TIMER_H_
#define SAMEBITS_GPU_CUDA_GRAPH_TIMER_H_

#include <functional>
#include <vector>

namespace samebits::gpu {

/// Microseconds of each of `replays` replays of what `enqueue` puts on the stream (a cudaStream_t
/// that captures). One replay before them is not timed. Throws EnvironmentError.
std::vector<double> TimeGraph(const std::function<void(void* stream)>& enqueue, int replays);

/// Of a non-empty list.
double Median(std::vector<double> values);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_GRAPH_TIMER_H_
