// A store in etcd whose servers answer what a test says.
#pragma once

#include <catch2/catch.hpp>

#include "base/base64.hpp"
#include "store/worlds.hpp"

namespace rollcall::testing {

using EtcdStoreOptions = store::EtcdStoreOptions;
using EtcdAnswer = ScriptedTransport::Answer;

inline std::string etcd_header_at(std::uint64_t revision) {
  return fmt::format(R"("header":{{"cluster_id":"7","member_id":"1","revision":"{}","raft_term":"2"}})", revision);
}
inline const std::string etcd_header = etcd_header_at(5);

inline std::string etcd_key(std::string_view key, int modified, std::string_view value = "v") {
  return fmt::format(R"({{"key":"{}","create_revision":"2","mod_revision":"{}","version":"1","value":"{}"}})", base64_encode(key), modified,
                     base64_encode(value));
}

inline std::string etcd_refusal(int code, std::string_view message) {
  return fmt::format(R"({{"error":"{0}","message":"{0}","code":{1}}})", message, code);
}

inline EtcdStoreOptions three_servers() {
  EtcdStoreOptions options;
  options.endpoints = {"http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"};
  return options;
}

inline EtcdStoreOptions server_with_user() {
  EtcdStoreOptions options;
  options.endpoints = {"https://a:1"};
  options.user = "rollcall";
  options.password_file = "/pw";
  return options;
}

class ScriptedEtcd : public TestRuntime {
 public:
  explicit ScriptedEtcd(EtcdStoreOptions options = three_servers())
      : TestRuntime({}, {}, static_token(Secret<std::string>("test-token")), {{"/pw", "secret-password\n"}, {"/empty", ""}}),
        store(value_of(store::make_etcd_store(std::move(options)))) {
    transport->minds_silence = true;
  }
  template <class T>
  Result<T> run(std::function<asio::awaitable<Result<T>>(Call&)> script, Duration patience = std::chrono::seconds(1)) {
    return VirtualLoop::run(stored<T>(runtime, std::move(script), CallOptions().timeout(patience)));
  }
  Result<store::Listing> list() {
    return run<store::Listing>([this](Call& call) { return store->list(call, "/t/"); });
  }
  Result<store::Outcome> put(std::string value = "v") {
    store::Transaction transaction;
    transaction.compares.push_back(store::Compare::is_absent("/t/a"));
    transaction.writes.push_back(store::Write::put("/t/a", std::move(value)));
    return run<store::Outcome>([this, transaction](Call& call) { return store->commit(call, transaction); });
  }
  Result<store::Lease> grant() {
    return run<store::Lease>([this](Call& call) { return store->grant(call, std::chrono::seconds(10)); });
  }
  Result<store::Lease> keep_alive() {
    return run<store::Lease>([this](Call& call) { return store->keep_alive(call, 77); });
  }
  Result<store::WatchEnd> watch(Seen& seen, std::uint64_t revision = 1) {
    return run<store::WatchEnd>([this, &seen, revision](Call& call) { return store->watch(call, "/t/", revision, seen); });
  }
  /// The ports that were asked, in order.
  std::string asked() const {
    std::string text;
    for (const HttpRequest& request : transport->requests) text += fmt::format("{}", request.url.port);
    return text;
  }
  static EtcdAnswer nobody() { return Result<HttpResponse>(Failure(Errc::unreachable, "refused").with_phase(Phase::connect)); }
  static EtcdAnswer reply(int status, std::string body) { return Result<HttpResponse>(ScriptedTransport::reply(status, std::move(body))); }
  static EtcdAnswer late(Duration by) {
    EtcdAnswer answer = reply(200, fmt::format("{{{}}}", etcd_header));
    answer.after = by;
    return answer;
  }

  std::shared_ptr<store::Store> store;
};

}  // namespace rollcall::testing
