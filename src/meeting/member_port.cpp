#include "meeting/member_port.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall::meeting {
namespace {

bool says(const Failure& failure, std::string_view words) { return to_lower(failure.what()).find(words) != std::string::npos; }

bool is_in_use(const Result<std::uint16_t>& listening) { return !listening && says(listening.error(), "in use"); }

}  // namespace

// A member may have some connections at a time: for its hello, for reports, and for probes.
ServerLimits member_limits(std::size_t members) {
  constexpr std::size_t strangers = 64;
  ServerLimits limits;
  limits.head_bytes = 4 * 1024;
  limits.body_bytes = 16;  // of requests that need none; the handler reads those of members
  limits.all_bodies_bytes = std::size_t{64} << 20;
  limits.head_time = std::chrono::seconds(2);
  limits.connections = 4 * members + 4 * strangers;
  limits.newcomers = members + strangers;
  limits.refuses_in_silence = true;
  limits.ends_by_reset = true;
  return limits;
}

Result<std::shared_ptr<void>> listen_for_members(Runtime::Impl& runtime, HttpServer::Handler handler, HttpServer::BodyRule bodies,
                                                 const Endpoint& at, std::size_t members) {
  const std::uint16_t port = at.port.value_or(0);
  const auto server = std::make_shared<HttpServer>(runtime.executor, std::move(handler), member_limits(members), runtime.time);
  server->leave_bodies(std::move(bodies));
  const bool is_here_alone = is_loopback_literal(at.host);
  const Result<std::uint16_t> on_v4 = server->listen(is_here_alone ? at.host : "0.0.0.0", port);
  const Result<std::uint16_t> on_v6 = is_here_alone ? on_v4 : server->listen("::", port);
  // A host may have one family alone. But a port that is free in one of two is another program's.
  if ((on_v4 || on_v6) && !is_in_use(on_v4) && !is_in_use(on_v6)) return std::shared_ptr<void>(server);
  server->stop();
  const Failure& why = on_v4 ? on_v6.error() : on_v4.error();
  if (says(why, "permission denied"))
    return Failure(Errc::failed_precondition, fmt::format("this user may not listen on port {} of this host: {}", port, why.what()))
        .with_hint("choose a port from 1024 on, or start it with the right to listen below");
  return Failure(Errc::failed_precondition, fmt::format("port {} of this host is not free: {}", port, why.what()))
      .with_hint(fmt::format("end what listens there, which `ss -ltnp 'sport = :{}'` shows", port));
}

}  // namespace rollcall::meeting
