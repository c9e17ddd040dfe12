#include "fleet/xds/ads_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "fleet/xds/wire/resources.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration poll_pace_of = std::chrono::seconds(1);  // the pace at which the stream checks for changes that wake no listener
constexpr Duration refusal_pace = std::chrono::seconds(30);  // the pace at which refused names are tried again
constexpr Duration max_write = std::chrono::seconds(30);  // without any progress by the client
constexpr int max_judged_a_turn = 500;
constexpr int max_messages = 50;  // within poll_pace_of; the rest is read later
constexpr int max_names = 2000;  // judged within poll_pace_of
constexpr std::array<ResourceType, resource_types> answer_order = {ResourceType::cluster, ResourceType::endpoints, ResourceType::listener};

RpcStatus rpc_status_of(const Failure& failure) {
  switch (failure.code()) {
    case Errc::unauthenticated: return RpcStatus::unauthenticated;
    case Errc::permission_denied: return RpcStatus::permission_denied;
    case Errc::limit_exceeded:
    case Errc::rate_limited: return RpcStatus::resource_exhausted;
    case Errc::malformed_response:
    case Errc::invalid_argument: return RpcStatus::invalid_argument;
    default: return RpcStatus::unavailable;
  }
}

}  // namespace

AdsStream::AdsStream(AdsService& service, RpcServerStream& stream)
    : service_(service), stream_(stream), rights_(service.entry().admission()) {
  began_ = second_began_ = refusals_tried_ = written_at_ = now();
  next_news_ = SteadyTime::max();
  stream_.watch(&event_);
}

AdsStream::~AdsStream() { stream_.watch(nullptr); }

asio::awaitable<void> AdsStream::run() {
  ServiceEntry& entry = service_.entry();
  std::optional<Refusal> refusal;
  ClientPtr client = co_await entry.admission().authenticate(stream_.request(), refusal);
  if (!refusal) {
    client_ = std::move(client);
    refusal = entry.admission().acquire_slot(client_, slot_);
  }
  if (refusal) co_return end(rpc_status_of(refusal->failure), refusal->failure.what(), "");
  rights_.renew(entry.admission());
  const CountedFollower counted(entry.numbers(), "xds");
  log(ServedRequest::Kind::stream_started, "", "");
  for (;;) {
    const std::optional<Failure> failure = step();
    if (failure) end(rpc_status_of(*failure), failure->what(), failure->code() == Errc::unauthenticated ? "expired" : "refused");
    if (is_ended_) co_return;
    if (is_listing_ || (is_naming_ && names_ < max_names)) {
      co_await next_turn();
      continue;
    }
    const SteadyTime next = std::min({saturating_sum(now(), poll_pace_of), next_news_, ends_at_.value_or(SteadyTime::max())});
    const bool is_awake = co_await event_.wait_until(*entry.runtime()->timers, next);
    if (!is_awake) co_return end(RpcStatus::unavailable, "this server stops", "stopped");
  }
}

std::optional<Failure> AdsStream::step() {
  ServiceEntry& entry = service_.entry();
  if (stream_.is_closed()) {
    end(RpcStatus::ok, "", "client");
    return std::nullopt;
  }
  if (service_.is_closing() && !ends_at_) ends_at_ = service_.end_of_stream();
  if (ends_at_ && now() >= *ends_at_) {
    end(RpcStatus::unavailable, "this server stops, another one goes on", "moved");
    return std::nullopt;
  }
  if (entry.admission().is_proof_over(*client_))
    return Failure(Errc::unauthenticated, "your proof of identity has expired").with_hint("open another stream with a newer one");
  if (!stream_.is_writable() && now() - written_at_ >= max_write) {
    end(RpcStatus::unavailable, "the client has read nothing for too long", "slow");
    return std::nullopt;
  }
  names_of_turn_ = 0;
  judge();
  if (std::optional<Failure> failure = take_messages()) return failure;
  if (is_naming_) follow_names();
  list_others();
  send_answers();
  return std::nullopt;
}

