// What the receiving side does with the RS mailboxes (SPEC.md 4.9, policy P6).
#include <vector>

#include "model/arith/bfloat16.h"
#include "model/parallel.h"
#include "model/shared_expert/mailbox.h"
#include "model/shared_expert/stages.h"

namespace samebits::shared_expert {
namespace {

void ConsumeToken(const Launch& launch, int step, int peer, int64_t token) {
  const Config& c = launch.config;
  const Derived& d = launch.derived;
  std::vector<uint16_t*> sources;
  for (int source = 0; source < c.tp; ++source) {
    sources.push_back(MailboxRow(launch.operands, c, d, peer, c.parity_of(step), source, token));
  }
  uint16_t* out = launch.operands.reduced + (int64_t{step} * c.batch + token) * c.geometry.width +
                  int64_t{peer} * d.shard;
  std::vector<float> values;
  for (int i = 0; i < d.shard; ++i) {
    values.clear();
    for (const uint16_t* row : sources) values.push_back(arith::Widen(row[i]));
    out[i] = arith::RoundToBf16(launch.math.Sum(launch.trees.sources, values));
  }
  for (uint16_t* row : sources) {
    for (int i = 0; i < d.shard; ++i) row[i] = SentinelBf16(i);
  }
}

}  // namespace

void Consume(const Launch& launch, int step) {
  const int64_t batch = launch.config.batch;
  ParallelFor(launch.config.tp * batch, launch.threads, [&](int64_t item) {
    ConsumeToken(launch, step, static_cast<int>(item / batch), item % batch);
  });
}

}  // namespace samebits::shared_expert
