#include "lease/etcd_lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "lease/etcd_servers.hpp"

namespace rollcall::lease {
namespace {

class EtcdLease final : public LeaseEngine, public std::enable_shared_from_this<EtcdLease> {
 public:
  EtcdLease(std::unique_ptr<EtcdServers> servers, const std::string& fleet)
      : servers_(std::move(servers)), key_(fmt::format("/rollcall/{}/leader", fleet)), name_("etcd's key " + quoted(key_, 120)) {}

  asio::awaitable<Result<LeaseRecord>> read(Call& call) override {
    const auto self = shared_from_this();
    EtcdQuestion question("/v3/kv/range", render_key_question(key_), name_);
    question.is_repeatable = true;
    const Result<std::string> answer = co_await servers_->ask(call, question);
    if (!answer) co_return answer.error();
    co_return checked(parse_key_answer(*answer, parse_limits(impl_of(call))));
  }

  asio::awaitable<Result<std::optional<LeaseRecord>>> write(Call& call, LeaseRecord seen, LeaseRecord next) override {
    using Written = std::optional<LeaseRecord>;
    const auto self = shared_from_this();
    const EtcdQuestion question("/v3/kv/txn", render_key_write(key_, seen, next), name_);
    const Result<std::string> answer = co_await servers_->ask(call, question);
    if (!answer) co_return answer.error();
    const Result<std::optional<std::string>> version = checked(parse_write_answer(*answer, parse_limits(impl_of(call))));
    if (!version) co_return version.error();
    if (!*version) co_return Written();
    next.version = **version;
    co_return Written(std::move(next));
  }

  std::string name() const override { return name_; }

 private:
  template <class T>
  Result<T> checked(Result<T> parsed) {
    if (parsed) return parsed;
    servers_->leave_server();
    Failure failure = parsed.error();
    failure.with_what(fmt::format("{}: {}", name_, failure.what()));
    return failure;
  }

  const std::unique_ptr<EtcdServers> servers_;
  const std::string key_;
  const std::string name_;
};

}  // namespace

bool is_fleet_name(std::string_view name) noexcept {
  const auto is_fine = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= 63 && std::all_of(name.begin(), name.end(), is_fine);
}

Result<std::shared_ptr<LeaseEngine>> make_etcd_lease(EtcdLeaseOptions options) {
  if (!is_fleet_name(options.fleet)) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{} is no name of a fleet: at most 63 letters, digits, '-', '_' and '.'", quoted(options.fleet, 80)));
  }
  const std::string fleet = options.fleet;
  Result<std::unique_ptr<EtcdServers>> servers = EtcdServers::make(std::move(options));
  if (!servers) return servers.error();
  return std::shared_ptr<LeaseEngine>(std::make_shared<EtcdLease>(std::move(*servers), fleet));
}

}  // namespace rollcall::lease
