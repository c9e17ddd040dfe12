// The simulated cloud behind an HttpTransport and an RpcTransport: no sockets, any clock. For tests in virtual time.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/http.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/tcp_probe.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

/// An HttpTransport that is connected to a Cloud. Delays use the time source; faults become the failures that a network transport reports
/// for them. Deadlines, response time-outs, size limits and cancellation are implemented.
class MemoryTransport : public HttpTransport {
 public:
  /// One request as it was sent.
  class Sent {
   public:
    Sent() {}
    SteadyTime at{};
    std::string method;
    std::string url;          ///< with the query
    HeaderList headers;
    std::string body;
    bool has_bearer = false;
  };

  /// The `number`-th call from now on (from 1) ends with `failure` instead of reaching the cloud.
  virtual void fail_call(std::uint64_t number, Failure failure) = 0;
  /// Calls of send() and open() so far.
  virtual std::uint64_t calls() const = 0;
  /// Exchanges and streams that have not ended.
  virtual std::size_t in_flight() const = 0;
  /// Every request since the start, in order, when recording is on.
  virtual const std::vector<Sent>& sent() const = 0;
  virtual void record(bool on) = 0;
};

/// `executor` must be serial; every call is made on it.
std::shared_ptr<MemoryTransport> make_memory_transport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time,
                                                       asio::any_io_executor executor);

/// The same for gRPC: an RpcTransport that is connected to the cloud's workers.
class MemoryRpcTransport : public RpcTransport {
 public:
  /// The `number`-th call from now on (from 1) ends with `failure` instead of reaching the cloud.
  virtual void fail_call(std::uint64_t number, Failure failure) = 0;
  /// Calls so far, refused ones included.
  virtual std::uint64_t calls() const = 0;
  /// Calls that have not ended.
  virtual std::size_t in_flight() const = 0;
};

/// `executor` must be serial; every call is made on it.
std::shared_ptr<MemoryRpcTransport> make_memory_rpc_transport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time,
                                                              asio::any_io_executor executor);

/// The same for ports: those of running workers accept connections, all others refuse them.
std::shared_ptr<TcpProbe> make_memory_tcp_probe(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time);

}  // namespace rollcall::sim
