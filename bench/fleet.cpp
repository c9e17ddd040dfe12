// Ten thousand launchers that wait for one TPU by one service: connections from this process, the service and its cloud in another one.
// Prints memory of a follower, how long it takes until all are told, and what the cloud was asked.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "rollcall/fleet_service.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"

namespace {

using namespace bench;
using namespace rollcall;

constexpr int ready_after = 20;  // seconds: until then all are connected

[[noreturn]] void die(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

// The service, in a process of its own: writes its URL, and at the end what the cloud was asked.
[[noreturn]] void serve(int out, int members) {
  const std::string file = fmt::format(R"({{"project":"p","zone":"z","nodes":[{{"name":"t","accelerator_type":"v4-8","ready_after":{},)"
                                       R"("endpoints":{{"base":"10.0.0.1","count":{}}}}}]}})",
                                       ready_after, members);
  asio::io_context io(1);
  const std::shared_ptr<sim::Cloud> cloud = sim::Cloud::parse(file, "bench").value();
  RuntimeOptions options;
  options.time = system_time();
  options.http = sim::make_memory_transport(cloud, options.time, io.get_executor());
  options.environment = fixed_environment({});
  options.credentials = static_token(Secret<std::string>("test-token"));
  const Runtime runtime(io.get_executor(), std::move(options));
  FleetServiceOptions service_options;
  service_options.listen = {"127.0.0.1:0"};
  const std::shared_ptr<FleetService> service = FleetService::start(runtime, service_options).value();
  const std::string url = service->urls().front() + "\n";
  if (write(out, url.data(), url.size()) < 0) std::abort();
  static asio::io_context* loop = &io;
  std::signal(SIGTERM, [](int) { loop->stop(); });
  io.run();
  const std::string asked = fmt::format("{} requests to the cloud", cloud->total());
  if (write(out, asked.data(), asked.size()) < 0) std::abort();
  std::_Exit(0);
}

std::string read_some(int from) {
  char text[256];
  const ssize_t size = read(from, text, sizeof text);
  return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
}

long resident_kb_of(pid_t process) {
  long pages = 0, resident = 0;
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/statm", process).c_str(), "r");
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) die("the service has ended");
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

double cpu_of(pid_t process) {
  char text[1024] = {};
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/stat", process).c_str(), "r");
  if (!file || std::fread(text, 1, sizeof text - 1, file) == 0) die("the service has ended");
  std::fclose(file);
  unsigned long user = 0, system = 0;
  std::sscanf(std::strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

class Follower {
 public:
  int socket = -1;
  std::string text;
  double told = 0;   // first event
  double ready = 0;  // the event that ends the wait
};

class Herd {
 public:
  Herd(int size, std::string request, std::string end)
      : followers_(static_cast<std::size_t>(size)), request_(std::move(request)), end_(std::move(end)) {}

  void connect(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      Follower& one = followers_[i];
      one.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (one.socket < 0 || ::connect(one.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
        die(fmt::format("connection {}: {}", i, std::strerror(errno)));
      if (::send(one.socket, request_.data(), request_.size(), 0) < 0) die("send");
      fcntl(one.socket, F_SETFL, O_NONBLOCK);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, one.socket, &event);
    }
  }

  // Reads what comes until `count(…)` of all is full, or for so many seconds.
  void run(double Follower::* until, double patience) {
    const double end = wall_seconds() + patience;
    while (done(until) < followers_.size()) {
      if (wall_seconds() > end) die(fmt::format("{} of {} were told", done(until), followers_.size()));
      epoll_event events[256];
      const int count = epoll_wait(epoll_, events, 256, 100);
      const double now = wall_seconds();
      for (int i = 0; i < count; ++i) take(followers_[events[i].data.u64], now);
    }
  }
  std::size_t done(double Follower::* what) const {
    return static_cast<std::size_t>(
        std::count_if(followers_.begin(), followers_.end(), [what](const Follower& one) { return one.*what > 0; }));
  }
  std::vector<double> times(double Follower::* what) const {
    std::vector<double> all;
    for (const Follower& one : followers_) all.push_back(one.*what);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  void take(Follower& one, double now) {
    char piece[16384];
    for (;;) {
      const ssize_t size = recv(one.socket, piece, sizeof piece, 0);
      if (size == 0) die("the service closed a connection: " + one.text.substr(0, 300));
      if (size < 0) break;
      one.text.append(piece, static_cast<std::size_t>(size));
    }
    if (one.told == 0 && one.text.find("\n\n") != std::string::npos) one.told = now;
    if (one.ready == 0 && one.text.find(end_) != std::string::npos) one.ready = now;
    if (one.text.size() > 4096) one.text.erase(0, one.text.size() - 64);  // not the bytes, their arrival is of interest
  }

  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<Follower> followers_;
  std::string request_;
  std::string end_;
};

// `end`: what is in the event, or the body, that ends the wait.
void measure(const char* what, int followers, int members, const std::string& query, bool is_stream, const std::string& end) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) die("pipe");
  const pid_t child = fork();
  if (child == 0) serve(pipe_ends[1], members);
  close(pipe_ends[1]);
  const std::string url = read_some(pipe_ends[0]);
  const double started = wall_seconds();
  const auto port = static_cast<std::uint16_t>(std::strtoul(url.c_str() + url.rfind(':') + 1, nullptr, 10));
  const long before = resident_kb_of(child);
  Herd herd(followers,
            fmt::format("GET /v1/clusters/tpu:t,project=p,zone=z?{} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n", query,
                        is_stream ? "Accept: text/event-stream\r\n" : ""),
            end);
  herd.connect(port);
  const double connected = wall_seconds() - started;
  if (is_stream) herd.run(&Follower::told, 15);
  const double told = wall_seconds() - started;
  const long waiting = resident_kb_of(child);
  herd.run(&Follower::ready, ready_after + 20);
  const std::vector<double> ready = herd.times(&Follower::ready);
  const long after = resident_kb_of(child);
  const double cpu = cpu_of(child);
  kill(child, SIGTERM);
  const std::string asked = read_some(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  close(pipe_ends[0]);
  std::printf(
      "%-34s %5d followers: connected %.2f s, told %.2f s; %.1f kB each while they wait; from the first told to the median %.3f s, 99 %% "
      "%.3f s, last %.3f s; +%ld MB then; CPU %.2f s; %s\n",
      what, followers, connected, told, static_cast<double>(waiting - before) / followers, ready[ready.size() / 2] - ready[0],
      ready[ready.size() * 99 / 100] - ready[0], ready.back() - ready[0], (after - waiting) / 1024, cpu, asked.c_str());
  std::fflush(stdout);
}

}  // namespace

// fleet [HOW_MANY]
int main(int argc, char** argv) {
  const int followers = argc > 1 ? std::atoi(argv[1]) : 10'000;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(followers) + 100)
    die(fmt::format("only {} descriptors are allowed (ulimit -n)", limit.rlim_cur));
  measure("view=task, 4 members, 200 B", followers, 4, "view=task&self=10.0.0.1", true, "event: ready");
  measure("view=progress, 10,000 members", followers, 10'000, "view=progress", true, "event: ready");
  measure("view=status, 4 members", followers, 4, "view=status", true, "\"READY\"");
}
