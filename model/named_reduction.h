// What the sums of every kernel have in common: a name and documentation as data.
#ifndef SAMEBITS_MODEL_NAMED_REDUCTION_H_
#define SAMEBITS_MODEL_NAMED_REDUCTION_H_

#include <string>
#include <string_view>
#include <utility>

#include "model/reduction.h"

namespace samebits {

/// Without a start value, unless a sum says otherwise.
class NamedReduction : public Reduction {
 public:
  NamedReduction(std::string name, std::string doc)
      : name_(std::move(name)), doc_(std::move(doc)) {}
  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return doc_; }
  bool has_start(const Settings&) const override { return false; }

 private:
  const std::string name_, doc_;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_NAMED_REDUCTION_H_
