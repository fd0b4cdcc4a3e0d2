#include "harness/run.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "golden/integrity_error.h"
#include "gpu/device_kernel.h"
#include "harness/command_line.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"
#include "model/contract.h"

namespace samebits::harness {
namespace {

template <typename... Visitors>
struct Overload : Visitors... {
  using Visitors::operator()...;
};

int RunVerb(const Options& options) {
  return std::visit(Overload{[](const GenerateOptions& o) { return Generate(o); },
                             [](const InspectOptions& o) { return Inspect(o); },
                             [](const CheckOptions& o) { return Check(o); },
                             [](const VerifyOptions& o) { return Verify(o); },
                             [](const CompareOptions& o) { return Compare(o); },
                             [](const ExplainOptions& o) { return ExplainVerb(o); },
                             [](const ListOptions& o) { return List(o); },
                             [](const DoctorOptions& o) { return Doctor(o); },
                             [](const BenchOptions& o) { return Bench(o); },
                             [](const ProfileOptions& o) { return ProfileVerb(o); },
                             [](const RevealOptions& o) { return Reveal(o); },
                             [](const ReportOptions& o) { return Report(o); },
                             [](const SliceOptions& o) { return SliceVerb(o); },
                             [](const MinimizeOptions& o) { return MinimizeVerb(o); }},
                    options);
}

/// Whether standard output is a pipe that nobody reads any more.
bool ReaderIsGone() {
  pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// With --json, standard output is one object also where a verb failed, before it had begun one or
/// amid it.
void WriteError(std::span<const char* const> words, ExitStatus status, const std::string& message) {
  const auto asked = [](std::string_view word) { return word == "--json"; };
  JsonWriter::EndInterrupted(message, status);
  if (JsonWriter::Begun() || std::ranges::none_of(words, asked)) return;
  JsonWriter json(stdout, words.front());
  json.Field("error", message).Field("exit_status", static_cast<int>(status));
}

int Fail(std::span<const char* const> words, ExitStatus status, std::string message) {
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  WriteError(words, status, message);
  std::fflush(stdout);
  std::fprintf(stderr, "samebits: %s\n", message.c_str());  // a closed stderr is no second error
  return status;
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a verb with files to write goes on where nobody reads
  const std::span words(argv + 1, static_cast<size_t>(argc > 1 ? argc - 1 : 0));
  try {
    const std::optional<Options> options = ParseCommandLine(argc, argv);
    const int status = options ? RunVerb(*options) : kIdentical;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      if (ReaderIsGone()) return kClosedPipe;
      return Fail(words, kEnvironment, "standard output: cannot be written");
    }
    return status;
  } catch (const UsageError& error) {
    return Fail(words, kUsage, error.what());
  } catch (const ConfigError& error) {
    return Fail(words, kUsage, error.what());
  } catch (const gpu::EnvironmentError& error) {
    return Fail(words, kEnvironment, error.what());
  } catch (const golden::IntegrityError& error) {
    return Fail(words, kIntegrity, error.what());
  } catch (const golden::StorageError& error) {
    return Fail(words, kEnvironment, error.what());
  } catch (const std::bad_alloc&) {
    return Fail(words, kEnvironment, "out of memory");
  } catch (const std::system_error& error) {  // of fmt::print, among others
    if (error.code().value() == EPIPE && ReaderIsGone()) return kClosedPipe;
    return Fail(words, kEnvironment, error.what());
  } catch (const std::exception& error) {
    return Fail(words, kEnvironment, error.what());
  }
}

}  // namespace samebits::harness
