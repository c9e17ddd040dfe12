// From process start to the printed spec, against curl asking the same server for the same thing.
#include <fcntl.h>
#include <spawn.h>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "node_server.hpp"

namespace {

using namespace bench;

double run_once(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::string token = "ROLLCALL_ACCESS_TOKEN=test-token";
  std::string path = "PATH=/usr/bin:/bin";
  char* environment[] = {token.data(), path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const double start = wall_seconds();
  if (posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environment) != 0) std::abort();
  int status = 0;
  waitpid(child, &status, 0);
  const double took = wall_seconds() - start;
  posix_spawn_file_actions_destroy(&files);
  if (status != 0) {
    std::printf("FAILED: %s ended with %d\n", words[0].c_str(), status);
    std::exit(1);
  }
  return took;
}

}  // namespace

// startup PATH_OF_THE_COMMAND
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  NodeServer server(std::chrono::milliseconds(0));
  const std::string root = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  const std::vector<std::string> ours{argv[1], "spec", "tpu:node-1,project=p,zone=z,endpoint=" + root};
  const std::vector<std::string> curl{"curl", "-s", "-H", "Authorization: Bearer test-token",
                                      root + "v2/projects/p/locations/z/nodes/node-1"};
  run_once(ours);
  run_once(curl);
  std::vector<double> our_ms, curl_ms, ratios;
  for (int i = 0; i < 101; ++i) {
    our_ms.push_back(run_once(ours) * 1e3);
    curl_ms.push_back(run_once(curl) * 1e3);
    ratios.push_back(our_ms.back() / curl_ms.back());
  }
  std::printf("process start to answer   rollcall spec %5.2f ms   curl %5.2f ms   ratio %.2f (median of 101 pairs)\n", median(our_ms),
              median(curl_ms), median(ratios));
  const std::uint64_t asked = server.stop();
  std::printf("the server counted %llu requests for 204 processes\n", static_cast<unsigned long long>(asked));
  return asked == 204 ? 0 : 1;
}
