// An engine whose server answers what a test says.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/base64.hpp"
#include "call/call_scope.hpp"
#include "lease/etcd_lease.hpp"
#include "lease/kubernetes_lease.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

using lease::LeaseRecord;
using MaybeRecord = std::optional<LeaseRecord>;

inline LeaseRecord lease_of(std::string holder, std::uint64_t epoch, std::string version = {}) {
  LeaseRecord record;
  record.url = holder.empty() ? "" : "https://" + holder + ":7070";
  record.holder = std::move(holder);
  record.epoch = epoch;
  record.ttl = std::chrono::seconds(15);
  record.version = std::move(version);
  return record;
}

class ScriptedEngine : public TestRuntime {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;
  explicit ScriptedEngine(std::shared_ptr<lease::LeaseEngine> made, Variables variables = {}, Variables files = {})
      : TestRuntime(std::move(variables), {}, static_token(Secret<std::string>("test-token")), std::move(files)), engine(std::move(made)) {
    transport->minds_silence = true;
  }
  Result<LeaseRecord> read() {
    auto ask = [this](Call& call) { return engine->read(call); };
    return run(run_call<LeaseRecord>(shared_impl_of(runtime), patience(), CallSubject("a test"), std::move(ask)));
  }
  Result<MaybeRecord> write(const LeaseRecord& seen, const LeaseRecord& next) {
    auto ask = [this, seen, next](Call& call) { return engine->write(call, seen, next); };
    return run(run_call<MaybeRecord>(shared_impl_of(runtime), patience(), CallSubject("a test"), std::move(ask)));
  }
  const HttpRequest& last() const { return transport->requests.back(); }
  /// The next answer takes the place of those before.
  void then(int status, std::string body = {}) {
    transport->answers.clear();
    answer(status, std::move(body));
  }

  std::shared_ptr<lease::LeaseEngine> engine;

 private:
  static CallOptions patience() { return CallOptions().timeout(std::chrono::seconds(3)); }
};

}  // namespace rollcall::testing
