// Every launch that the kernel cannot run is refused in one line that names the field.
#include "gpu/kda_decode/preconditions.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "model/contract.h"

namespace samebits::gpu::kda_ws {
namespace {

using kda_decode::Config;
using kda_decode::Operands;

template <typename T>
T* Address(uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

struct Launch {
  Config config;
  Operands operands{};
  int blocks = 132;
};

/// A launch that is accepted: record mode with bias, dense rows.
Launch Legal() {
  Launch launch;
  launch.config = {
      .tokens = 2, .requests = 3, .heads = 2, .record = true, .has_bias = true, .window = 4};
  Operands& o = launch.operands;
  const int64_t dim = launch.config.dim();
  o.x = Address<uint16_t>(0x1000);
  o.x_stride = 3 * dim;
  o.weights = o.bias = o.a_log = o.dt_bias = o.norm_weight = Address<float>(0x2000);
  o.conv_state = Address<void>(0x3000);
  o.conv_slot_stride = 3 * dim * launch.config.window;
  o.f_a = o.f_b = o.gate = Address<uint16_t>(0x4000);
  o.f_a_stride = 128;
  o.gate_stride = dim;
  o.beta = Address<uint16_t>(0x5002);
  o.slots = o.num_accepted = Address<int32_t>(0x6000);
  o.state = Address<float>(0x7000);
  o.state_slot_stride = launch.config.heads * 16384;
  o.output = o.key_gate_record = Address<uint16_t>(0x8002);
  o.correction_record = Address<float>(0x9004);
  return launch;
}

void Check(const Launch& launch) { CheckLaunch(launch.config, launch.operands, launch.blocks); }

/// The launch with `change` is refused and the message starts with "kda_decode: FIELD:".
void ExpectRefused(const std::string& field, const std::function<void(Launch&)>& change) {
  Launch launch = Legal();
  change(launch);
  BOOST_CHECK_EXCEPTION(Check(launch), ConfigError, [&field](const ConfigError& error) {
    const std::string text = error.what();
    BOOST_TEST_MESSAGE(text);
    return text.starts_with("kda_decode: " + field + ":") && text.find('\n') == std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE(preconditions)

BOOST_AUTO_TEST_CASE(legal_launch) { BOOST_CHECK_NO_THROW(Check(Legal())); }

BOOST_AUTO_TEST_CASE(more_blocks_than_items_are_legal) {
  Launch launch = Legal();
  launch.blocks = 1000;
  BOOST_CHECK_NO_THROW(Check(launch));
}

BOOST_AUTO_TEST_CASE(rows) {
  ExpectRefused("x", [](Launch& l) { l.operands.x += 4; });
  ExpectRefused("x", [](Launch& l) { l.operands.x_stride += 4; });
  ExpectRefused("gate", [](Launch& l) { l.operands.gate += 1; });
  ExpectRefused("gate", [](Launch& l) { l.operands.gate_stride += 1; });
  ExpectRefused("f_a", [](Launch& l) { l.operands.f_a += 4; });
  ExpectRefused("f_a", [](Launch& l) { l.operands.f_a_stride += 4; });
  ExpectRefused("f_b", [](Launch& l) { l.operands.f_b += 2; });
}

BOOST_AUTO_TEST_CASE(pages) {
  ExpectRefused("state", [](Launch& l) { l.operands.state += 1; });
  ExpectRefused("state", [](Launch& l) { l.operands.state_slot_stride += 2; });
  ExpectRefused("conv_state", [](Launch& l) { l.operands.conv_state = Address<void>(0x3008); });
  ExpectRefused("conv_state", [](Launch& l) { l.operands.conv_slot_stride += 4; });
}

BOOST_AUTO_TEST_CASE(four_f32_elements_are_sixteen_bytes) {
  Launch launch = Legal();
  launch.operands.conv_slot_stride += 4;
  launch.config.conv_type = kda_decode::ConvType::kF32;
  BOOST_CHECK_NO_THROW(Check(launch));
}

BOOST_AUTO_TEST_CASE(missing_operands) {
  ExpectRefused("bias", [](Launch& l) { l.operands.bias = nullptr; });
  ExpectRefused("num_accepted", [](Launch& l) { l.operands.num_accepted = nullptr; });
  ExpectRefused("correction_record", [](Launch& l) { l.operands.correction_record = nullptr; });
  ExpectRefused("key_gate_record", [](Launch& l) { l.operands.key_gate_record = nullptr; });
  ExpectRefused("output", [](Launch& l) { l.operands.output = nullptr; });
}

BOOST_AUTO_TEST_CASE(sizes) {
  ExpectRefused("tokens", [](Launch& l) { l.config.tokens = 9; });
  ExpectRefused("window", [](Launch& l) { l.config.window = 3; });
  ExpectRefused("ctas", [](Launch& l) { l.blocks = 0; });
  ExpectRefused("ctas", [](Launch& l) { l.blocks = 46341; });
  ExpectRefused("heads * requests", [](Launch& l) { l.config.requests = 1 << 30; });
}

BOOST_AUTO_TEST_CASE(shared_memory) {
  const auto dim_first = [](Launch& l) {
    l.config.conv_layout = kda_decode::ConvLayout::kDimFirst;
    l.config.conv_type = kda_decode::ConvType::kF32;
  };
  Launch launch = Legal();
  dim_first(launch);
  launch.config.window = 45;
  launch.operands.conv_slot_stride = 3 * launch.config.dim() * 45;
  BOOST_CHECK_NO_THROW(Check(launch));  // 229,408 bytes
  ExpectRefused("window", [&](Launch& l) {
    dim_first(l);
    l.config.window = 46;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace samebits::gpu::kda_ws
