#include "fleet/entry/admission.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/rights/rules/token_claims.hpp"

namespace rollcall::fleet {
namespace {

// Loopback addresses are not limited, only identities: all programs of this machine share these addresses.
std::string counted_address(const std::string& address) { return is_loopback_literal(address) ? std::string() : network_of(address); }

// No identity contains the zero byte.
std::string joined_key(const std::string& identity, const std::string& address) { return identity + '\0' + network_of(address); }

Refusal unproven(Failure failure) {
  if (failure.code() == Errc::unauthenticated) return Refusal(401, std::move(failure));
  return Refusal(is_transient(failure.code()) ? 503 : 401, std::move(failure));
}

}  // namespace

StreamSlot::StreamSlot(std::shared_ptr<Admission> admission, ClientPtr client)
    : admission_(std::move(admission)), client_(std::move(client)) {
  ++admission_->slots_;
}

StreamSlot::~StreamSlot() {
  --admission_->slots_;
  if (!client_->peer_key.empty()) admission_->peers_.leave(client_->peer_key);
}

Admission::Admission(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<Access> access, const FleetBounds& bounds,
                     ServiceNumbers& numbers)
    : runtime_(std::move(runtime)), access_(std::move(access)), bounds_(bounds), numbers_(numbers), peers_(bounds) {}

void Admission::change(const FleetBounds& bounds) {
  bounds_ = bounds;
  peers_.change(bounds);
}

Refusal Admission::too_often() const {
  return Refusal(429, Failure(Errc::rate_limited,
                              fmt::format("more than {} requests a second, and {} at once", bounds_.requests_a_second, bounds_.burst))
                          .with_hint("follow a stream instead of asking often"));
}

Refusal Admission::too_many_failures() {
  return Refusal(429, Failure(Errc::rate_limited,
                              "too many requests from this address had no valid proof of identity: proofs that would "
                              "have to be checked are not accepted from it for a while")
                          .with_hint("ask again later, with a valid token or certificate; other clients may share this address"));
}

asio::awaitable<ClientPtr> Admission::authenticate(const ServerRequest& request, std::optional<Refusal>& refusal) {
  const auto client = std::make_shared<Client>();
  client->proofs = proofs_;
  const std::string address = counted_address(request.peer);
  // Failed attempts are counted by address. Too many of them delay the tokens that an issuer must be asked about, but neither known clients
  // nor tokens that the cached keys have signed: many clients can share an address.
  const std::string failures = joined_key("?", request.peer);
  std::optional<Identity> known = access_ ? access_->recognize(request) : Identity();
  const bool is_held_up = !known && !address.empty() && !peers_.may_request(failures, now());
  if (is_held_up && !access_->is_signed(request)) {
    refusal = too_many_failures();
  } else {
    Result<Identity> identity = Identity();
    if (known) {
      identity = std::move(*known);
    } else {
      identity = co_await access_->identify(request);
    }
    count_identification(request, identity);
    if (!identity) {
      refusal = unproven(identity.error());
    } else {
      client->identity = std::move(*identity);
      client->until = end_of_proof(client->identity);
      if (client->until && *client->until <= now()) {
        refusal = unproven(Failure(Errc::unauthenticated, "your proof of identity has expired").with_hint("send a newer one"));
      }
    }
    // Every failure counts: a token of an unknown key costs as much as a forged one.
    if (refusal && !address.empty()) static_cast<void>(peers_.take_request(failures, now()));
  }
  if (!refusal) {
    const std::string& name = client->identity.text;
    client->namer = name.empty() ? address : name;
    client->peer_key = name.empty() ? address : joined_key(name, request.peer);
    if (!client->peer_key.empty() && !peers_.take_request(client->peer_key, now())) refusal = too_often();
  }
  co_return client;
}

asio::awaitable<bool> Admission::is_anonymous(const ServerRequest& request) {
  if (!access_ || !joined_field(request.headers, "Authorization").empty()) co_return false;
  const Result<Identity> identity = co_await access_->identify(request);
  co_return identity.has_error();
}

// Counted by the prefix of the identity's name, `AS:NAME`; a failure by the kind of proof that was shown.
void Admission::count_identification(const ServerRequest& request, const Result<Identity>& identity) {
  if (identity) {
    const std::string& name = identity->text;
    if (!name.empty()) numbers_.add_identification(name.substr(0, name.find(':')), "ok");
    return;
  }
  const std::string_view tried = request.headers.get("Authorization") ? "token" : request.certificate ? "certificate" : "none";
  numbers_.add_identification(tried, to_string(identity.error().code()));
}

std::optional<Refusal> Admission::acquire_slot(const ClientPtr& client, StreamSlotPtr& slot) {
  if (slots_ >= bounds_.followers) {
    return Refusal(503, Failure(Errc::limit_exceeded, fmt::format("{} clients wait here, which is the limit", slots_))
                            .with_hint("ask another server, or later"));
  }
  if (!client->peer_key.empty() && !peers_.enter(client->peer_key)) {
    return Refusal(
        429, Failure(Errc::rate_limited, fmt::format("this client waits for {} answers, which is its limit", bounds_.streams_a_client))
                 .with_hint("let one of them end before the next question"));
  }
  slot = std::make_unique<StreamSlot>(shared_from_this(), client);
  return std::nullopt;
}

Result<void> Admission::take_target(const Client& client) {
  if (client.namer.empty() || peers_.take_target(client.namer, now())) return Result<void>();
  return Failure(Errc::rate_limited,
                 fmt::format("this client has named {} targets within an hour that no other client asks for, which is its limit",
                             bounds_.unknown_targets_an_hour))
      .with_hint("ask for those that were named already, or later");
}

// The proof ends on the wall clock; the end is converted to the steady clock, which is never set.
std::optional<SteadyTime> Admission::end_of_proof(const Identity& identity) const {
  if (!identity.expires) return std::nullopt;
  const Duration left = saturating_difference(*identity.expires, runtime_->time->wall_now());
  return saturating_sum(now(), saturating_sum(left, clock_grace));
}

bool Admission::is_proof_over(const Client& client) const {
  const bool is_withdrawn = client.identity.proof && client.identity.proof->is_over;
  return is_withdrawn || client.proofs != proofs_ || (client.until && now() >= *client.until);
}

bool Admission::may_read(const Client& client, const Target& target) const {
  if (!access_) return true;
  return access_->is_allowed(target) && access_->may_read(client.identity, target);
}

bool Admission::may_join(const Client& client) const { return !access_ || access_->may_join(client.identity); }
bool Admission::may_meet(const Client& client) const { return !access_ || access_->may_meet(client.identity); }
bool Admission::may_read_metrics(const Client& client) const { return !access_ || access_->may_read_metrics(client.identity); }

Refusal Admission::hidden(const Client& client, const std::string& target) const {
  const std::string& name = client.identity.text;
  std::string what = name.empty() ? fmt::format("this service does not serve {}", quoted(target, 200))
                                  : fmt::format("{} may not read {}, or no client may here", quoted(name, 200), quoted(target, 200));
  Refusal refusal(403, Failure(Errc::permission_denied, std::move(what)).with_hint("the service's operator grants rights to read"));
  refusal.target = target;
  return refusal;
}

std::optional<Refusal> Admission::reauthentication(const Client& client) const {
  // Not 401: the same proof may be good when it is sent again.
  if (client.proofs != proofs_) {
    return Refusal(503, Failure(Errc::unavailable, "the ways of authentication have changed").with_hint("ask again"));
  }
  if (is_proof_over(client)) {
    return Refusal(401,
                   Failure(Errc::unauthenticated, "your proof of identity has expired, or was withdrawn").with_hint("send a newer one"));
  }
  return std::nullopt;
}

std::optional<Refusal> Admission::withdrawn(const Client& client, const std::string& target) const {
  if (std::optional<Refusal> refusal = reauthentication(client)) return refusal;
  const Result<Target> parsed = Target::parse(target);
  if (parsed && may_read(client, *parsed)) return std::nullopt;
  return hidden(client, target);
}

}  // namespace rollcall::fleet
