#include "harness/report/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/version.h"

namespace samebits::harness {
namespace {

constexpr size_t kShownNotes = 5;

std::string NameOf(const Json& diff) {
  return diff.at("group").get<std::string>() + "/" + diff.at("tensor").get<std::string>();
}

int BitsOf(const Json& diff) {
  const std::string dtype = diff.at("dtype");
  return dtype == "bf16" || dtype == "f16" ? 16 : 32;
}

/// Bits of the fraction of a type.
int FractionBits(const Json& diff) {
  const std::string dtype = diff.at("dtype");
  return dtype == "bf16" ? 7 : dtype == "f16" ? 10 : dtype == "f32" ? 23 : 32;
}

/// What kind of bits differ: "fraction bits, values", "up to the sign; nan_gained".
std::string PatternOf(const Json& diff) {
  int highest = 0;
  for (const auto& [bit, count] : diff.at("flipped_bits").items()) {
    highest = std::max(highest, std::stoi(bit));
  }
  std::string text = highest >= BitsOf(diff) - 1 && FractionBits(diff) < 32 ? "signs differ too"
                     : highest >= FractionBits(diff)                        ? "exponents differ too"
                                                                            : "fractions differ";
  for (const auto& [change, count] : diff.at("changes").items()) {
    if (change != "value") text += ", " + change;
  }
  return text;
}

/// Case id -> sentences.
std::map<std::string, std::vector<std::string>> Sentences(const std::vector<Json>& explanations) {
  std::map<std::string, std::vector<std::string>> sentences;
  for (const Json& explanation : explanations) {
    for (const Json& c : explanation.value("cases", Json::array())) {
      std::vector<std::string>& of_case = sentences[c.value("id", c.value("case", ""))];
      for (const Json& finding : c.value("findings", Json::array())) {
        of_case.push_back(finding.value("sentence", ""));
      }
      const std::string named = c.value("named_contract", "");
      if (!named.empty())
        of_case.push_back(fmt::format("These are the bits of contract {}.", named));
    }
  }
  return sentences;
}

Cause CauseOf(const Json& c, const std::vector<std::string>& sentences) {
  const std::string verdict = c.at("verdict");
  const Json& diffs = c.at("differences");
  if (verdict == "skipped") return {"", "not run: " + c.value("skipped", ""), {}, {}};
  if (!c.at("illegal_writes").empty()) {
    return {"", "illegal write: " + c.at("illegal_writes")[0].value("where", ""), {}, {}};
  }
  if (verdict == "unstable") {
    return {NameOf(c.at("variations")[0]), "varies from run to run", sentences, {}};
  }
  if (!diffs.empty()) return {NameOf(diffs[0]), PatternOf(diffs[0]), sentences, {}};
  return {NameOf(c.at("hash_differences")[0]), "only hashes could be compared", sentences, {}};
}

/// "gfx950 rsq, gfx950 ex2": the assumed units of either contract; "" if there are none.
std::string Assumed(const Json& result) {
  std::vector<std::string> names;
  for (const char* key : {"rests_on", "backend_rests_on", "actual_rests_on"}) {
    for (const Json& unit : result.value(key, Json::array())) {
      if (unit.at("evidence") != "assumed") continue;
      std::string name = fmt::format("{} {}", unit.value("profile", ""), unit.value("entry", ""));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Json Facts(const Json& result) {
  Json facts = Json::array();
  for (const char* key :
       {"file", "expected", "actual", "kernel", "backend", "device", "architecture", "driver",
        "contract", "actual_contract", "backend_contract"}) {
    const std::string value = result.value(key, "");
    if (!value.empty()) facts.push_back({key, value});
  }
  const std::string assumed = Assumed(result);
  if (!assumed.empty()) facts.push_back({"rests on assumed", assumed});
  const std::string error = result.value("error", "");
  if (!error.empty()) facts.push_back({"error", error});
  return facts;
}

/// Axes that are not at their default in every case; "default" for a case that leaves one out.
std::vector<std::string> AxesOf(const Json& cases) {
  std::set<std::string> axes;
  for (const Json& c : cases) {
    for (const auto& [axis, value] : c.at("config").items()) axes.insert(axis);
  }
  std::vector<std::string> list(axes.begin(), axes.end());
  list.push_back("style");
  list.push_back("seed");
  return list;
}

Json CaseRow(const Json& c, int cause, const std::vector<std::string>& axes) {
  Json row = {{"id", c.at("id")}, {"verdict", c.at("verdict")}, {"cause", cause}};
  Json values = Json::object();
  std::string shown;
  for (const std::string& axis : axes) {
    const std::string value = axis == "style"  ? c.at("inputs_style").get<std::string>()
                              : axis == "seed" ? std::to_string(c.at("seed").get<uint64_t>())
                                               : c.at("config").value(axis, "default");
    values[axis] = value;
    if (axis == "style") {
      shown += value;
    } else if (value != "default") {
      shown += fmt::format("{}={} ", axis, value);
    }
    if (axis == "style") shown += " ";
  }
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  row["axes"] = values;
  row["shown"] = shown;
  const Json& diffs = c.at("differences");
  row["first"] = diffs.empty() ? "" : NameOf(diffs[0]);
  int64_t differing = 0;
  for (const Json& diff : diffs) differing += diff.at("differing").get<int64_t>();
  row["differing"] = differing;
  row["tensors"] = diffs.size();
  if (c.contains("skipped")) row["reason"] = c.at("skipped");
  return row;
}

/// Tensors of the cause's cases in dataflow order: those that a kernel has, else those that differ.
Json Waterfall(const Cause& cause, const Json& cases, const Kernel* kernel) {
  std::vector<std::string> order;
  std::map<std::string, std::array<int64_t, 2>> counts;
  const auto know = [&](const std::string& name) {
    if (counts.try_emplace(name).second) order.push_back(name);
  };
  const auto compared = cases[cause.cases[0]].value("tensors_compared", int64_t{0});
  if (kernel != nullptr && compared > 0) {
    Settings config;
    for (const auto& [axis, value] : cases[cause.cases[0]].at("config").items()) {
      config[axis] = value;
    }
    for (const TensorSpec& spec : Tensors(kernel->Plan(kernel->Complete(config), true))) {
      if (spec.role == Role::kInput) continue;
      know(fmt::format("{}/{}", GroupName(spec.role), spec.name));
      // How many of the cases have the tensor is known for those that differ alone.
      counts[fmt::format("{}/{}", GroupName(spec.role), spec.name)][1] = 0;
    }
  }
  for (const size_t c : cause.cases) {
    for (const Json& diff : cases[c].at("differences")) {
      know(NameOf(diff));
      auto& [differing, elements] = counts[NameOf(diff)];
      differing += diff.at("differing").get<int64_t>();
      elements += diff.at("elements").get<int64_t>();
    }
  }
  const bool all = static_cast<size_t>(compared) >= order.size();
  Json rows = Json::array();
  for (const std::string& name : order) {
    const auto& [differing, elements] = counts.at(name);
    // What agrees was compared where every tensor of the plan was.
    const bool agrees = differing == 0 && (all || name.starts_with("outputs/"));
    rows.push_back({name, differing, agrees ? 1 : elements});
  }
  return rows;
}

void AddCounts(const Json& from, Json* to) {
  for (const auto& [key, count] : from.items()) {
    (*to)[key] = to->value(key, int64_t{0}) + count.get<int64_t>();
  }
}

/// Histograms of the first tensor, over all cases of the cause.
Json Statistics(const Cause& cause, const Json& cases) {
  Json ulp = Json::object(), flips = Json::object();
  std::map<std::pair<std::string, std::string>, int64_t> classes;
  int bits = 0;
  for (const size_t c : cause.cases) {
    const Json& diffs = cases[c].at("differences");
    if (diffs.empty() || NameOf(diffs[0]) != cause.first) continue;
    bits = std::max(bits, BitsOf(diffs[0]));
    AddCounts(diffs[0].at("ulp_histogram"), &ulp);
    AddCounts(diffs[0].at("flipped_bits"), &flips);
    for (const Json& pair : diffs[0].at("classes")) {
      classes[{pair.at("expected"), pair.at("actual")}] += pair.at("count").get<int64_t>();
    }
  }
  if (bits == 0) return nullptr;
  Json pairs = Json::array();
  for (const auto& [pair, count] : classes) pairs.push_back({pair.first, pair.second, count});
  return {{"bits", bits}, {"ulp", ulp}, {"flips", flips}, {"classes", pairs}};
}

std::string Subtitle(const Cause& cause, const Json& cases) {
  if (cause.first.empty()) return "";
  int64_t differing = 0;
  uint64_t ulp = 0;
  for (const size_t c : cause.cases) {
    for (const Json& diff : cases[c].at("differences")) {
      if (NameOf(diff) != cause.first) continue;
      differing += diff.at("differing").get<int64_t>();
      ulp = std::max(ulp, diff.at("worst").value("ulp", uint64_t{0}));
    }
  }
  return fmt::format("{}; {} elements, at most {} ulp", cause.title, differing, ulp);
}

Json CauseJson(const Cause& cause, const Json& cases, const Kernel* kernel) {
  Json json = {{"first", cause.first},
               {"title", cause.title},
               {"subtitle", Subtitle(cause, cases)},
               {"explanation", cause.explanation},
               {"cases", cause.cases.size()}};
  Json notes = Json::array();
  for (const size_t c : cause.cases) {
    for (const Json& note : cases[c].at("notes")) {
      if (notes.size() < kShownNotes && std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }
  json["notes"] = notes;
  const Json& diffs = cases[cause.cases[0]].at("differences");
  json["example"] = diffs.empty() ? Json() : diffs[0].at("first");
  json["waterfall"] = diffs.empty() ? Json::array() : Waterfall(cause, cases, kernel);
  json["stats"] = Statistics(cause, cases);
  json["maps"] = Json::array();
  json["lanes"] = Json::array();
  return json;
}

Json TreesJson(const std::vector<Json>& reveals) {
  Json trees = Json::array();
  for (const Json& reveal : reveals) {
    for (const Json& r : reveal.at("reductions")) {
      std::string difference;
      if (r.contains("first_difference")) {
        difference = "first difference at " + r.at("first_difference").value("path", "");
      } else {
        difference = r.value("other_difference", "");
      }
      trees.push_back({{"stage", r.at("stage")},
                       {"doc", r.at("doc")},
                       {"equal", r.at("equal")},
                       {"revealed", r.at("revealed")},
                       {"contract", r.at("contract")},
                       {"difference", difference},
                       {"backend", reveal.value("backend", "")},
                       {"contract_name", reveal.value("contract", "")}});
    }
  }
  return trees;
}

std::string VerdictOf(const Json& summary) {
  if (summary.value("divergent", 0) > 0) return "divergent";
  if (summary.value("unstable", 0) > 0) return "unstable";
  if (summary.value("identical", 0) > 0) return "identical";
  return "skipped";
}

}  // namespace

Grouping GroupCases(const PageResults& results) {
  Grouping grouping;
  if (!results.main) return grouping;
  const auto sentences = Sentences(results.explain);
  const Json& cases = results.main->at("cases");
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < cases.size(); ++i) {
    grouping.cause_of.push_back(-1);
    if (cases[i].at("verdict") == "identical") continue;
    const auto of_case = sentences.find(cases[i].at("id").get<std::string>());
    Cause cause = CauseOf(
        cases[i], of_case == sentences.end() ? std::vector<std::string>() : of_case->second);
    std::string key = cause.first + "\n";
    if (cause.explanation.empty()) {
      key += cause.title;
    } else {
      for (const std::string& sentence : cause.explanation) key += sentence + "\n";
    }
    const auto [at, fresh] = known.emplace(key, grouping.causes.size());
    if (fresh) grouping.causes.push_back(std::move(cause));
    grouping.causes[at->second].cases.push_back(i);
  }
  std::ranges::stable_sort(grouping.causes, std::ranges::greater(),
                           [](const Cause& cause) { return cause.cases.size(); });
  for (size_t c = 0; c < grouping.causes.size(); ++c) {
    for (const size_t i : grouping.causes[c].cases) grouping.cause_of[i] = static_cast<int>(c);
  }
  return grouping;
}

size_t CountCauses(const Grouping& grouping) {
  std::set<std::string> explanations;
  size_t unexplained = 0;
  for (const Cause& cause : grouping.causes) {
    if (cause.explanation.empty()) ++unexplained;
    explanations.insert(cause.explanation.begin(), cause.explanation.end());
  }
  return unexplained + explanations.size();
}

Json MakePageData(const PageResults& results, const Grouping& grouping, const Kernel* kernel,
                  const std::string& title) {
  Json page;
  const Json* main = results.main ? &*results.main : nullptr;
  const Json& any = main != nullptr          ? *main
                    : results.reveal.empty() ? results.explain.at(0)
                                             : results.reveal.at(0);
  page["title"] = !title.empty()
                      ? title
                      : fmt::format("{} · {}", any.value("kernel", ""), any.value("verb", ""));
  page["facts"] = Facts(any);
  page["summary"] = Json::array();
  page["cases"] = Json::array();
  page["causes"] = Json::array();
  page["axes"] = Json::array();
  page["trees"] = TreesJson(results.reveal);
  page["footer"] = fmt::format("Made by {}. Verdicts are about bits; ulp distances only describe.",
                               VersionText());
  if (main == nullptr) {
    const bool equal =
        std::ranges::all_of(page["trees"], [](const Json& t) { return t.at("equal").get<bool>(); });
    page["verdict"] = equal ? "equal" : "different";
    return page;
  }
  const Json summary = main->value("summary", Json::object());
  for (const auto& [name, count] : summary.items()) {
    if (count.get<int64_t>() > 0) page["summary"].push_back({name, count});
  }
  page["verdict"] = VerdictOf(summary);
  const Json& cases = main->at("cases");
  const std::vector<std::string> axes = AxesOf(cases);
  page["axes"] = axes;
  for (size_t i = 0; i < cases.size(); ++i) {
    page["cases"].push_back(CaseRow(cases[i], grouping.cause_of[i], axes));
  }
  for (const Cause& cause : grouping.causes) {
    page["causes"].push_back(CauseJson(cause, cases, kernel));
  }
  return page;
}

}  // namespace samebits::harness
