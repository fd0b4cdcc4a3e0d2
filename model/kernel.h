// The one interface through which golden/ and harness/ know a kernel. model/<kernel>/kernel.cc
// implements it; model/registry.cc lists the kernels.
#ifndef SAMEBITS_MODEL_KERNEL_H_
#define SAMEBITS_MODEL_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/contract.h"
#include "model/profile_entry.h"
#include "model/reduction.h"
#include "model/sum.h"
#include "model/tensor.h"
#include "model/trace.h"

namespace samebits {

/// One contiguous piece of memory of the machine that runs the kernel.
struct Allocation {
  std::string name;
  int64_t bytes = 0;
};

/// A tensor of a case and where its elements live: element (i, j, ...) starts at
/// allocation + offset + i*strides[0] + j*strides[1] + ... bytes. Bytes of an allocation that
/// belong to no operand (row padding, gaps between pages) must never be written.
struct Operand {
  TensorSpec spec;      // role kInput for an operand that is read; see also `output`
  bool output = false;  // with role kInput: updated in place, so that it is an output tensor too
  int allocation = 0;   // index into MemoryPlan::allocations
  int64_t offset = 0;   // bytes
  std::vector<int64_t> strides;  // bytes per dimension
};

struct MemoryPlan {
  std::vector<Allocation> allocations;
  std::vector<Operand> operands;  // inputs, taps in dataflow order, outputs
};

/// How the values of an input tensor look; the input style decides the rest.
enum class Texture : uint8_t {
  kActivation,  // signed, about `scale` in size
  kWeight,      // signed, about `scale` in size, no structure along any dimension
  kState,       // signed, about `scale` in size, asymmetric in its last two dimensions
  kLogit,       // signed, argument of a sigmoid or exponential, about `scale` in size
  kGain,        // about 1 + `scale` * noise
};
struct Recipe {
  Texture texture = Texture::kActivation;
  float scale = 1.0f;
};

/// A source of input values that depends on (style, seed, tensor name, index) alone.
class InputSource {
 public:
  virtual ~InputSource() = default;
  /// "realistic", "wide", "tiny", "cancelling", "specials", "onehot" or "discriminating".
  virtual std::string_view style() const = 0;
  /// 64 uniform bits for element `index` of `tensor`.
  virtual uint64_t Draw(std::string_view tensor, uint64_t index) const = 0;
  /// Fills a bf16, f16 or f32 tensor.
  virtual void Fill(const Recipe& recipe, Tensor* tensor) const = 0;
};

/// Where in a thread block an element lives.
struct ThreadPlace {
  int warp = 0, lane = 0;
  int reg = 0;  // which of the thread's values of this tensor
  bool operator==(const ThreadPlace&) const = default;
};

/// What a run of the model takes as given, so that every stage is computed from inputs that were
/// observed and a fault shows in the stage that has it alone.
struct StageRun {
  /// An address per allocation of Plan(config, true): taps and outputs as observed; an element that
  /// holds PoisonBits is not given. Empty: nothing is given.
  std::span<void* const> given;
  /// Pieces to compute, ascending; empty: all.
  std::span<const int64_t> pieces;
};

/// Who computes the elements of a tensor: those of block b, `block` consecutive elements in
/// row-major order, are computed by piece pieces[b] alone; kNobody: by none or by several.
struct PieceMap {
  static constexpr int64_t kNobody = -1;
  int64_t block = 1;
  std::vector<int64_t> pieces;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one line

  virtual std::span<const Axis> axes() const = 0;
  /// Completes a partial configuration with defaults and checks it. Throws ConfigError: unknown
  /// axis, illegal value, or a combination that the specification excludes.
  virtual Settings Complete(const Settings& config) const = 0;

  virtual std::span<const Choice> choices() const = 0;
  virtual std::vector<std::string> contract_names() const = 0;
  /// The contract of that name; "" is the default. Throws ConfigError.
  virtual Contract NamedContract(std::string_view name) const = 0;
  /// Throws ConfigError for an unknown, missing or illegal choice.
  virtual void CheckContract(const Contract& contract) const = 0;

  /// The entries of profiles whose results a contract takes for a chip's, in the order of the
  /// dataflow. A unit that is defined rather than known (a reference) has no entry.
  virtual std::vector<ProfileEntry> ProfileEntries(const Contract& contract) const {
    (void)contract;
    return {};
  }

