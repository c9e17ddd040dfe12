// A simulated cloud as a pure function: a request and the time in, an answer out. No sockets, no clock, no randomness. A server connects it
// to clients: make_memory_transport() or SimServer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/time.hpp"

namespace rollcall::sim {

struct MembersModel;

/// State of a request that is being held back (wait_for_change), or of an answer that continues (a watch). Opaque: taken from a Reply,
/// passed in the next Request.
class Held {
 public:
  Held() {}
  SteadyTime since{};  ///< time of the first call
  SteadyTime ask_again{};  ///< nothing changes before that by itself
  std::string etag;  ///< the state that the client is assumed to know
  bool is_streaming = false;  ///< the answer has begun
  std::uint64_t version = 0;  ///< the last version that was sent
  std::uint64_t first_version = 0;  ///< the version that it started from
  SteadyTime last{};  ///< time of the last message
  SteadyTime until{};  ///< when the answer ends
};

/// One request as the cloud sees it.
class Request {
 public:
  Request() {}
  std::string method = "GET";
  bool is_https = false;
  std::string host;  ///< Host header, with the port if any
  std::string target = "/";  ///< path and query, percent-encoded
  HeaderList headers;
  std::string body;
  std::optional<Held> held;  ///< set when the same request is repeated
};

/// How an answer is corrupted on its way. The servers implement it.
enum class FaultKind {
  none,
  refuse,  ///< no connection
  reset,  ///< the connection breaks before the answer
  stall,  ///< `bytes` of the body (none: not even a header), then silence
  trickle,  ///< `bytes` per `interval`
  truncate,  ///< the connection ends after `bytes` of the body
  wrong_length,  ///< Content-Length says `bytes` instead of the body's size
  corrupt,  ///< some bytes of the body are wrong
  endless_body,  ///< the body never ends
  endless_header,  ///< the header never ends
  endless_chunk_extension,  ///< the extension of the first chunk never ends
};
std::string_view to_string(FaultKind kind) noexcept;

/// A fault of the transport of an answer.
class Fault {
 public:
  Fault() {}
  FaultKind kind = FaultKind::none;
  std::optional<std::size_t> bytes;
  Duration interval = std::chrono::seconds(1);
};

/// An answer of the cloud over HTTP, and how it is delivered.
class Reply {
 public:
  Reply() {}
  int status = 200;
  HeaderList headers;
  std::string body;
  Duration delay{0};  ///< time before the answer starts
  std::optional<Held> hold;  ///< no answer yet: call again at hold->ask_again or when the cloud changes, with `held` set
  Fault fault;
  bool is_gzip = false;  ///< deliver with Content-Encoding: gzip
  bool is_chunked = false;  ///< deliver with Transfer-Encoding: chunked
  std::vector<std::size_t> chunks;  ///< the sizes of the body's chunks; empty: chosen by the server
  /// The answer continues after this body: deliver it, and call again as with `hold`. Of the replies that follow only body, chunks, more
  /// and fault are used; `truncate` ends the answer without its end marker.
  std::optional<Held> more;
};

/// A gRPC call that is being held back, by a delay or because a worker is missing. Opaque, as Held.
class RpcHeld {
 public:
  RpcHeld() {}
  SteadyTime ask_again{};  ///< nothing changes before that by itself; max(): never
  SteadyTime ready_at{};  ///< delays end then
  Duration running_since{0};  ///< the incarnation of the worker that took the call
  bool is_stalled = false;
  std::optional<RpcAnswer> scripted;  ///< instead of the worker's own
};

/// Whether a gRPC call gets through. The servers implement it.
enum class RpcEnd {
  answer,  ///< status and message are the answer
  refuse,  ///< nothing listens
  unknown_host,  ///< the file has no such name
  reset,  ///< the worker was stopped while it held the call
};

/// An answer of the cloud over gRPC.
class RpcReply {
 public:
  RpcReply() {}
  explicit RpcReply(RpcEnd how) : end(how) {}
  explicit RpcReply(RpcAnswer what) : answer(std::move(what)) {}
  RpcEnd end = RpcEnd::answer;
  RpcAnswer answer;
  std::optional<RpcHeld> hold;  ///< no answer yet: call again at hold->ask_again or when the cloud changes
};

/// The cloud: a metadata server with its token endpoint, the Cloud TPU API v1, v2 and v2alpha1, the Compute Engine API v1, the sign-in
/// services (OAuth, STS, IAM credentials), the nodes' TensorFlow workers, a Kubernetes API, and slurmrestd, as described by a simulation
/// file (docs/simulation.md). Not thread-safe.
class Cloud {
 public:
  /// Reads a simulation file's text; `file_name` is for messages. Errors: invalid_argument with file, line, column and JSON
  /// path: `cloud.json:12:18: nodes[3].timeline[0].state: unknown state 'REDY', did you mean 'READY'?`
  static Result<std::shared_ptr<Cloud>> parse(std::string_view text, std::string_view file_name = "simulation");

