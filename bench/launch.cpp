// Runs a command and prints, as a line of JSON, its time from start to end, its CPU and its maximum of memory. This is a small program and
// not part of the driver, since a command's memory includes that of the process that forked it.
//
// launch COMMAND [ARGUMENT…]: the command's standard output is discarded, its standard error is kept; its exit code is returned.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "measure.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const double start = bench::wall_seconds();
  if (posix_spawnp(&child, argv[1], &files, nullptr, argv + 1, environ) != 0) return 127;
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const double wall = bench::wall_seconds() - start;
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  std::printf("{\"wall\":%.6f,\"cpu\":%.6f,\"highest_kb\":%ld}\n", wall, seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
