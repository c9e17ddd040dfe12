// Who asks, and whether it may: before anything else is done for a request, and as long as its answer goes on.
#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/wire/event_stream.hpp"
#include "fleet/wire/served_target.hpp"

namespace rollcall::fleet {
namespace {

// This machine is not counted by its address: all of its programs have that one.
std::string counted_address(const std::string& address) { return is_loopback_literal(address) ? std::string() : network_of(address); }

// The zero byte is in no identity.
std::string joined_key(const std::string& identity, const std::string& address) { return identity + '\0' + network_of(address); }

Refusal unproven(Failure failure) {
  if (failure.code() == Errc::unauthenticated) return Refusal(401, std::move(failure));
  return Refusal(is_transient(failure.code()) ? 503 : 401, std::move(failure));
}

Refusal too_often(const FleetBounds& bounds) {
  return Refusal(429, Failure(Errc::rate_limited,
                              fmt::format("more than {} requests a second, and {} at once", bounds.requests_a_second, bounds.burst))
                          .with_hint("follow a stream instead of asking often"));
}

}  // namespace

asio::awaitable<ClientPtr> FleetRequests::admit(ServerExchange& exchange) {
  std::optional<Refusal> refusal;
  ClientPtr client = co_await identify(exchange.request(), refusal);
  if (refusal) {
    co_await refuse(exchange, std::move(*refusal));
    co_return nullptr;
  }
  co_return client;
}

asio::awaitable<ClientPtr> FleetRequests::identify(const ServerRequest& request, std::optional<Refusal>& refusal) {
  const auto client = std::make_shared<Client>();
  client->proofs = proofs_;
  const std::string address = counted_address(request.peer);
  // Guesses are counted where they come from, and hold up what has to be asked about; but neither who is known already nor a token that the
  // keys at hand have signed: many share an address.
  const std::string failures = joined_key("?", request.peer);
  std::optional<Identity> known = options_.access ? options_.access->recognize(request) : Identity();
  const bool is_held_up = !known && !address.empty() && !peers_.may_request(failures, now());
  if (is_held_up && !options_.access->is_signed(request)) {
    refusal = too_often(options_.bounds);
  } else {
    Result<Identity> identity = Identity();
    if (known) {
      identity = std::move(*known);
    } else {
      identity = co_await options_.access->identify(request);
    }
    count_identification(request, identity);
    if (!identity) {
      refusal = unproven(identity.error());
    } else {
      client->identity = std::move(*identity);
      client->until = end_of_proof(client->identity);
      if (client->until && *client->until <= now()) {
        refusal = unproven(Failure(Errc::unauthenticated, "what proves who you are is out of its time").with_hint("send a newer one"));
      }
    }
    // Whatever came of it: a token of a key that nobody knows yet costs as much as a forged one.
    if (refusal && !address.empty()) static_cast<void>(peers_.take_request(failures, now()));
  }
  if (!refusal) {
    const std::string& who = client->identity.text;
    client->namer = who.empty() ? address : who;
    client->client = who.empty() ? address : joined_key(who, request.peer);
    if (!client->client.empty() && !peers_.take_request(client->client, now())) refusal = too_often(options_.bounds);
  }
  co_return client;
}

std::optional<Refusal> FleetRequests::acquire_slot(const ClientPtr& client, StreamSlotPtr& slot) {
  if (waiting_ >= options_.bounds.followers) {
    return Refusal(503, Failure(Errc::limit_exceeded, fmt::format("{} clients wait here, which is as many as may", waiting_))
                            .with_hint("ask another server, or later"));
  }
  if (!client->client.empty() && !peers_.enter(client->client)) {
    return Refusal(429, Failure(Errc::rate_limited, fmt::format("{} answers are waited for by this client, which is as many as may",
                                                                options_.bounds.streams_a_client))
                            .with_hint("let one of them end before the next question"));
  }
  slot = std::make_unique<StreamSlot>(shared_from_this(), client);
  return std::nullopt;
}

// The proof is dated by the world's clock, and ends by the one that nobody sets.
std::optional<SteadyTime> FleetRequests::end_of_proof(const Identity& identity) const {
  if (!identity.expires) return std::nullopt;
  const Duration left = saturating_difference(*identity.expires, runtime_->time->wall_now());
  return saturating_sum(now(), saturating_sum(left, clock_grace));
}

bool FleetRequests::may_see(const Client& client, const Target& target) const {
  if (!options_.access) return true;
  return options_.access->is_allowed(target) && options_.access->may_read(client.identity, target);
}

bool FleetRequests::may_see_sources(const Client& client) const {
  return !options_.access || options_.access->may_read_metrics(client.identity);
}

void FleetRequests::require_reauthentication() {
  ++proofs_;
  for (const auto& [key, group] : groups_) group->wake_all();
}

// The same words whether the target is there or not, and whoever could read it.
Refusal FleetRequests::hidden(const Client& client, const std::string& target) const {
  const std::string& who = client.identity.text;
  std::string what = who.empty() ? fmt::format("this service does not tell of {}", quoted(target, 200))
                                 : fmt::format("{} may not read {}, or nobody may here", quoted(who, 200), quoted(target, 200));
  Refusal refusal(403, Failure(Errc::permission_denied, std::move(what)).with_hint("whoever runs the service grants rights to read"));
  refusal.target = target;
  return refusal;
}

std::optional<Refusal> FleetRequests::no_longer_proven(const Client& client) const {
  // No verdict on who it is: what it shows may be as good as before, once it is shown again.
  if (client.proofs != proofs_) {
    return Refusal(503, Failure(Errc::unavailable, "how clients prove who they are has changed meanwhile").with_hint("ask again"));
  }
  if (is_over(client)) {
    return Refusal(
        401, Failure(Errc::unauthenticated, "what proves who you are is out of its time, or was withdrawn").with_hint("send a newer one"));
  }
  return std::nullopt;
}

std::optional<Refusal> FleetRequests::withdrawn(const Client& client, const std::string& target) const {
  if (std::optional<Refusal> refusal = no_longer_proven(client)) return refusal;
  const Result<Target> parsed = Target::parse(target);
  if (parsed && may_see(client, *parsed)) return std::nullopt;
  return hidden(client, target);
}

std::optional<GroupEvent> FleetRequests::parting(const ViewGroup& group, const SentState& sent, const Client& client,
                                                 std::uint64_t& judged_at) const {
  if (!is_over(client) && judged_at == rights_version()) return std::nullopt;
  judged_at = rights_version();
  const std::string& target = group.topic().target();
  const std::optional<Refusal> refusal = withdrawn(client, target);
  if (!refusal) return std::nullopt;
  const std::string position = group.position_of(sent.known).to_text();
  const bool is_final = refusal->status == 403;
  const std::string event = is_final ? render_server_event("final", render_failure_body(target, refusal->failure), position)
                                     : render_server_event("expired", "{}", position);
  return GroupEvent(std::make_shared<const std::string>(event), is_final ? "final" : "expired", true);
}

}  // namespace rollcall::fleet
