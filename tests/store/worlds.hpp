// Worlds in which the same tests of a store run: whose engine is in memory, a simulated etcd, or real ones.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "store/etcd_gateway.hpp"
#include "store/etcd_store.hpp"
#include "support/etcd/memory_store.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

/// Keeps what a watch tells.
class Seen final : public store::Watcher {
 public:
  void on_revision(std::uint64_t revision) override { standing = revision; }
  void on_changes(std::uint64_t revision, std::vector<store::Change> changes) override {
    revisions.push_back(revision);
    std::string& line = lines.emplace_back();
    for (const store::Change& change : changes) {
      if (!line.empty()) line += ' ';
      line += change.is_deleted ? "-" + change.entry.key : change.entry.key + "=" + change.entry.value;
    }
  }
  std::optional<std::uint64_t> standing;
  std::vector<std::uint64_t> revisions;
  std::vector<std::string> lines;  ///< one for each revision: `a=1 -b`
};

inline CallOptions for_hours() { return CallOptions().timeout(std::chrono::hours(100)); }

/// A call of a store's, as a call of a Runtime's.
template <class T>
asio::awaitable<Result<T>> stored(Runtime runtime, std::function<asio::awaitable<Result<T>>(Call&)> script,
                                  CallOptions options = for_hours()) {
  return run_call<T>(shared_impl_of(runtime), std::move(options), CallSubject("a test"), std::move(script));
}

/// Stores of replicas over one engine in memory; time is virtual.
class MemoryWorld : public TestRuntime {
 public:
  static bool is_there() { return true; }

  template <class T>
  Result<T> run(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    return VirtualLoop::run(stored<T>(runtime, std::move(script), std::move(options)));
  }
  template <class T>
  Started<Result<T>> begin(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    return start(stored<T>(runtime, std::move(script), std::move(options)));
  }
  store::Store& store(std::size_t replica = 0) { return memory(replica); }
  sim::MemoryStore& memory(std::size_t replica = 0) {
    std::shared_ptr<sim::MemoryStore>& made = stores_[replica];
    if (!made) made = sim::make_memory_store(model);
    return *made;
  }
  void pass(Duration by) {
    const SteadyTime end = time->now() + by;
    for (poll();; poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
    }
    time->advance_to(end);
    poll();
  }
  /// Until `is_so`, at most a minute.
  bool until(const std::function<bool()>& is_so) {
    const SteadyTime end = time->now() + std::chrono::minutes(1);
    for (poll(); !is_so(); poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) return false;
      time->advance_to(*next);
    }
    return true;
  }
  void compact(std::uint64_t revision) { CHECK(model->compact(revision).has_value()); }
  std::string prefix() const { return "/t/"; }

  std::shared_ptr<sim::EtcdModel> model = std::make_shared<sim::EtcdModel>();

 private:
  std::map<std::size_t, std::shared_ptr<sim::MemoryStore>> stores_;
};

/// Real servers, those of tests/interop/fleet/etcd; time is real.
class EtcdWorld {
 public:
  static std::string variable(const std::string& name) {
    const char* const value = std::getenv(("ROLLCALL_TEST_ETCD" + name).c_str());
    return value ? value : "";
  }
  static bool is_there() { return !variable("").empty(); }

  template <class T>
  Result<T> run(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    auto begun = begin<T>(std::move(script), std::move(options));
    REQUIRE(until([&] { return begun.done(); }));
    return begun.value();
  }
  template <class T>
  VirtualLoop::Started<Result<T>> begin(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    return loop_.start(stored<T>(runtime, std::move(script), std::move(options)));
  }
  store::Store& store(std::size_t = 0) { return *store_; }
  void pass(Duration by) {
    loop_.io.restart();
    loop_.io.run_for(by);
  }
  /// Until `is_so`, at most a minute.
  bool until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_so() && std::chrono::steady_clock::now() < end) {
      loop_.io.restart();
      loop_.io.run_one_until(end);
    }
    return is_so();
  }
  void compact(std::uint64_t revision) {
    const std::string body = fmt::format(R"({{"revision":"{}"}})", revision);
    const Result<HttpResponse> done = run<HttpResponse>([this, body](Call& call) { return gateway(call, "/v3/kv/compaction", body); });
    CHECK(value_of(done).status == 200);
  }
  std::string prefix() const { return prefix_; }

 private:
  static store::EtcdStoreOptions options() {
    store::EtcdStoreOptions options;
    const std::string urls = variable("");
    for (std::size_t at = 0; at < urls.size();) {
      const std::size_t end = std::min(urls.find(',', at), urls.size());
      options.endpoints.push_back(urls.substr(at, end - at));
      at = end + 1;
    }
    options.authorities_file = variable("_CA");
    options.certificate_file = variable("_CERTIFICATE");
    options.key_file = variable("_KEY");
    options.user = variable("_USER");
    options.password_file = variable("_PASSWORD_FILE");
    return options;
  }
  // Past the store, which has no such question.
  asio::awaitable<Result<HttpResponse>> gateway(Call& call, std::string path, std::string body) {
    const std::shared_ptr<store::EtcdGateway> asked = value_of(store::EtcdGateway::make(options()));
    Result<std::string> answer = co_await asked->ask(call, store::EtcdQuestion(path, std::move(body), "a test"));
    if (!answer) co_return answer.error();
    HttpResponse response;
    response.status = 200;
    co_return response;
  }

  VirtualLoop loop_;

 public:
  Runtime runtime = Runtime(loop_.io.get_executor());

 private:
  std::shared_ptr<store::Store> store_ = value_of(store::make_etcd_store(options()));
  std::string prefix_ = fmt::format("/rollcall-test/{}/", std::chrono::system_clock::now().time_since_epoch().count());
};

}  // namespace rollcall::testing
