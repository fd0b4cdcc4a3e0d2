// Every byte of a rank is on the device of that rank, and on no other.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "gpu/shared_expert/placement.h"
#include "model/kernel.h"
#include "model/shared_expert/kernel.h"

namespace samebits::gpu::shared_expert {
namespace {

struct Shared {
  Settings settings;
  bool taps;
  int devices;
};

Settings Reduced(const std::string& tp, const std::string& variant, const std::string& rank) {
  const bool eight = tp == "8";
  return samebits::shared_expert::GetKernel().Complete({{"tp", tp},
                                                        {"variant", variant},
                                                        {"rank", rank},
                                                        {"batch", "9"},
                                                        {"steps", "2"},
                                                        {"consumer", rank == "-1" ? "1" : "0"},
                                                        {"width", eight ? "512" : "1024"},
                                                        {"intermediate", eight ? "512" : "1024"},
                                                        {"grid", eight ? "10" : "20"},
                                                        {"latent", eight ? "256" : "512"},
                                                        {"experts", eight ? "64" : "128"}});
}

std::vector<Shared> Cases() {
  std::vector<Shared> cases;
  for (const char* tp : {"8", "16"}) {
    for (const char* variant : {"fused", "split", "front"}) {
      for (const char* rank : {"-1", "3"}) {
        for (const int devices : {1, 2, 3, 8}) {
          cases.push_back({Reduced(tp, variant, rank), devices % 2 == 0, devices});
        }
      }
    }
  }
  return cases;
}

/// The device that has all of [begin, end) of an allocation, -1 if none has.
int Holder(const std::vector<RankSlice>& slices, int allocation, int64_t begin, int64_t end) {
  for (const RankSlice& slice : slices) {
    if (slice.allocation != allocation || begin < slice.offset) continue;
    if (end <= slice.offset + slice.bytes) return slice.device;
  }
  return -1;
}

/// Expects the elements of each rank of an operand, at every index of the dimensions before it, on
/// rank % devices.
void ExpectRanks(const Shared& c, const Operand& operand, size_t k,
                 const std::vector<RankSlice>& slices) {
  const TensorSpec& spec = operand.spec;
  const int alone = std::stoi(c.settings.at("rank"));
  int64_t inner = static_cast<int64_t>(SizeOf(spec.dtype));
  for (size_t d = k + 1; d < spec.shape.size(); ++d) {
    inner += (spec.shape[d] - 1) * operand.strides[d];
  }
  BOOST_REQUIRE(k <= 1u);
  for (int64_t outer = 0; outer < (k == 0 ? 1 : spec.shape[0]); ++outer) {
    for (int i = 0; i < spec.shape[k]; ++i) {
      const int rank = spec.dims[k] == "rank" && alone >= 0 ? alone : i;
      const int64_t begin =
          operand.offset + (k == 0 ? 0 : outer * operand.strides[0]) + i * operand.strides[k];
      BOOST_TEST(Holder(slices, operand.allocation, begin, begin + inner) == rank % c.devices,
                 spec.name << " of rank " << rank);
    }
  }
}

/// Expects that the slices of an allocation make up all of it, or that there are none.
void ExpectExactly(const Allocation& allocation, int index, std::vector<RankSlice> slices,
                   bool any) {
  std::erase_if(slices, [index](const RankSlice& slice) { return slice.allocation != index; });
  std::ranges::sort(slices, {}, &RankSlice::offset);
  int64_t end = 0;
  for (const RankSlice& slice : slices) {
    BOOST_TEST(slice.offset == end, allocation.name);
    end = slice.offset + slice.bytes;
  }
  BOOST_TEST(end == (any ? allocation.bytes : 0), allocation.name);
}

BOOST_AUTO_TEST_SUITE(shared_expert_placement)

BOOST_AUTO_TEST_CASE(rank_r_is_on_device_r_modulo_their_number) {
  const int expected[][8] = {{0, 0, 0, 0, 0, 0, 0, 0},
                             {0, 1, 0, 1, 0, 1, 0, 1},
                             {0, 1, 2, 0, 1, 2, 0, 1},
                             {0, 1, 2, 3, 4, 5, 6, 7}};
  const int devices[] = {1, 2, 3, 8};
  for (int i = 0; i < 4; ++i) {
    for (int rank = 0; rank < 16; ++rank) {
      BOOST_TEST(DeviceOf(rank, devices[i]) == (rank < 8 ? expected[i][rank] : rank % devices[i]));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_operand_of_a_rank_is_on_its_device) {
  for (const Shared& c : Cases()) {
    const MemoryPlan plan = samebits::shared_expert::GetKernel().Plan(c.settings, c.taps);
    const std::vector<RankSlice> slices = PlaceCase(c.settings, c.taps, c.devices);
    for (const Operand& operand : plan.operands) {
      const std::vector<std::string>& dims = operand.spec.dims;
      const auto at = std::ranges::find_if(
          dims, [](const std::string& dim) { return dim == "rank" || dim == "peer"; });
      if (at != dims.end()) {
        ExpectRanks(c, operand, static_cast<size_t>(at - dims.begin()), slices);
      } else {
        const bool everywhere = operand.spec.name == "x";
        BOOST_TEST((everywhere || operand.spec.name == "reduced"), operand.spec.name);
        BOOST_TEST(Holder(slices, operand.allocation, 0, 1) == (everywhere ? -1 : 0));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(slices_make_up_every_allocation_but_x_and_overlap_nowhere) {
  for (const Shared& c : Cases()) {
    const MemoryPlan plan = samebits::shared_expert::GetKernel().Plan(c.settings, c.taps);
    const std::vector<RankSlice> slices = PlaceCase(c.settings, c.taps, c.devices);
    for (size_t a = 0; a < plan.allocations.size(); ++a) {
      const Allocation& allocation = plan.allocations[a];
      ExpectExactly(allocation, static_cast<int>(a), slices, allocation.name != "x");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::shared_expert
