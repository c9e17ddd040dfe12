#include <fmt/format.h>

#include <algorithm>
#include <asio/ip/address.hpp>

#include "async/group.hpp"
#include "base/ip.hpp"
#include "base/order.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/dns.hpp"
#include "rollcall/dns_resolver.hpp"

namespace rollcall {
namespace {

using DnsEntries = std::vector<DnsEntry>;

constexpr std::size_t max_dns_names = 64;
constexpr auto dns_pause = std::chrono::seconds(1);

bool goes_before(const DnsEntry& a, const DnsEntry& b) {
  std::error_code ignored;
  const asio::ip::address left = asio::ip::make_address(a.host, ignored);
  const asio::ip::address right = asio::ip::make_address(b.host, ignored);
  return left < right;
}

bool is_preferred(const DnsEntry& a, const DnsEntry& b) {
  if (a.priority != b.priority) return a.priority < b.priority;
  if (const auto order = natural_order(a.host, b.host); order != 0) return order < 0;
  return a.port < b.port;
}

// Entries that need no name server: for an address, which has one family, and for localhost, which has one of each.
std::optional<Result<DnsEntries>> known_entries(const std::string& name, DnsFamily family) {
  const bool is_local = is_localhost(name);
  const bool has_v4 = is_local || is_ipv4_literal(name);
  const bool has_v6 = is_local || is_ipv6_literal(name, true);
  if (!has_v4 && !has_v6) return std::nullopt;
  DnsEntries entries;
  const auto add = [&](const char* loopback) {
    DnsEntry& entry = entries.emplace_back();
    entry.host = is_local ? loopback : name;
    entry.ttl = std::chrono::seconds::max();
  };
  if (has_v4 && family != DnsFamily::v6) add("127.0.0.1");
  if (has_v6 && family != DnsFamily::v4 && (family != DnsFamily::one || !has_v4)) add("::1");
  if (!entries.empty()) return entries;
  return Failure(Errc::invalid_argument, fmt::format("{} is no {} address", quoted(name), has_v4 ? "IPv6" : "IPv4"))
      .with_hint("family=both takes addresses of either family");
}

class DnsJob final : public DnsResolver {
 public:
  DnsJob(Runtime runtime_handle, DnsOptions options) : DnsResolver(std::move(runtime_handle)), options_(std::move(options)) {
    task_type_ = options_.task_type();
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override {
    std::string text = "dns:";
    for (const Endpoint& name : options_.names()) text += (text.size() == 4 ? "" : ",") + printable(name.to_text());
    return text.size() > 100 ? fmt::format("dns: of {} names", options_.names().size()) : text;
  }

  std::optional<std::chrono::seconds> ttl() const override { return ttl_; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<std::vector<DnsEntries>> answers = co_await ask_all(call, options_.wait());
    if (!answers) co_return answers.error();
    co_return cluster_of(*answers);
  }

  // A follower gets missing names as trouble at once. A question that waits would not report them.
  bool supports_watch() const override { return options_.wait(); }

  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    while (options_.wait()) {
      const Result<std::vector<DnsEntries>> answers = co_await ask_all(call, false);
      if (!is_missing(answers)) break;
      observer.report_trouble(answers.error());
      const Result<void> slept = co_await pause(call);
      if (!slept) co_return slept.error();
    }
    co_return co_await DnsResolver::do_follow(call, observer);
  }

 private:
  bool wants_services(std::string_view name) const { return options_.srv().value_or(name.starts_with('_')); }
  std::size_t max_records() const { return impl_of(runtime()).limits.max_endpoints; }

  template <class T>
  static bool is_missing(const Result<T>& answer) {
    return !answer && answer.error().code() == Errc::unknown_host;
  }

  asio::awaitable<Result<void>> pause(Call& call) { return call.sleep_until(saturating_sum(impl_of(runtime()).time->now(), dns_pause)); }

  asio::awaitable<Result<std::vector<DnsEntries>>> ask_all(Call& call, bool waits) {
    const std::size_t count = options_.names().size();
    if (count == 0 || count > max_dns_names)
      co_return Failure(Errc::invalid_argument, fmt::format("dns: {} names, not 1 to {}", count, max_dns_names));
    std::vector<asio::awaitable<Result<DnsEntries>>> questions;
    for (const Endpoint& name : options_.names()) questions.push_back(waits ? ask_until_there(call, name.host) : ask(name.host));
    co_return co_await join(std::move(questions));
  }

