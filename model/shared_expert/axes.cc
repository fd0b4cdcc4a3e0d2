#include "model/shared_expert/axes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace samebits::shared_expert {
namespace {

using Fields = AxisFields<Config>;
using Field = Fields::Field;

/// Owners of a tile's columns, at most one per CTA (2.4).
constexpr int kFewestOwners = 4;

const std::vector<std::string> kVariants = {"fused", "split", "front"};

std::string VariantText(const Config& config) {
  return "variant " + kVariants.at(static_cast<size_t>(config.variant));
}
std::string UnreadByFused(const Config& config) {
  return config.variant == Variant::kFused ? VariantText(config) : "";
}
std::string UnreadWithoutFront(const Config& config) {
  return config.has_front() ? "" : VariantText(config);
}

Field With(std::string (*unread_by)(const Config&), Field field) {
  field.unread_by = unread_by;
  return field;
}

std::vector<Field> CaseFields() {
  return {
      Fields::Word("variant", "one launch, two launches, or two with the front GEMM (1.3)",
                   kVariants, "fused", &Config::variant),
      Fields::Integer("tp", "tensor-parallel ranks (2.5)", 1, kMaxTp, "8", &Config::tp),
      Fields::Integer("batch", "tokens of a step, B (2.5)", 1, kMaxBatch, "16", &Config::batch),
      Fields::Integer("steps", "decode steps; parity alternates (2.7)", 1, kMaxSteps, "1",
                      &Config::steps),
      Fields::Integer("rank", "the rank that runs, or -1: all, one after the other (7)", kAllRanks,
                      kMaxTp - 1, "-1", &Config::rank),
      Fields::Integer("parity", "mailbox half of the first step (2.1)", 0, 1, "0", &Config::parity),
      Fields::Relative("capacity", "token rows of a mailbox slot; +N means batch + N (2.1)", 1,
                       kMaxCapacity, "128", &Config::capacity,
                       [](const Config& c) { return c.batch; }),
      Fields::Integer("consumer", "1: every step ends with the sum over ranks (4.9)", 0, 1, "0",
                      &Config::consumer),
      With(UnreadByFused,
           Fields::Integer("sms", "CTAs of SharedDown (3.3)", 1, 1024, "28", &Config::sms)),
      Fields::Real("beta", "cap of the gate in SiTU (4.6)", "4", &Config::beta),
      Fields::Real("linear_beta", "cap of the up value in SiTU; <= 0: none (4.6)", "25",
                   &Config::linear_beta),
  };
}

std::vector<Field> GeometryFields() {
  return {
      Fields::Integer(
          "width", "model width (2.7)", kTileRows, kMaxWidth, "7168",
          [](auto& c) -> auto& { return c.geometry.width; }),
      Fields::Integer(
          "intermediate", "intermediate columns of all ranks (2.7)", kBlockK, kMaxWidth, "6144",
          [](auto& c) -> auto& { return c.geometry.intermediate; }),
      Fields::Integer(
          "latent", "latent columns of all ranks (2.7)", 8, kMaxWidth, "3584",
          [](auto& c) -> auto& { return c.geometry.latent; }),
      Fields::Integer(
          "experts", "router logits of all ranks (2.7)", 4, kMaxWidth, "896",
          [](auto& c) -> auto& { return c.geometry.experts; }),
      Fields::Integer(
          "grid", "CTAs of FUSED and of SPLIT's gate half (2.7)", 1, kMaxWidth, "120",
          [](auto& c) -> auto& { return c.geometry.grid; }),
  };
}

std::vector<Field> FrontFields() {
  constexpr int kMax = 2 * kMaxWidth;
  std::vector<Field> fields = {
      Fields::Relative(
          "front_ks", "FRONT: CTAs per tile; +N means tp/2 + N, at least 4 + N (2.6)", 1,
          kMaxCluster, "+0", [](auto& c) -> auto& { return c.front.ks; },
          [](const Config& c) { return std::max(kFewestOwners, c.tp / 2); }),
      Fields::Relative(
          "front_valid", "FRONT: logit rows; +N means experts/tp + N (2.6)", 0, kMax, "+0",
          [](auto& c) -> auto& { return c.front.valid; },
          [](const Config& c) { return c.geometry.experts / c.tp; }),
      Fields::Relative(
          "front_split", "FRONT: first latent row; +N means valid + N (2.6)", 0, kMax, "+0",
          [](auto& c) -> auto& { return c.front.split; },
          [](const Config& c) { return c.front.valid; }),
      Fields::Relative(
          "front_rows", "FRONT: rows; +N means split + latent/tp + N (2.6)", 1, kMax, "+0",
          [](auto& c) -> auto& { return c.front.rows; },
          [](const Config& c) { return c.front.split + c.geometry.latent / c.tp; }),
      Fields::Relative(
          "front_pitch",
          "FRONT: bf16 elements of a mailbox row; +N means latent + 2*experts + N (4.8)", 8,
          8 * kMax, "+0", [](auto& c) -> auto& { return c.front.pitch; },
          [](const Config& c) { return c.geometry.latent + 2 * c.geometry.experts; }),
      Fields::Integer(
          "front_slot", "FRONT: first logit of rank 0 (2.1)", 0, kMax, "0",
          [](auto& c) -> auto& { return c.front.slot; }),
      Fields::Integer(
          "front_base", "FRONT: first latent column of rank 0 (2.1)", 0, kMax, "0",
          [](auto& c) -> auto& { return c.front.base; }),
  };
  for (Field& field : fields) field.unread_by = UnreadWithoutFront;
  return fields;
}

std::vector<Field> MakeFields() {
  std::vector<Field> list = CaseFields();
  for (auto* more : {&GeometryFields, &FrontFields}) {
    for (Field& field : more()) list.push_back(std::move(field));
  }
  return list;
}

}  // namespace

const AxisTable<Config>& ConfigTable() {
  static const AxisTable<Config> table("shared_expert", MakeFields());
  return table;
}

Config ReadConfig(const Settings& settings) { return ConfigTable().Read(settings); }
Settings WriteConfig(const Config& config) { return ConfigTable().Write(config); }
}  // namespace samebits::shared_expert