  ~Cloud();
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;

  /// Time zero of every timeline, and the date at that time: the sign-in services use it for the dates that they write and check; not
  /// given, the file's start_time. Only the first call has an effect; without one, handle() sets it.
  void start(SteadyTime now, std::optional<WallTime> date = std::nullopt);

  /// The answer to `request` at `now`. It also depends on earlier requests (counts, issued tokens, used-up faults) and set_metadata().
  Reply handle(const Request& request, SteadyTime now);

  /// The same for a worker's gRPC services. `held` is taken from an earlier reply to this call. Refused calls are not counted.
  RpcReply handle_rpc(const RpcRequest& request, SteadyTime now, const std::optional<RpcHeld>& held = std::nullopt);
  /// Addresses, with port, of all workers that run at some time.
  std::vector<Endpoint> worker_addresses() const;
  /// Where the slurmd of the Slurm nodes take connections.
  std::vector<Endpoint> slurmd_addresses() const;
  /// True if a worker, or the slurmd of a Slurm node, listens at `address`.
  bool is_worker_running(const Endpoint& address, SteadyTime now) const;
  /// The next start or stop of a worker or a slurmd; max(): never.
  SteadyTime next_worker_change(SteadyTime now) const;
  /// Sessions that masters created and that were not closed. Those of a stopped worker end at the next request to it.
  std::size_t open_sessions() const noexcept;

  /// Requests answered so far by route: `nodes.get`, `token`, `rpc MasterService/ListDevices`, …
  const std::map<std::string, std::uint64_t, std::less<>>& counts() const noexcept;
  std::uint64_t total() const noexcept;

  /// Replaces a metadata value (path below /computeMetadata/v1/, such as `instance/preempted`), or removes it (nullopt); its timeline ends.
  /// Waiting requests are answered.
  void set_metadata(std::string_view path, std::optional<std::string> value);

  /// Increases with every change that no timeline contains.
  std::uint64_t version() const noexcept;
  /// `changed` is called from within set_metadata(), and handle_rpc() when a script's `times` are used up, until the returned object is
  /// destroyed. It may destroy the object.
  std::shared_ptr<void> subscribe(std::function<void()> changed);

  /// A kubeconfig for the file's Kubernetes cluster at `server` ("https://127.0.0.1:6443"), whose certificate is signed by `ca_pem`: a
  /// context for each user, the first one's is current. Empty: the file has no cluster.
  std::string kubeconfig(std::string_view server, std::string_view ca_pem) const;

  /// A token for the file's Slurm cluster, as `scontrol token` makes it at `now`. Empty: the file has no such cluster.
  std::string slurm_token(WallTime now) const;

  /// The members of a preflight that the file describes, for SimServer; null: none.
  std::shared_ptr<const MembersModel> members() const;

  /// The targets that the file was recorded of; empty: it was written by hand.
  std::vector<std::string> recorded_targets() const;

  /// The project of the file, for clients' environments.
  const std::string& project() const noexcept;

 private:
  class Impl;
  explicit Cloud(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall::sim