  asio::awaitable<Result<DnsEntries>> ask_until_there(Call& call, std::string name) {
    for (;;) {
      Result<DnsEntries> entries = co_await ask(name);
      if (!is_missing(entries)) co_return entries;
      state_of(call).last_trouble = entries.error().what();
      const Result<void> slept = co_await pause(call);
      if (!slept) co_return slept.error();
    }
  }

  asio::awaitable<Result<DnsEntries>> ask(std::string name) {
    if (wants_services(name)) {
      Result<DnsEntries> services = co_await query(name, DnsType::srv);
      if (!services) co_return services;
      // A single service on the host "." means that there is no service (RFC 2782).
      std::erase_if(*services, [](const DnsEntry& entry) { return entry.host.empty() || entry.host == "."; });
      for (const DnsEntry& entry : *services) {
        if (entry.port == 0) co_return without_port(name, entry.host);
      }
      std::sort(services->begin(), services->end(), is_preferred);
      if (services->empty()) co_return nothing_there(name, "has no SRV record");
      co_return services;
    }
    if (std::optional<Result<DnsEntries>> known = known_entries(name, options_.family())) co_return *std::move(known);
    DnsEntries all;
    if (options_.family() != DnsFamily::v6) {
      Result<DnsEntries> v4 = co_await query(name, DnsType::a);
      if (!v4) co_return v4;
      all = *std::move(v4);
    }
    const bool is_enough = options_.family() == DnsFamily::v4 || (options_.family() == DnsFamily::one && !all.empty());
    if (!is_enough) {
      const Result<DnsEntries> v6 = co_await query(name, DnsType::aaaa);
      if (!v6) co_return v6;
      all.insert(all.end(), v6->begin(), v6->end());
    }
    std::sort(all.begin(), all.end(), goes_before);
    if (all.empty()) co_return nothing_there(name, "has no address");
    co_return all;
  }

  asio::awaitable<Result<DnsEntries>> query(std::string name, DnsType type) {
    Runtime::Impl& impl = impl_of(runtime());
    const HostPermit permit = co_await impl.dns_limiter().acquire();
    if (!permit) co_return Failure(Errc::cancelled, "cancelled");
    co_return co_await impl.dns->query(std::move(name), type, max_records());
  }

  static Failure nothing_there(const std::string& name, std::string_view what) {
    return Failure(Errc::unknown_host, fmt::format("{} {}", quoted(name), what))
        .with_phase(Phase::resolve)
        .with_hint("wait=true waits for it; a headless service lists only pods that are ready");
  }

  static Failure without_port(const std::string& name, const std::string& host) {
    return Failure(Errc::malformed_response, fmt::format("{}: the SRV record of {} has no port", quoted(name), quoted(host)))
        .with_phase(Phase::resolve)
        .with_hint("give the record a port, or ask for the addresses of the plain name, with port=N");
  }

  Result<ClusterSpec> cluster_of(const std::vector<DnsEntries>& answers) {
    std::vector<std::string> addresses;
    std::chrono::seconds shortest = std::chrono::seconds::max();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Endpoint& name = options_.names()[i];
      for (const DnsEntry& entry : answers[i]) {
        const std::uint16_t port = wants_services(name.host) ? entry.port : name.port.value_or(options_.port());
        addresses.push_back(Endpoint(entry.host, port).to_text());
        shortest = std::min(shortest, entry.ttl);
      }
    }
    if (addresses.size() > max_records())
      return Failure(Errc::limit_exceeded, fmt::format("dns: {} addresses, more than {}", addresses.size(), max_records()));
    ttl_ = shortest == std::chrono::seconds::max() ? std::nullopt : std::optional<std::chrono::seconds>(shortest);
    ClusterSpec spec;
    spec.set_job(options_.job(), std::move(addresses));
    return spec;
  }

  DnsOptions options_;
  std::optional<std::chrono::seconds> ttl_;
};

}  // namespace

std::shared_ptr<DnsResolver> make_dns_resolver(Runtime runtime, DnsOptions options) {
  return std::make_shared<DnsJob>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
