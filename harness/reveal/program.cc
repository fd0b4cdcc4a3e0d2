#include "harness/reveal/program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>

#include "gpu/device_kernel.h"
#include "harness/report/json_writer.h"

namespace samebits::harness {
namespace {

namespace fs = std::filesystem;

std::string FileOf(const TensorSpec& spec) {
  return fmt::format("{}/{}.bin", GroupName(spec.role), spec.name);
}

void WriteBytes(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw gpu::EnvironmentError(fmt::format("{}: cannot be written", path.string()));
}

void WriteRequest(const fs::path& path, const Kernel& kernel, const Settings& config,
                  const std::vector<TensorSpec>& specs) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                             std::fclose);
  if (!file) throw gpu::EnvironmentError(fmt::format("{}: cannot be written", path.string()));
  JsonWriter json(file.get(), "reveal");
  json.Field("kernel", kernel.name()).Map("config", config).Key("tensors").BeginArray();
  for (const TensorSpec& spec : specs) {
    json.BeginObject().Field("name", spec.name).Field("group", GroupName(spec.role));
    json.Field("dtype", Name(spec.dtype)).Strings("dims", spec.dims).Key("shape").BeginArray();
    for (const int64_t extent : spec.shape) json.Value(extent);
    json.End().Field("file", FileOf(spec)).End();
  }
}

/// Exit status of `program folder`.
int Execute(const std::string& program, const fs::path& folder) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw gpu::EnvironmentError(fmt::format("{}: cannot be started", program));
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output is the verb's
    execlp(program.c_str(), program.c_str(), folder.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProgramLauncher::ProgramLauncher(const Kernel& kernel, const Settings& config, std::string program)
    : kernel_(kernel), config_(config), program_(std::move(program)) {
  if (program_.find('/') != std::string::npos && access(program_.c_str(), X_OK) != 0) {
    throw gpu::EnvironmentError(fmt::format("{}: expected an executable file", program_));
  }
  std::string pattern = (fs::temp_directory_path() / "samebits-reveal-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw gpu::EnvironmentError(fmt::format("{}: cannot be made", pattern));
  }
  folder_ = pattern;
  for (const Role role : {Role::kInput, Role::kTap, Role::kOutput}) {
    fs::create_directory(folder_ / GroupName(role));
  }
}

ProgramLauncher::~ProgramLauncher() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

TensorSet ProgramLauncher::Launch(const TensorSet& inputs) const {
  const std::vector<TensorSpec> specs = Tensors(kernel_.Plan(config_, true));
  for (const TensorSpec& spec : specs) {
    if (spec.role != Role::kInput) fs::remove(folder_ / FileOf(spec));
  }
  for (const Tensor& input : inputs.tensors) WriteBytes(folder_ / FileOf(input.spec), input.data);
  WriteRequest(folder_ / "request.json", kernel_, config_, specs);
  const int status = Execute(program_, folder_);
  if (status != 0) {
    throw gpu::EnvironmentError(fmt::format("{}: exit status {}", program_, status));
  }
  TensorSet results;
  for (const TensorSpec& spec : specs) {
    const fs::path path = folder_ / FileOf(spec);
    if (spec.role == Role::kInput || !fs::exists(path)) continue;
    Tensor tensor(spec);
    if (fs::file_size(path) != tensor.data.size()) {
      throw ConfigError(fmt::format("{}: {}: expected {} bytes, found {}", program_, FileOf(spec),
                                    tensor.data.size(), fs::file_size(path)));
    }
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(tensor.data.data()),
              static_cast<std::streamsize>(tensor.data.size()));
    results.tensors.push_back(std::move(tensor));
  }
  if (results.tensors.empty()) {
    throw gpu::EnvironmentError(
        fmt::format("{}: exit status 0, but it wrote none of the files of request.json: expected a "
                    "tap or an output (harness/reveal/README.md)",
                    program_));
  }
  return results;
}

}  // namespace samebits::harness
