// Runs the model under a hypothesis, every stage on the observed results of the stages before it,
// and counts the elements that are not those observed.
#ifndef SAMEBITS_HARNESS_EXPLAIN_STAGE_RUNNER_H_
#define SAMEBITS_HARNESS_EXPLAIN_STAGE_RUNNER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/memory_image.h"
#include "harness/explain/evidence.h"
#include "harness/explain/hypothesis.h"

namespace samebits::harness {

/// One run, per observed tensor of the evidence.
struct Outcome {
  std::vector<int64_t> differing;  // elements
  std::vector<int64_t> marked;     // of these, marked ones (StageRunner::Mark)
  std::vector<uint64_t> hash;      // of how it differs from what was seen

  int64_t total() const;
};

class StageRunner {
 public:
  /// The evidence must outlive the runner.
  StageRunner(const Evidence& evidence, int threads);

  const Evidence& evidence() const { return evidence_; }
  int threads() const { return threads_; }
  size_t targets() const { return evidence_.observed.size(); }
  const TensorSpec& spec(size_t target) const { return evidence_.observed[target].values.spec; }
  /// "taps/dot"
  std::string name(size_t target) const;

  /// Called after every run with their number.
  std::function<void(int64_t)> on_run;

  /// All pieces and all elements.
  Outcome RunAll(const Hypothesis& hypothesis);
  /// The pieces of the sample, or all where there are few. Changes of layout always run on all.
  Outcome RunSample(const Hypothesis& hypothesis);
  /// The same for the taps of `wanted` and all outputs: the kernel may leave out what nobody wants.
  /// The outcome of other taps is that of no change at all.
  Outcome RunSample(const Hypothesis& hypothesis, const std::vector<bool>& wanted);
  /// What follows a tap no longer takes it as given (or does so again): it goes on with what was
  /// computed.
  void Withhold(size_t target, bool withheld);
  /// These elements of a tap are given as the last run computed them; none: all as observed.
  void Correct(size_t target, const std::vector<int64_t>& elements);
  /// Of the last run, elements of the sample that it does not account for.
  std::vector<int64_t> DifferingInSample(size_t target) const;
  /// One piece of the sample, that in which the last run, a RunSample, differs most in the target.
  void AimProbe(size_t target);
  /// Runs that piece alone, for the target of the probe alone: many hypotheses fail there already.
  /// What cannot run in pieces is run as RunSample does.
  Outcome RunProbe(const Hypothesis& hypothesis);
  /// What the last run left differing in the probe before it was aimed.
  int64_t probe_differing() const { return probe_differing_; }
  /// Marks the elements of the sample that differ under the hypothesis.
  void Mark(const Hypothesis& hypothesis);
  int64_t marked(size_t target) const { return static_cast<int64_t>(sample_.marks[target].size()); }
  /// An input, or a tap as the stages after it read it: as given, else as the last run left it.
  uint32_t Bits(const ElementRef& element) const;
  /// A tensor as the last run left it.
  Tensor Computed(size_t target) const;
  /// An element of a tensor as the last run left it.
  uint32_t ComputedBits(size_t target, int64_t index) const;
  /// The marked elements of the probe, or of the sample where nothing can be probed.
  const std::vector<int64_t>& probe_marks() const {
    return (probe_.pieces.empty() ? sample_ : probe_).marks[probe_target_];
  }
  /// The elements of a tensor that the last run does not account for; after RunAll.
  std::vector<int64_t> Differing(size_t target) const;
  /// Adds pieces in which the last run, a RunAll, differs from what was observed, and some in which
  /// it does not.
  void ExtendSample();
  int64_t sample_pieces() const { return static_cast<int64_t>(sample_.pieces.size()); }
  const PieceMap& pieces_of(size_t target) const { return targets_[target].map; }
  /// Model runs so far.
  int64_t runs() const { return runs_; }
  /// Bytes of operands, taps and outputs that they went over: what the searches are bounded by.
  int64_t work() const { return static_cast<int64_t>(work_done_); }

  /// Every operand that a stage can read: inputs, then observed taps.
  std::vector<const Tensor*> operands() const;

 private:
  /// Elements of a tensor in memory.
  struct View {
    std::byte* first = nullptr;
    std::vector<int64_t> strides;  // bytes
    bool dense = false;
  };
  struct Target {
    PieceMap map;
  };
  /// Some pieces of the launch, and where their elements are.
  struct Sample {
    std::vector<int64_t> pieces;  // ascending
    std::vector<std::vector<Range>> targets, results;
    std::vector<std::vector<int64_t>> marks;  // per target: elements, see Mark
  };

  View ViewOf(Role role, const std::string& name) const;
  View ViewOf(const std::vector<void*>& addresses, Role role, const std::string& name) const;
  /// Of an element, in bytes from the first.
  static int64_t OffsetOf(const View& view, const TensorSpec& spec, int64_t index);
  static uint32_t BitsAt(const View& view, const TensorSpec& spec, int64_t index);
  /// The pieces of the sample; null: all of them.
  Outcome Run(const Hypothesis& hypothesis, const Sample* sample, const std::vector<bool>& wanted);
  /// The first tap that a choice or an order can change.
  std::optional<std::string> FirstTap(const Deviation& change) const;
  /// Without taps that stand before the first one that the changes can touch.
  std::vector<bool> Touched(const Hypothesis& hypothesis, std::vector<bool> wanted) const;
  bool IsSampled(const Hypothesis& hypothesis) const;
  /// visit(index, flipped bits) where the last run and what was seen differ.
  template <typename Visit>
  void ForDifferences(size_t target, const std::vector<Range>& ranges, const Visit& visit) const;
  void Compare(size_t target, const Sample* sample, Outcome* outcome) const;
  /// Elements of the ranges that the last run does not account for.
  std::vector<int64_t> Differing(size_t target, const std::vector<Range>& ranges) const;
  /// In-place operands hold their inputs again, other results poison.
  void Restore(const Sample* sample);
  void Restore(const TensorSpec& spec, const Tensor* input, const Range& range);
  /// Puts a changed operand in place, or the true one back.
  void Place(const Deviation& change, bool changed);
  void RestoreGiven(const Tensor& truth);
  void Give(size_t target);
  Sample SampleOf(std::vector<int64_t> pieces) const;
  static std::vector<Range> RangesOf(const PieceMap& map, const std::vector<int64_t>& pieces);

  const Evidence& evidence_;
  const int threads_;
  const std::vector<Sum> sums_;  // of the contract
  int64_t runs_ = 0;
  golden::MemoryImage work_, given_;
  std::vector<void*> work_addresses_, given_addresses_;
  std::vector<Target> targets_;
  bool complete_ = true;             // every tap was observed, and all of it
  Outcome untouched_;                // of the sample, without a change
  std::vector<TensorSpec> results_;  // taps and outputs of the plan
  std::vector<PieceMap> result_maps_;
  Sample sample_, probe_;
  size_t probe_target_ = 0;
  int64_t probe_differing_ = 0;
  std::vector<bool> withheld_;                    // taps that are not given
  std::vector<std::optional<Tensor>> corrected_;  // taps that are given in another way than seen
  double bytes_ = 0, work_done_ = 0;              // of the plan; of all runs
  std::vector<Deviation> placed_;                 // operands that the last run left changed
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_EXPLAIN_STAGE_RUNNER_H_
