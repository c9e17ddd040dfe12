// hold_lease: one replica in the contest for a lease, without a service: see tests/interop/fleet/lease.
//
// hold_lease ID TTL-SECONDS kubernetes NAMESPACE NAME CONTEXT
// hold_lease ID TTL-SECONDS etcd FLEET URLS [CA CERTIFICATE KEY [USER PASSWORD-FILE]]
//
// Prints a line at each change, `SECONDS leads|follows HOLDER URL EPOCH TROUBLE`, with `-` for what is empty; SECONDS by the machine's
// CLOCK_BOOTTIME, so that lines of several processes can be compared. SIGTERM releases the lease first.
#include <fmt/format.h>

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "async/spawn.hpp"
#include "base/text.hpp"
#include "lease/elector.hpp"
#include "lease/etcd_lease.hpp"
#include "lease/kubernetes_lease.hpp"
#include "rollcall/sleepless_time.hpp"

using namespace rollcall;

namespace {

Result<std::shared_ptr<lease::LeaseEngine>> engine_of(const std::vector<std::string>& words) {
  const auto word = [&words](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
  if (word(2) == "kubernetes") {
    lease::KubernetesLeaseOptions options;
    options.namespace_name = word(3);
    options.name = word(4);
    options.context = word(5);
    return lease::make_kubernetes_lease(std::move(options));
  }
  lease::EtcdLeaseOptions options;
  options.fleet = word(3);
  const std::string urls = word(4);
  for (const std::string_view url : split(urls, ',')) options.endpoints.emplace_back(url);
  options.files.authorities = word(5);
  options.files.certificate = word(6);
  options.files.key = word(7);
  options.user = word(8);
  options.password_file = word(9);
  return lease::make_etcd_lease(std::move(options));
}

void show(const lease::Elector& elector, const TimeSource& time) {
  const std::optional<lease::LeaseRecord> leader = elector.leader();
  std::string trouble = elector.trouble();
  const double seconds = std::chrono::duration<double>(time.now().time_since_epoch()).count();
  fmt::print("{:.3f} {} {} {} {} {}\n", seconds, elector.leads() ? "leads" : "follows", leader ? leader->holder : "-",
             leader && !leader->url.empty() ? leader->url : "-", elector.epoch(), trouble.empty() ? "-" : trouble);
  std::fflush(stdout);
}

asio::awaitable<void> show_changes(std::shared_ptr<lease::Elector> elector, std::shared_ptr<TimeSource> time) {
  for (;;) {
    show(*elector, *time);
    const bool is_awake = co_await elector->changed().wait();
    if (!is_awake) co_return;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() < 5) return 2;
  const Result<std::shared_ptr<lease::LeaseEngine>> engine = engine_of(words);
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().message());
    return 2;
  }
  asio::io_context io(1);
  RuntimeOptions options;
  options.time = sleepless_time();
  const std::shared_ptr<TimeSource> time = options.time;
  const Runtime runtime(io.get_executor(), std::move(options));
  const auto elector = std::make_shared<lease::Elector>(runtime, *engine, words[0], std::chrono::seconds(std::atoi(words[1].c_str())));
  elector->serves_at("http://127.0.0.1/" + words[0]);
  elector->start();
  asio::cancellation_signal signal, end_signal;
  spawn(io.get_executor(), show_changes(elector, time), signal.slot(), [](std::exception_ptr) {});
  asio::signal_set ends(io, SIGTERM);
  ends.async_wait([&](asio::error_code, int) {
    spawn(io.get_executor(), elector->release(), end_signal.slot(), [&](std::exception_ptr) {
      show(*elector, *time);
      elector->close();
      io.stop();
    });
  });
  io.run();
  return 0;
}