  /// Where every tensor lives. `config` is complete. Without taps the plan has no tap operands.
  virtual MemoryPlan Plan(const Settings& config, bool taps) const = 0;
  /// Fills every tensor of `inputs` (role kInput, as in Plan) from the source.
  virtual void GenerateInputs(const Settings& config, const InputSource& source,
                              TensorSet* inputs) const = 0;
  /// Partial configurations that, with inputs of the style "discriminating", show every choice: a
  /// dataset of them has other bits under every alternative that can change any.
  virtual std::vector<Settings> discriminating_configs() const { return {}; }
  /// Throws ConfigError for operands outside the preconditions (illegal slot, num_accepted, ...).
  virtual void CheckInputs(const Settings& config, const TensorSet& inputs) const = 0;

  /// The CPU model. `addresses`: a host address per allocation of Plan(config, taps), inputs in
  /// place, everything else poisoned. Writes outputs and, with taps, every tap. Up to `threads`
  /// threads; the bits do not depend on their number.
  virtual void Run(const Settings& config, const Contract& contract, bool taps,
                   std::span<void* const> addresses, int threads) const = 0;

  /// The operations that make one element of a tap or output, from inputs and the taps of the
  /// stages before its own. Where `source` has the bits of Run, the root has those that Run writes.
  /// Throws ConfigError for an unknown tensor, or an index outside it.
  virtual Trace TraceElement(const Settings& config, const Contract& contract,
                             const ElementRef& element, const ElementSource& source) const;
  /// The configuration whose updated inputs are what the taps start from, where these are not the
  /// inputs of the case: one launch after the other updates them, and taps are the last one's.
  virtual std::optional<Settings> EarlierLaunches(const Settings& config) const {
    (void)config;
    return std::nullopt;
  }

  /// Run with taps, stage by stage: after a tap is computed and written, the run goes on with the
  /// given value where there is one; likewise from token to token with a state that an output
  /// holds. The address of a tap may be null: nobody wants it. A kernel that does not know its
  /// stages runs as a whole.
  virtual void RunStages(const Settings& config, const Contract& contract,
                         std::span<void* const> addresses, const StageRun& stages,
                         int threads) const {
    (void)stages;
    Run(config, contract, true, addresses, threads);
  }
  /// Parts of a launch that RunStages can compute alone, e.g. a (request, head) pair.
  virtual int64_t Pieces(const Settings& config) const {
    (void)config;
    return 1;
  }
  /// For a tap or output of Plan(config, true). `inputs` hold, say, which slot is whose.
  virtual PieceMap PiecesOf(const Settings& config, const TensorSet& inputs,
                            const TensorSpec& spec) const {
    (void)config, (void)inputs;
    return {spec.elements(), {0}};
  }

  /// The reductions that can be probed from outside, in dataflow order.
  virtual std::span<const Reduction* const> reductions() const { return {}; }
  /// The sums that a contract can give another tree (Contract::orders), in dataflow order, with the
  /// trees that it has. A kernel without any computes them as its choices say.
  virtual std::vector<Sum> Sums(const Settings& config, const Contract& contract) const {
    (void)config, (void)contract;
    return {};
  }
  /// Axes of a configuration whose launches hold many probes.
  virtual Settings probe_config() const { return {}; }
  /// The place in a thread block that computes, or keeps, element `index` of a tap or output, as
  /// the specification maps threads to data; nothing where it does not.
  virtual std::optional<ThreadPlace> Owner(const TensorSpec& spec, int64_t index) const {
    (void)spec, (void)index;
    return std::nullopt;
  }
  /// The kernel's specification, a path in the source tree; "" without one.
  virtual std::string_view specification() const { return ""; }
};

/// Every kernel, in the order of `samebits list`.
std::span<const Kernel* const> Kernels();
/// nullptr if there is none of that name.
const Kernel* FindKernel(std::string_view name);

/// The tap or output that an element belongs to. Throws ConfigError: no such tensor of `kernel`, or
/// an index outside it.
TensorSpec TracedSpec(const MemoryPlan& plan, std::string_view kernel, const ElementRef& element);

/// The tensors of a plan, inputs, taps, outputs (an in-place operand appears twice).
std::vector<TensorSpec> Tensors(const MemoryPlan& plan);

}  // namespace samebits

#endif  // SAMEBITS_MODEL_KERNEL_H_
