#include "harness/profile/capture.h"

#include <time.h>

#include <algorithm>
#include <random>

#include "harness/version.h"
#include "model/arith/float32.h"

namespace samebits::harness::profile {
namespace {

using gpu::probe::Of;
using gpu::probe::Prober;
using gpu::probe::Unary;
using units::Instruction;

constexpr uint32_t kFractions = 1u << 15;

/// Every 256 fractions one, at a random place.
std::vector<uint32_t> MakeFractions() {
  std::mt19937 random(1);
  std::vector<uint32_t> fractions;
  for (uint32_t i = 0; i < kFractions; ++i) fractions.push_back(i << 8 | (random() & 0xFF));
  return fractions;
}

std::vector<uint32_t> MakeEdges() {
  std::vector<uint32_t> edges;
  for (const uint32_t sign : {0u, 0x80000000u}) {
    for (uint32_t field = 0; field < 256; ++field) {
      for (const uint32_t fraction : {0u, 1u, 0x400000u, 0x7FFFFFu}) {
        edges.push_back(sign | field << 23 | fraction);
      }
    }
    for (int i = 0; i < 160; ++i) {
      const uint32_t bits = arith::ToBits(static_cast<float>(i)) | sign;
      edges.insert(edges.end(),
                   {bits, bits + 1, arith::ToBits(static_cast<float>(i) + 0.5f) | sign});
    }
  }
  std::mt19937 random(2);
  while (edges.size() < 4096) edges.push_back(random());
  return edges;
}

/// Random bit patterns, every fourth with exponents near 1, and pairs of special values.
void MakeOperands(std::vector<float> (*operands)[3]) {
  std::mt19937 random(3);
  constexpr uint32_t kSpecials[] = {0,          1,          0x007FFFFF, 0x00800000, 0x00800001,
                                    0x3F800000, 0x7E800000, 0x7E800001, 0x7F000000, 0x7F7FFFFF,
                                    0x7F800000, 0x7F800001, 0x7FC00000, 0x40000000, 0x0C000000};
  const auto push = [&](uint32_t a, uint32_t b, uint32_t c) {
    (*operands)[0].push_back(arith::FromBits(a));
    (*operands)[1].push_back(arith::FromBits(b));
    (*operands)[2].push_back(arith::FromBits(c));
  };
  for (const uint32_t a : kSpecials) {
    for (const uint32_t b : kSpecials) {
      push(a, b, random());
      push(a | 0x80000000u, b, a);
    }
  }
  while ((*operands)[0].size() < 4096) {
    uint32_t bits[3];
    for (uint32_t& x : bits) {
      x = random();
      if ((*operands)[0].size() % 4 == 0) x = (x & 0x807FFFFFu) | (100u + random() % 54u) << 23;
    }
    // Some sums and products around the smallest normal number.
    if ((*operands)[0].size() % 4 == 1) {
      bits[0] = (bits[0] & 0x807FFFFFu) | (random() % 64u) << 23;
      bits[1] = (bits[1] & 0x807FFFFFu) | (64u + random() % 64u) << 23;
      bits[2] = (bits[2] & 0x80FFFFFFu);
    }
    push(bits[0], bits[1], bits[2]);
  }
}

/// Where a function's table shows: one or two binades of the mantissa, the binades of TANH, the
/// first quarter of a turn (in radians for PTX).
Binades CoreOf(Unary operation) {
  switch (static_cast<Instruction>(operation)) {
    case Instruction::kEx2ApproxFtzF32:
    case Instruction::kRcpApproxFtzF32:
    case Instruction::kLg2ApproxFtzF32:
      return {127, 1, 1};
    case Instruction::kRsqrtApproxFtzF32:
    case Instruction::kSqrtApproxFtzF32:
      return {127, 2, 1};
    case Instruction::kTanhApproxF32:
      return {117, 14, 8};
    case Instruction::kSinApproxFtzF32:
      return {117, 11, 4};
    case Instruction::kMufuSin:
      return {114, 11, 4};
    default:
      return {};
  }
}

std::string Today() {
  const time_t now = time(nullptr);
  tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

/// `count` blocks, one at a random place in each of `count` equal parts.
std::vector<uint16_t> ChooseBlocks(int count) {
  std::vector<uint16_t> blocks;
  std::mt19937 random(4);
  const uint32_t all = gpu::probe::kAllBlocks;
  for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
    const uint64_t first = uint64_t{i} * all / static_cast<uint32_t>(count);
    const uint64_t last = uint64_t{i + 1} * all / static_cast<uint32_t>(count);
    blocks.push_back(static_cast<uint16_t>(first + random() % (last - first)));
  }
  return blocks;
}

UnaryCapture TakeUnary(Prober& prober, const gpu::probe::UnaryOperation& operation,
                       const Capture& capture) {
  UnaryCapture unary;
  unary.name = operation.name;
  unary.operation = operation.operation;
  unary.fingerprints = prober.Fingerprints(operation.operation, capture.blocks);
  unary.edges = prober.Evaluate(operation.operation, capture.edges);
  unary.binades = CoreOf(operation.operation);
  if (unary.binades.fields > 0) {
    unary.results = prober.Evaluate(operation.operation, Inputs(capture, unary.binades));
  }
  return unary;
}

HalfCapture TakeHalf(Prober& prober, const gpu::probe::UnaryOperation& operation) {
  std::vector<uint32_t> inputs(65536);
  for (uint32_t i = 0; i < inputs.size(); ++i) inputs[i] = i;
  const std::vector<uint32_t> results = prober.Evaluate(operation.operation, inputs);
  return {std::string(operation.name), operation.operation, {results.begin(), results.end()}};
}

/// Every case once per group of n rows of the tile, at another row and column in each.
MatrixCapture TakeMatrix(Prober& prober, size_t index, const MatrixCases& cases) {
  const auto [name, m, n, k] = prober.matrix_operations()[index];
  MatrixCapture capture{std::string(name), m, n, k, {}, m / n, 0};
  const size_t width = static_cast<size_t>(n), depth = static_cast<size_t>(k);
  const size_t count = (cases.size() + width - 1) / width;
  gpu::probe::Tiles tiles;
  tiles.count = static_cast<int64_t>(count);
  tiles.a.resize(count * static_cast<size_t>(m) * depth);
  tiles.b.resize(count * width * depth);
  tiles.c.resize(count * static_cast<size_t>(m) * width);
  // Row r of a tile holds case (r + r / n) % n of its n cases, column j case j.
  const auto row_case = [&](size_t r) { return (r + r / width) % width; };
  for (size_t t = 0; t < count; ++t) {
    const auto at = [&](size_t i) { return std::min(t * width + i, cases.size() - 1); };
    for (size_t r = 0; r < static_cast<size_t>(m); ++r) {
      std::copy_n(&cases.a[at(row_case(r)) * depth], depth,
                  &tiles.a[(t * static_cast<size_t>(m) + r) * depth]);
      tiles.c[(t * static_cast<size_t>(m) + r) * width + row_case(r)] =
          arith::FromBits(cases.c[at(row_case(r))]);
    }
    for (size_t j = 0; j < width; ++j) {
      std::copy_n(&cases.b[at(j) * depth], depth, &tiles.b[(t * width + j) * depth]);
    }
  }
  const std::vector<uint32_t> d = prober.Multiply(index, tiles);
  for (size_t i = 0; i < cases.size(); ++i) {
    const size_t t = i / width, j = i % width;
    bool same = true;
    for (size_t r = 0; r < static_cast<size_t>(m); ++r) {
      if (row_case(r) != j) continue;
      const uint32_t bits = d[(t * static_cast<size_t>(m) + r) * width + j];
      if (r < width) capture.results.push_back(bits);
      same = same && bits == capture.results.back();
    }
    capture.placements_differ += same ? 0 : 1;
  }
  return capture;
}

}  // namespace

const UnaryCapture* Capture::Find(Unary operation) const {
  for (const UnaryCapture& capture : unary) {
    if (capture.operation == operation) return &capture;
  }
  return nullptr;
}

const MatrixCases* Capture::CasesOf(int k) const {
  for (const MatrixCases& candidate : cases) {
    if (candidate.k == k) return &candidate;
  }
  return nullptr;
}

std::vector<uint32_t> Inputs(const Capture& capture, const Binades& binades) {
  std::vector<uint32_t> inputs;
  for (int f = 0; f < binades.fields; ++f) {
    const uint32_t field = static_cast<uint32_t>(binades.first_field + f) << 23;
    for (size_t i = 0; i < capture.fractions.size(); i += static_cast<size_t>(binades.stride)) {
      inputs.push_back(field | capture.fractions[i]);
    }
  }
  return inputs;
}

Capture TakeCapture(Prober& prober, const std::string& backend, const CaptureOptions& options) {
  Capture capture;
  capture.device = prober.info();
  capture.backend = backend;
  capture.tool_version = ToolVersion();
  capture.commit = Commit();
  capture.date = Today();
  capture.clock_mhz = prober.clock_mhz();
  capture.vendor = prober.vendor();
  capture.blocks = ChooseBlocks(options.blocks);
  capture.fractions = MakeFractions();
  capture.edges = MakeEdges();
  MakeOperands(&capture.operands);
  const auto unary = gpu::probe::UnaryOperations(capture.vendor);
  const auto scalar = gpu::probe::ScalarOperations(capture.vendor);
  const auto matrix = prober.matrix_operations();
  const int64_t total = static_cast<int64_t>(unary.size() + matrix.size());
  int64_t done = 0;
  const auto step = [&] {
    ++done;
    if (options.progress) options.progress(done, total);
  };
  for (const gpu::probe::UnaryOperation& operation : unary) {
    const bool wanted = options.only.empty() ||
                        std::find(options.only.begin(), options.only.end(), operation.operation) !=
                            options.only.end();
    if (!wanted) {
    } else if (operation.bits == 32) {
      capture.unary.push_back(TakeUnary(prober, operation, capture));
    } else {
      capture.half.push_back(TakeHalf(prober, operation));
    }
    step();
  }
  for (const gpu::probe::ScalarOperation& operation : scalar) {
    if (!options.only.empty()) break;
    capture.scalar.push_back({std::string(operation.name), operation.operation,
                              prober.Evaluate(operation.operation, capture.operands[0],
                                              capture.operands[1], capture.operands[2])});
  }
  for (size_t i = 0; i < matrix.size(); ++i) {
    if (capture.CasesOf(matrix[i].k) == nullptr)
      capture.cases.push_back(MakeMatrixCases(matrix[i].k));
    capture.matrix.push_back(TakeMatrix(prober, i, *capture.CasesOf(matrix[i].k)));
    step();
  }
  return capture;
}

}  // namespace samebits::harness::profile
