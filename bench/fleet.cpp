// Ten thousand followers of one service: connections from this process, the service and its cloud in two others. fleet [HOW_MANY [ROW…]]
// prints for each row the memory of a follower, the time until all have the event, and the number of requests to the cloud.
//
// task, task-tls: 200 B to all · spec, spec-tls: 10,000 members to all · progress: the missing ones of 10,000 · restart, restart-tls: the
// service is killed, and all reconnect · stuck: a hundred read nothing · clusters: a thousand clusters of 64, twenty changes a second
// (clusters-long, only if named: for ten minutes) · barrier: all tasks but one wait at a barrier, and the last one comes
#include <sys/resource.h>

#include <set>

#include "count_allocations.hpp"
#include "fleet_barrier.hpp"
#include "fleet_herd.hpp"
#include "fleet_process.hpp"

namespace {

using namespace bench;

constexpr int ready_after = 25;  // seconds until all must be connected

std::string node_of(int members, int when) {
  return fmt::format(R"({{"project":"p","zone":"z","nodes":[{{"name":"t","accelerator_type":"v4-8","ready_after":{},)"
                     R"("endpoints":{{"base":"10.0.0.1","count":{}}}}}]}})",
                     when, members);
}

std::string question(const std::string& target, const std::string& query, bool is_stream = true) {
  return fmt::format("GET /v1/clusters/{}?{} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n", target, query,
                     is_stream ? "Accept: text/event-stream\r\n" : "Accept-Encoding: gzip\r\n");
}
const std::string node = "tpu:t,project=p,zone=z";

std::string spread(const std::vector<double>& times, double from) {
  return fmt::format("median {:.3f} s, 99 % {:.3f} s, last {:.3f} s", times[times.size() / 2] - from, times[times.size() * 99 / 100] - from,
                     times.back() - from);
}
template <class... T>
void print(fmt::format_string<T...> form, T&&... values) {
  std::puts(fmt::format(form, std::forward<T>(values)...).c_str());
  std::fflush(stdout);
}

// A stream that reports when all members are ready.
void follow(const char* what, int followers, int members, const std::string& query, bool is_tls) {
  BenchCloud cloud(node_of(members, ready_after));
  BenchService service(cloud.variables(), is_tls);
  const long before = service.process().resident_kb();
  const double started = wall_seconds();
  Herd herd(followers, service.port(), is_tls);
  herd.await_event("ready");
  herd.connect(question(node, query));
  const double connected = wall_seconds() - started;
  herd.run(&HerdMember::first, 20);
  const double sent = wall_seconds() - started;
  const long waiting = service.process().resident_kb();
  herd.run(&HerdMember::wanted, ready_after + 20);
  const std::vector<double> ready = herd.times(&HerdMember::wanted);
  const long after = service.process().resident_kb();
  print(
      "{:<12} {} followers: connected after {:.2f} s, all synced after {:.2f} s; {:.1f} kB each while they wait; from the first one: {}; "
      "+{} MB then; "
      "CPU {:.2f} s; {} in {:.0f} s",
      what, followers, connected, sent, static_cast<double>(waiting - before) / followers, spread(ready, ready.front()),
      (after - waiting) / 1024, service.process().cpu(), cloud.end(), wall_seconds() - started);
}

// An answer of a quarter of a megabyte, compressed to a tenth, for all at once.
void fetch(const char* what, int followers, bool is_tls) {
  BenchCloud cloud(node_of(10'000, 0));
  BenchService service(cloud.variables(), is_tls);
  Herd herd(followers, service.port(), is_tls, Herd::Reads::bodies);
  herd.connect("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  herd.run(&HerdMember::first, 20);
  const long before = service.process().resident_kb();
  service.process().reset_peak();
  herd.await_event("");
  const double asked = wall_seconds();
  herd.send_all(question(node, "view=spec", false));
  herd.run(&HerdMember::first, 60);
  print("{:<12} {} ask at once: from the first question: {}; at the most +{} MB", what, followers,
        spread(herd.times(&HerdMember::first), asked), (service.process().peak_kb() - before) / 1024);
}

void restart(const char* what, int followers, bool is_tls) {
  BenchCloud cloud(node_of(4, 0));
  auto service = std::make_unique<BenchService>(cloud.variables(), is_tls);
  const std::uint16_t port = service->port();
  Herd herd(followers, port, is_tls);
  herd.await_event("ready");
  herd.connect(question(node, "view=task&self=10.0.0.1"));
  herd.run(&HerdMember::wanted, 30);
  herd.comes_back();
  herd.await_event("ready");
  service->process().kill();
  const double killed = wall_seconds();
  service = std::make_unique<BenchService>(cloud.variables(), is_tls, port);
  herd.run(&HerdMember::wanted, 60);
  print("{:<12} {} followers: served by the new service, from the kill: {}; {} by both", what, followers,
        spread(herd.times(&HerdMember::wanted), killed), cloud.end());
}

std::string metric(std::uint16_t port, const std::string& line) {
  Herd one(1, port, false, Herd::Reads::bodies);
  return one.fetch("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", line);
}

// Thirty pods that become ready and not ready again, twice a second.
void stuck(int followers, int that_read_nothing) {
  std::string timeline;
  for (int i = 0; i < 140; ++i)
    timeline += fmt::format(R"({}{{"at":{},"ready":{}}})", i ? "," : "", ready_after + i * 0.5, i % 2 ? "true" : "false");
  BenchCloud cloud(fmt::format(R"({{"kubernetes":{{"namespace":"train","managed_fields":false,"pods":[{{"kind":"indexed_job","name":"j",)"
                               R"("count":30,"timeline":[{}]}}]}}}})",
                               timeline));
  BenchService service(cloud.variables(), false);
  const std::string target = "kubernetes:train,job.worker=job-name=j,address=pod";
  const auto size = static_cast<std::size_t>(followers);
  const std::size_t readers = size - static_cast<std::size_t>(that_read_nothing);
  Herd herd(followers, service.port(), false);
  herd.connect(question(target, "view=progress"), 0, readers);
  herd.connect(question(target, "view=status"), readers, size, 4096);
  herd.run(&HerdMember::first, 20);
  herd.stop_reading(readers);
  const long before = service.process().resident_kb();
  service.process().reset_peak();
  herd.run_for(ready_after + 75);
  const std::vector<double> delays = herd.delays();
  if (delays.empty()) die("no event was received");
  print(
      "{:<12} {} followers, {} of them read nothing: the others have the event, from the first of them: {}; {} events; at the most +{} MB; "
      "ended: {}",
      "stuck", followers, that_read_nothing, spread(delays, 0), delays.size(), (service.process().peak_kb() - before) / 1024,
      metric(service.port(), "rollcall_serve_followers_dropped_total"));
}

// TPUs of one zone, twenty of which change their state each second, and two followers of each.
void clusters(int count, int seconds) {
  constexpr int changes = 20;  // a second
  std::string nodes;
  for (int i = 0; i < count; ++i) {
    std::string timeline = R"({"at":0,"state":"READY"})";
    const double every = static_cast<double>(count) / changes;
    int turn = 0;
    for (double at = ready_after + i / static_cast<double>(changes); at < ready_after + seconds; at += every)
      timeline += fmt::format(R"(,{{"at":{:.2f},"state":"{}"}})", at, ++turn % 2 ? "REPAIRING" : "READY");
    nodes += fmt::format(R"({}{{"name":"t{}","accelerator_type":"v4-512","timeline":[{}]}})", i ? "," : "", i, timeline);
  }
  BenchCloud cloud(R"({"project":"p","zone":"z","nodes":[)" + nodes + "]}");
  BenchService service(cloud.variables(), false);
  Herd herd(2 * count, service.port(), false);
  for (int i = 0; i < 2 * count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    herd.connect(question(fmt::format("tpu:t{},project=p,zone=z", i / 2), "view=status"), at, at + 1);
  }
  herd.run(&HerdMember::first, 60);
  herd.run_for(ready_after);
  const std::size_t events = herd.events();
  const double begun = wall_seconds(), cpu = service.process().cpu();
  herd.run_for(seconds - 2 * ready_after);
  const double took = wall_seconds() - begun;
  print(
      "{:<12} {} clusters of 64, {} changes a second, {} followers, {:.0f} s: {:.1f} events a second; {:.0f} % of a core; {} MB; {}; "
      "delivered "
      "within: {}",
      "clusters", count, changes, 2 * count, took, static_cast<double>(herd.events() - events) / took,
      (service.process().cpu() - cpu) / took * 100, service.process().resident_kb() / 1024, cloud.end(),
      metric(service.port(), "rollcall_serve_event_delay_seconds_bucket"));
}

void barrier(int tasks) {
  BenchCloud cloud(node_of(4, 0));
  BenchService service(cloud.variables(), false);
  const long before = service.process().resident_kb();
  const double started = wall_seconds();
  BarrierHerd herd(tasks, service.port());
  herd.gather();
  const double gathered = wall_seconds() - started;
  const long waiting = service.process().resident_kb();
  const double cpu = service.process().cpu();
  const std::vector<double> released = herd.release();
  print("{:<12} {} tasks: all but one wait after {:.2f} s, {:.1f} kB each; the last one comes, and all have the release: {}; CPU {:.2f} s",
        "barrier", tasks, gathered, static_cast<double>(waiting - before) / tasks, spread(released, 0), service.process().cpu() - cpu);
}

}  // namespace

int main(int argc, char** argv) {
  const int followers = argc > 1 ? std::atoi(argv[1]) : 10'000;
  std::set<std::string> rows(argv + std::min(argc, 2), argv + argc);
  const auto is_wanted = [&rows](const char* row) { return rows.empty() || rows.contains(row); };
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(followers) + 100)
    die(fmt::format("only {} descriptors are allowed (ulimit -n)", limit.rlim_cur));
  const std::string task = "view=task&self=10.0.0.1";
  if (is_wanted("task")) follow("task", followers, 4, task, false);
  if (is_wanted("task-tls")) follow("task-tls", followers, 4, task, true);
  if (is_wanted("progress")) follow("progress", followers, 10'000, "view=progress", false);
  if (is_wanted("spec")) fetch("spec", followers, false);
  if (is_wanted("spec-tls")) fetch("spec-tls", followers, true);
  if (is_wanted("restart")) restart("restart", followers, false);
  if (is_wanted("restart-tls")) restart("restart-tls", followers, true);
  if (is_wanted("stuck")) {
    stuck(followers, 0);
    stuck(followers, 100);
  }
  if (is_wanted("barrier")) barrier(followers);
  if (is_wanted("clusters")) clusters(1000, 120);
  if (rows.contains("clusters-long")) clusters(1000, 650);  // ten minutes of it, only if named
}
