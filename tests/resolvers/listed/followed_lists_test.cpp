// Followed files and names: temporary failures are survived, permanent ones end the follower; in virtual time.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>

#include "rollcall/dns.hpp"
#include "rollcall/dns_resolver.hpp"
#include "rollcall/file_resolver.hpp"
#include "rollcall/watch.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// One host, a failure from 1 s to 10 s, and another host from 60 s on.
class TroubledList final : public Files, public DnsTransport {
 public:
  TroubledList(std::shared_ptr<FakeTime> of, Result<std::string> wrong) : time_(std::move(of)), wrong_(std::move(wrong)) {}

  Result<std::string> read(const std::string&, std::size_t) const override {
    if (is_due()) return wrong_;
    return std::string(R"({"worker":["10.0.0.1:1")") + (age() < 60s ? "" : R"(,"10.0.0.2:1")") + "]}";
  }
  asio::awaitable<Result<std::vector<DnsEntry>>> query(std::string, DnsType, std::size_t) override {
    if (is_due()) co_return wrong_.error();
    std::vector<DnsEntry> entries(age() < 60s ? 1 : 2);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].host = fmt::format("10.0.0.{}", i + 1);
    co_return entries;
  }
  mutable bool was_met = false;

 private:
  Duration age() const { return time_->now().time_since_epoch(); }
  bool is_due() const {
    const bool is_due = age() >= 1s && age() < 10s;
    was_met = was_met || is_due;
    return is_due;
  }
  std::shared_ptr<FakeTime> time_;
  Result<std::string> wrong_;
};

class FollowedList : public VirtualLoop {
 public:
  explicit FollowedList(Result<std::string> wrong) : list(std::make_shared<TroubledList>(time, std::move(wrong))) {
    RuntimeOptions options;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment({});
    options.files = list;
    options.dns = list;
    runtime.emplace(io.get_executor(), std::move(options));
  }
  // The report of the first change from 60 s on; "END …" before that.
  std::string reported(const std::shared_ptr<ClusterResolver>& resolver) {
    const std::shared_ptr<ClusterWatch> following = watch(resolver, WatchOptions().machine_notices(false));
    for (int i = 0; i < 100; ++i) {
      const Result<ClusterChange> change = run(following->try_next());
      if (!change) return "END " + std::string(to_string(change.error().code()));
      if (seconds() >= 60) return std::string(to_string(change->kind));
    }
    return "more changes than there are";
  }
  std::string warnings_of_file() { return reported(make_file_resolver(*runtime, FileOptions("/hosts"))); }
  std::string warnings_of_names() { return reported(make_dns_resolver(*runtime, DnsOptions({Endpoint("svc", 8470)}))); }

  std::shared_ptr<TroubledList> list;
  std::optional<Runtime> runtime;
};

}  // namespace

TEST_CASE("a followed file may be incomplete, empty or absent for a while, but not unreadable") {
  const Result<std::string> passing[] = {std::string(), std::string(R"({"worker":["10.0)"), std::string("\n"),
                                         Failure(Errc::not_found, "no such file")};
  for (const Result<std::string>& wrong : passing) {
    FollowedList t(wrong);
    CHECK(t.warnings_of_file() == "member_joined");
    CHECK(t.list->was_met);
  }
  CHECK(FollowedList(Failure(Errc::permission_denied, "it may not be read")).warnings_of_file() == "END permission_denied");
}

TEST_CASE("followed names may be missing for a while, and so may their servers") {
  for (const Errc code : {Errc::unknown_host, Errc::resolve_timeout, Errc::unavailable, Errc::unreachable, Errc::malformed_response}) {
    CAPTURE(to_string(code));
    FollowedList t(Failure(code, "the name server"));
    CHECK(t.warnings_of_names() == "member_joined");
    CHECK(t.list->was_met);
  }
  CHECK(FollowedList(Failure(Errc::refused_by_policy, "not allowed")).warnings_of_names() == "END refused_by_policy");
}
