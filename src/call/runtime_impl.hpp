// The implementation of a Runtime.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <random>
#include <set>
#include <string>
#include <unordered_map>

#include "async/loop_life.hpp"
#include "async/timer_queue.hpp"
#include "call/host_limiter.hpp"
#include "json/memory_share.hpp"
#include "rollcall/call.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// A call, or a shared refresh, that close() ends.
class OpenOperation : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual void abandon() = 0;

 protected:
  ~OpenOperation() = default;
};

class FoundPlaces;
class KubernetesIdentities;
class MetadataCache;
class RemoteServers;
class SlurmSources;
class TokenTable;
class ZonesLookups;

class Runtime::Impl : public std::enable_shared_from_this<Runtime::Impl> {
 public:
  /// `options` complete: no default is filled in here (see net/system/runtime.cpp). `account` is that of Limits::max_memory_bytes.
  Impl(asio::any_io_executor serial, RuntimeOptions options, std::shared_ptr<TimerQueue> timer_queue,
       std::shared_ptr<MemoryAccount> account);
  ~Impl();

  /// For shared pointers: destroys on the executor while it runs handlers, since the object may be in use there; else at once.
  static void destroy(Impl* impl) noexcept;

  asio::any_io_executor executor;
  LoopLife loop;
  std::shared_ptr<TimeSource> time;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<HttpTransport> http;
  std::shared_ptr<RpcTransport> rpc;
  std::shared_ptr<DnsTransport> dns;
  std::shared_ptr<TcpProbe> tcp;
  std::shared_ptr<const Environment> environment;
  std::shared_ptr<const Files> files;
  std::shared_ptr<ProgramRunner> programs;
  bool has_terminal;  ///< see RuntimeOptions
  ProxySettings proxy;  ///< from NetworkOptions and the environment
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<LogSink> log;
  Limits limits;
  std::shared_ptr<MemoryAccount> memory;  ///< of Limits::max_memory_bytes
  boost::intrusive::list<OpenOperation, boost::intrusive::constant_time_size<false>> open_operations;
  std::shared_ptr<MetadataCache> metadata_cache;  ///< created at first use; see metadata_client.hpp
  std::shared_ptr<FoundPlaces> found_places;      ///< created at first use; see cloud_place.cpp
  std::shared_ptr<KubernetesIdentities> kubernetes_identities;  ///< created at first use; see kubernetes_server.cpp
  std::shared_ptr<ZonesLookups> zones_lookups;    ///< created at first use; see tpu_api.cpp
  std::shared_ptr<SlurmSources> slurm_sources;    ///< created at first use; see slurm_table.cpp
  std::optional<ServerOptions> server;            ///< see RuntimeOptions
  std::shared_ptr<RemoteServers> remote_servers;  ///< created at first use; see remote_servers.cpp
  std::shared_ptr<const TokenTable> token_table;  ///< of the token that was sent last; see api_client.cpp
  std::set<std::string, std::less<>> warned_of;  ///< subjects of warn_once() so far
  bool is_closed = false;

  HostLimiter& host(const Url& url);
  /// Permits for gRPC calls, to all hosts together: each call has a connection, and each connection a descriptor.
  HostLimiter& rpc_limiter() { return *rpc_limiter_; }
  /// Permits for queries to the name servers, which count as one host.
  HostLimiter& dns_limiter() { return *dns_limiter_; }
  /// Uniform in [0, 1).
  double uniform();
  /// 32 random bits, for names that differ between processes.
  std::uint32_t random_bits() { return static_cast<std::uint32_t>(uniform() * 4294967296.0); }
  std::uint64_t next_call_id() { return ++last_call_id_; }  // from any thread
  std::uint64_t next_exchange_id() { return ++last_exchange_id_; }
  bool logs_requests() const noexcept { return log && log->wants_requests(); }
  void emit(Event event) const {
    if (!log) return;
    event.at = time->now();
    log->on_event(event);
  }
  /// Logs a security_warning, unless one about `about` (a path, an origin) was logged before.
  void warn_once(std::uint64_t call, std::string_view about, std::string_view warning);
  void close();

 private:
  struct HostKey {
    std::string host;
    std::uint16_t port;
    bool operator==(const HostKey&) const = default;
  };
  struct HostView {
    std::string_view host;
    std::uint16_t port;
  };
  struct HostHash {
    using is_transparent = void;
    std::size_t operator()(const HostView& k) const { return std::hash<std::string_view>()(k.host) ^ k.port; }
    std::size_t operator()(const HostKey& k) const { return (*this)(HostView{k.host, k.port}); }
  };
  struct HostEqual {
    using is_transparent = void;
    static bool same(std::string_view a, std::uint16_t ap, std::string_view b, std::uint16_t bp) { return ap == bp && a == b; }
    bool operator()(const HostKey& a, const HostKey& b) const { return same(a.host, a.port, b.host, b.port); }
    bool operator()(const HostView& a, const HostKey& b) const { return same(a.host, a.port, b.host, b.port); }
    bool operator()(const HostKey& a, const HostView& b) const { return same(a.host, a.port, b.host, b.port); }
  };
  std::unordered_map<HostKey, std::shared_ptr<HostLimiter>, HostHash, HostEqual> hosts_;
  std::shared_ptr<HostLimiter> rpc_limiter_;
  std::shared_ptr<HostLimiter> dns_limiter_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::mt19937_64> random_;  // seeded at first use
  std::atomic<std::uint64_t> last_call_id_ = 0;
  std::uint64_t last_exchange_id_ = 0;
};

// Access to the implementation behind the handles that users hold.
inline Runtime::Impl& impl_of(const Runtime& runtime) noexcept { return *runtime.impl_; }
inline const std::shared_ptr<Runtime::Impl>& shared_impl_of(const Runtime& runtime) noexcept { return runtime.impl_; }
inline Runtime::Impl& impl_of(const Call& call) noexcept { return *call.runtime_; }
inline CallState& state_of(Call& call) noexcept { return call.state_; }

}  // namespace rollcall
