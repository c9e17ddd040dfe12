#include "net/grpc/grpc_failure.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// gRPC wraps the cause: `failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:8470: Failed to …`.
std::string_view cause_of(std::string_view message) {
  for (const std::string_view marker : {"Failed to connect to remote host: ", "last error: "}) {
    const std::size_t at = message.rfind(marker);
    if (at != std::string_view::npos) return message.substr(at + marker.size());
  }
  return message;
}

bool is_compression_refused(RpcStatus status, std::string_view message) {
  return status == RpcStatus::unimplemented && has(message, "ompression algorithm");
}

bool is_too_long(RpcStatus status, std::string_view message) {
  return status == RpcStatus::resource_exhausted && has(message, "Received message larger than max");
}

Failure failure(const RpcRequest& request, Errc code, Phase phase, std::string what) {
  return Failure(code, request.address + ": " + std::move(what)).with_phase(phase).with_target(request.address);
}

}  // namespace

Failure compressed_answer(const RpcRequest& request) {
  return failure(request, Errc::limit_exceeded, Phase::response,
                 "the answer is compressed, which is refused: a small one may unpack to any size")
      .with_hint("no compression is asked for: switch it off in the server");
}

bool is_from_peer(RpcStatus status, std::string_view message, std::string_view details) {
  // A message that our side refuses ends the call; of a long one the peer's word on that may come as well, and takes the place in
  // `details`.
  if (is_compression_refused(status, message) || is_too_long(status, message)) return false;
  if (!has(details, "Error received from peer")) return false;
  // An HTTP/2 server that is no gRPC server: the status is gRPC's translation of the HTTP one.
  return !(status != RpcStatus::ok && has(message, "Received http2 header with status"));
}

Failure local_rpc_failure(const RpcRequest& request, RpcStatus status, std::string_view message, bool is_connected) {
  const std::string cause = printable(cause_of(message), 300);
  if (is_compression_refused(status, message)) return compressed_answer(request);
  if (is_too_long(status, message)) return failure(request, Errc::limit_exceeded, Phase::response, "the answer is too long: " + cause);
  switch (status) {
    case RpcStatus::cancelled: return failure(request, Errc::cancelled, Phase::response, "the call was cancelled");
    case RpcStatus::deadline_exceeded:
      if (is_connected)
        return failure(request, Errc::response_timeout, Phase::response, "the worker took the call and did not answer in time");
      return failure(request, Errc::connect_timeout, Phase::connect, "no answer to the attempt to connect")
          .with_hint("check that the worker is up, and that no firewall drops connections to its port");
    default: break;
  }
  if (has(message, "DNS resolution failed") || has(message, "name resolution")) {
    return failure(request, Errc::unknown_host, Phase::resolve, "the name does not resolve: " + cause);
  }
  if (has(message, "Connection refused")) {
    return failure(request, Errc::unreachable, Phase::connect, "connection refused")
        .with_hint("no runtime listens there: is it started, on this port?");
  }
  if (has(message, "Received http2 header with status") || has(message, "Failed parsing HTTP/2") || has(message, "http1.x")) {
    return failure(request, Errc::malformed_response, Phase::response, "what listens there does not speak gRPC: " + cause)
        .with_hint("check the port: TensorFlow's runtime listens on 8470 on TPU workers");
  }
  if (has(message, "Ssl handshake failed") || has(message, "SSL_ERROR") || has(message, "certificate") || has(message, "Peer name")) {
    return failure(request, Errc::tls_failed, Phase::handshake, "the TLS handshake failed: " + cause);
  }
  if (status != RpcStatus::unavailable) {
    return failure(request, Errc::malformed_response, Phase::response, fmt::format("no usable answer ({}): {}", to_string(status), cause));
  }
  if (has(message, "Socket closed") || has(message, "Connection reset") || has(message, "Broken pipe")) {
    // Also what a TLS server does with plain HTTP/2, and the reverse.
    return failure(request, Errc::unreachable, Phase::connect, "the peer closed the connection: " + cause)
        .with_hint(request.is_tls ? "does the worker speak TLS?" : "does the worker expect TLS (grpcs://)?");
  }
  return failure(request, Errc::unreachable, Phase::connect, cause);
}

}  // namespace rollcall
