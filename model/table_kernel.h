// A kernel whose configurations and contracts are the tables axis_table.h and choice_table.h.
#ifndef SAMEBITS_MODEL_TABLE_KERNEL_H_
#define SAMEBITS_MODEL_TABLE_KERNEL_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/axis_table.h"
#include "model/choice_table.h"
#include "model/kernel.h"

namespace samebits {

template <class Config, class Choices>
class TableKernel : public Kernel {
 public:
  TableKernel(const AxisTable<Config>& configs, const ChoiceTable<Choices>& contracts)
      : configs_(configs), contracts_(contracts) {}

  std::span<const Axis> axes() const final { return configs_.axes(); }
  Settings Complete(const Settings& config) const final {
    return configs_.Write(configs_.Read(config));
  }

  std::span<const Choice> choices() const final { return contracts_.choices(); }
  std::vector<std::string> contract_names() const final { return contracts_.contract_names(); }
  Contract NamedContract(std::string_view name) const final { return contracts_.Named(name); }
  void CheckContract(const Contract& contract) const final { contracts_.Read(contract); }

 private:
  const AxisTable<Config>& configs_;
  const ChoiceTable<Choices>& contracts_;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_TABLE_KERNEL_H_
