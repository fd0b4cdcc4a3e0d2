#include "golden/isolated.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>

namespace samebits::golden {
namespace {

bool WriteAll(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

/// Never returns; no destructor or exit handler runs, so that HDF5 does not try to close the file.
[[noreturn]] void Child(int descriptor, const std::function<std::string()>& work) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    _exit(WriteAll(descriptor, work()) ? 0 : 1);
  } catch (const std::exception&) {
    _exit(1);
  }
}

/// Everything up to the end; false if it does not come in time.
bool ReadAll(int descriptor, int seconds, std::string* text) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd ready = {descriptor, POLLIN, 0};
    const int count = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
    if (count == 0) return false;
    if (count < 0) continue;  // EINTR
    const ssize_t n = read(descriptor, buffer, sizeof(buffer));
    if (n == 0) return true;
    if (n > 0) text->append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

std::optional<std::string> RunIsolated(const std::function<std::string()>& work, int seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) Child(ends[1], work);
  close(ends[1]);
  std::string text;
  const bool whole = child > 0 && ReadAll(ends[0], seconds, &text);
  close(ends[0]);
  if (child < 0) return std::nullopt;
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace samebits::golden