std::optional<Failure> AdsStream::take_messages() {
  if (now() - second_began_ >= poll_pace_of) {
    second_began_ = now();
    messages_ = names_ = 0;
  }
  while (messages_ < max_messages) {
    const std::optional<std::string> message = stream_.take_message();
    if (!message) break;
    ++messages_;
    if (std::optional<Failure> failure = take(*message)) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> AdsStream::take(const std::string& message) {
  const Result<DiscoveryRequest> request = DiscoveryRequest::parse(message);
  if (!request) return request.error();
  if (!request->node.empty() && node_.empty()) node_ = printable(request->node, 128);
  const std::optional<ResourceType> type = resource_type_of(request->type_url);
  if (!type) return std::nullopt;  // a type that this service does not have is ignored
  const Result<Subscriptions::Effect> effect = subscriptions_.take(*type, *request);
  if (!effect) return effect.error();
  if (*effect == Subscriptions::Effect::refused) {
    service_.entry().numbers().add_discovery_refusal(to_string(*type));
    log(ServedRequest::Kind::answer_refused, to_string(*type), printable(request->error.value_or(""), 300));
  }
  if (*effect != Subscriptions::Effect::outdated) follow_names();
  return std::nullopt;
}

// A judgement takes microseconds, and there may be thousands of targets: a bounded number a turn, and each once per version of the rights.
void AdsStream::list_others() {
  if (!subscriptions_.wants_all_clusters()) return;
  std::shared_ptr<const std::set<std::string>> all = service_.followed_targets();
  if (all != others_of_) {
    others_of_ = std::move(all);
    std::erase_if(judged_, [this](const auto& one) { return !others_of_->contains(one.first); });
    is_listing_ = true;
  }
  if (!is_listing_) return;
  int steps = 0;
  for (const std::string& target : *others_of_) {
    const auto [place, is_new] = judged_.try_emplace(target);
    if (!is_new) continue;
    place->second = !service_.entry().admission().withdrawn(*client_, target);
    if (++steps == max_judged_a_turn) return;
  }
  is_listing_ = false;
  other_names_.clear();
  for (const auto& [target, may_read] : judged_) {
    if (may_read) other_names_.insert(target);
  }
  std::erase_if(others_, [this](const auto& one) { return !other_names_.contains(one.first); });
}

// New names are judged a bounded number a turn, and a second.
void AdsStream::follow_names() {
  const std::set<std::string> names = subscriptions_.names();
  std::erase_if(followed_, [&names](const auto& one) { return !names.contains(one.first); });
  is_naming_ = false;
  for (const std::string& name : names) {
    if (followed_.contains(name)) continue;
    is_naming_ = names_of_turn_ >= max_judged_a_turn || names_ >= max_names;
    if (is_naming_) return;
    ++names_of_turn_;
    ++names_;
    const auto place = followed_.try_emplace(name).first;
    Result<std::shared_ptr<NamedResources>> resources = service_.named(name, *client_);
    const bool is_of_list = subscriptions_.is_of_all_clusters(name) && other_names_.contains(name);
    if (resources) place->second = std::make_unique<Followed>(std::move(*resources), event_, is_of_list);
  }
}

// Drops targets whose rights were withdrawn, and tries refused names again: they may exist, or be allowed, by now.
void AdsStream::judge() {
  const Admission& admission = service_.entry().admission();
  const bool is_changed = rights_.renew(admission);
  if (!is_changed && now() - refusals_tried_ < refusal_pace) return;
  refusals_tried_ = now();
  std::erase_if(followed_, [&admission, this](const auto& one) {
    return !one.second || admission.withdrawn(*client_, one.second->resources->topic().target());
  });
  if (is_changed) {
    judged_.clear();
    is_listing_ = others_of_ != nullptr;
  }
  follow_names();
}

void AdsStream::send_answers() {
  next_news_ = SteadyTime::max();
  const Subscriptions::PollResult look_up = [this](ResourceType type, const std::string& name) { return poll(type, name); };
  for (const ResourceType type : answer_order) {
    if (!stream_.is_writable() || is_naming_) return;
    if (type == ResourceType::cluster && is_listing_) continue;
    const std::optional<Subscriptions::Answer> answer = subscriptions_.answer(type, look_up, other_names_);
    if (!answer) continue;
    SharedBytes message = render_discovery(type, service_.version(), answer->nonce, answer->resources);
    const std::size_t size = message.size();
    bytes_ += size;
    written_at_ = now();
    stream_.write(std::move(message));
    service_.entry().numbers().add_event(to_string(type));
    service_.entry().numbers().add_bytes(size);
  }
}

ResourceBytes AdsStream::poll(ResourceType type, const std::string& name) {
  const auto followed = followed_.find(name);
  if (followed != followed_.end()) {
    if (!followed->second) return nullptr;
    ResourceBytes resource = followed->second->resources->get(type, now());
    if (type == ResourceType::endpoints) next_news_ = std::min(next_news_, followed->second->resources->next().value_or(SteadyTime::max()));
    return resource;
  }
  if (type != ResourceType::cluster || !other_names_.contains(name)) return nullptr;
  ResourceBytes& cluster = others_[name];
  if (!cluster) cluster = std::make_shared<const std::string>(render_cluster(name));
  return cluster;
}

// `reason` empty: the stream was refused before it began.
void AdsStream::end(RpcStatus status, const std::string& message, std::string_view reason) {
  is_ended_ = true;
  stream_.finish(status, message);
  if (reason.empty()) return;
  service_.entry().numbers().add_end(reason);
  log(ServedRequest::Kind::stream_ended, "", reason);
}

void AdsStream::log(ServedRequest::Kind kind, std::string_view target, std::string_view reason) {
  const std::string request = node_.empty() ? "ADS" : fmt::format("ADS {}", quoted(node_, 160));
  ServedRequest event;
  event.kind = kind;
  event.request = request;
  event.target = target;
  if (client_) event.identity = client_->identity.text;
  event.peer = stream_.request().peer;
  event.reason = reason;
  event.bytes = bytes_;
  event.took = now() - began_;
  service_.entry().log(event);
}

}  // namespace rollcall::fleet
