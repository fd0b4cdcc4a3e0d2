// What a command line asks for, one plain struct per verb. Names are checked by the verbs, which
// know the kernels; here is only what the user typed.
#ifndef SAMEBITS_HARNESS_OPTIONS_H_
#define SAMEBITS_HARNESS_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace samebits::harness {

struct GenerateOptions {
  std::string kernel;
  std::string output;                // -o
  std::string matrix;                // --matrix: TOML file; empty: one case, from `config`
  std::vector<std::string> config;   // --config: axis=value
  std::string inputs;                // --inputs: style; empty: the matrix's, or "realistic"
  std::optional<uint64_t> seed;      // --seed
  std::string contract;              // --contract: name or file; empty: the default
  std::vector<std::string> choices;  // --set: choice=value
  bool taps = false;
  bool hashes = false;  // --store hashes
  bool resume = false;
  bool force = false;  // replace an existing output file
  int threads = 0;     // 0: one per processor
  bool json = false;
};

struct VerifyOptions {
  std::string file;
  std::string backend;  // empty: the best that can run here
  int repeat = 1;
  std::string record;    // --record: file to write
  std::string evidence;  // --evidence: file to write
  bool hashes = false;
  bool taps = false;
  int ctas = 0;
  int devices = 1;                   // --devices; 0: all that are here
  int schedule = 0;                  // --schedule: seed of the first launch of a case
  std::vector<std::string> cases;    // --case: id, or the start of one
  std::vector<std::string> filters;  // --filter: axis=value
  std::string contract;              // --contract: what the backend "model" computes
  std::vector<std::string> choices;  // --set
  bool nan_class = false;            // --nan class
  bool force = false;
  int threads = 0;
  bool json = false;
};

struct CompareOptions {
  std::string expected, actual;
  std::vector<std::string> tensors;  // --tensor: empty: all
  bool nan_class = false;
  bool json = false;
};

struct ExplainOptions {
  std::string expected, actual;
  std::vector<std::string> cases;  // --case: id, or the start of one; empty: all
  bool thorough = false;           // --thorough: no limit of work
  int threads = 0;
  bool json = false;
};

struct InspectOptions {
  std::string file;
  std::string case_id;
  std::string tensor;
  int64_t limit = 16;  // elements to print
  bool json = false;
};

struct CheckOptions {
  std::string file;
  bool recompute = false;
  int threads = 0;
  bool json = false;
};

struct ListOptions {
  std::string kernel;  // empty: every kernel
  bool json = false;
};

struct DoctorOptions {
  std::string kernel;  // "": the first of `list`
  bool best_backend = false;
  bool json = false;
};

struct BenchOptions {
  std::vector<std::string> only;  // names of benchmarks; empty: all
  int repetitions = 9;            // medians are of this many
  bool json = false;
};

struct ProfileOptions {
  std::string action;   // capture, fit, check or show
  std::string file;     // a capture; show: name or file of a profile
  std::string backend;  // capture: --backend
  std::string profile;  // --profile: name or file
  std::string output;   // -o
  std::string name;     // fit: --name of the profile that is written
  int blocks = 0;       // capture: --blocks; 0: all, on simt a selection
  bool force = false;
  int threads = 0;
  bool json = false;
};

struct RevealOptions {
  std::string kernel;
  std::string backend;               // name, or "exec:PROGRAM"; empty: the best that can run here
  std::vector<std::string> stages;   // --stage: empty: every reduction of the kernel
  std::vector<std::string> config;   // --config: axis=value, on top of the kernel's probe_config
  std::string contract;              // --contract: what the trees are held against
  std::vector<std::string> choices;  // --set
  std::string computes;              // --computes: contract of the backend "model"
  std::string dot;                   // --dot: folder for Graphviz files
  int threads = 0;
  bool json = false;
};

struct ReportOptions {
  std::vector<std::string> files;  // JSON results of verbs; golden and observed files
  std::string output;              // -o: page to write
  std::string title;               // empty: made from the result
  bool explain = false;            // --explain: what caused it, from the two files
  bool force = false;
  bool json = false;
};

struct SliceOptions {
  std::string file, observed;   // golden; observed may be empty
  std::string case_id;          // --case; empty: the only one
  std::string tensor;           // --tensor; empty: the first that differs
  std::vector<std::string> at;  // --at: dim=index
  int stages = 1;               // 0: back to the inputs
  int depth = 4;                // of the text; 0: everything
  std::string output;           // -o: page to write
  bool force = false;
  int threads = 0;
  bool json = false;
};

struct MinimizeOptions {
  std::string file, observed;        // golden; observed may be empty
  std::string case_id;               // --case; empty: the only one
  std::string backend;               // --backend: name, or "exec:PROGRAM"; empty: see --help
  std::string contract;              // --contract: what the backend "model" computes
  std::vector<std::string> choices;  // --set
  std::string output;                // -o: golden file to write
  std::string record;                // --record: observed file; empty: from `output`
  bool any = false;                  // --any: any divergence will do
  int runs = 600;                    // --runs: at most
  int schedule = 0;                  // --schedule
  bool force = false;
  int threads = 0;
  bool json = false;
};

using Options =
    std::variant<GenerateOptions, InspectOptions, CheckOptions, VerifyOptions, CompareOptions,
                 ExplainOptions, ListOptions, DoctorOptions, BenchOptions, RevealOptions,
                 ReportOptions, ProfileOptions, SliceOptions, MinimizeOptions>;

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_OPTIONS_H_
