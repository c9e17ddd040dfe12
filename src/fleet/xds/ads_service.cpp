#include "fleet/xds/ads_service.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "base/saturating.hpp"
#include "fleet/xds/ads_stream.hpp"

namespace rollcall::fleet {

namespace {

constexpr Duration min_rendering_pause = std::chrono::milliseconds(200);
constexpr Duration rendering_pause_per_member = std::chrono::microseconds(20);  // about ten times the cost of rendering its endpoint
constexpr long max_names_of_target = 16;  // each name has its own rendered endpoints
constexpr Duration targets_pace = std::chrono::seconds(1);

// Removes expired entries when the map has grown.
template <class Value>
void forget_expired(std::map<std::string, std::weak_ptr<Value>>& map, std::size_t& size_then) {
  if (map.size() <= 2 * size_then) return;
  std::erase_if(map, [](const auto& one) { return one.second.expired(); });
  size_then = std::max<std::size_t>(64, map.size());
}

}  // namespace

const std::shared_ptr<const EndpointList>& TopicEndpoints::get(SteadyTime now) {
  const Known& known = topic_->known();
  const Position present(known.epoch, known.revision);
  if (made_of_ == present || now < next_) return list_;
  made_of_ = present;
  std::optional<EndpointList> made = EndpointList::sent(topic_->target(), known.status.get(), is_absent(known));
  if (!made) {
    list_ = nullptr;
    return list_;  // the first endpoints need not wait
  }
  const std::size_t members = known.status ? known.status->members.size() : 0;
  next_ = saturating_sum(now, std::max<Duration>(min_rendering_pause, static_cast<std::int64_t>(members) * rendering_pause_per_member));
  if (!list_ || *list_ != *made) list_ = std::make_shared<const EndpointList>(std::move(*made));
  return list_;
}

std::optional<SteadyTime> TopicEndpoints::next() const {
  const Known& known = topic_->known();
  if (made_of_ == Position(known.epoch, known.revision)) return std::nullopt;
  return next_;
}

ResourceBytes NamedResources::get(ResourceType type, SteadyTime now) {
  const Known& known = topic().known();
  const auto once = [this](ResourceBytes& made, std::string (*render)(std::string_view)) {
    if (!made) made = std::make_shared<const std::string>(render(name_));
    return made;
  };
  // Until a cluster is known it is announced without endpoints: clients wait for them.
  if (type == ResourceType::cluster) return is_absent(known) ? nullptr : once(cluster_, render_cluster);
  if (type == ResourceType::listener) return is_absent(known) ? nullptr : once(listener_, render_listener);
  const std::shared_ptr<const EndpointList>& list = of_->get(now);
  if (made_of_ == list) return endpoints_;
  made_of_ = list;
  endpoints_ = list ? std::make_shared<const std::string>(render_endpoints(name_, *list)) : nullptr;
  return endpoints_;
}

void AdsService::take(std::unique_ptr<RpcServerStream> stream) {
  asio::co_spawn(entry_->runtime()->executor, serve(std::move(stream)), asio::detached);
}

asio::awaitable<void> AdsService::serve(std::unique_ptr<RpcServerStream> stream) {
  const std::shared_ptr<AdsService> self = shared_from_this();
  AdsStream one(*this, *stream);
  co_await one.run();
}

Result<std::shared_ptr<NamedResources>> AdsService::named(const std::string& name, const Client& client) {
  Result<Target> target = Target::parse(name);
  if (!target) return target.error();
  Result<std::shared_ptr<Topic>> topic = entry_->topics().find_allowed(*target, client);
  if (!topic) return topic.error();
  const auto known = named_.find(name);
  std::shared_ptr<NamedResources> resources = known == named_.end() ? nullptr : known->second.lock();
  if (resources && &resources->topic() == topic->get()) return resources;
  forget_expired(named_, swept_names_);
  forget_expired(endpoints_, swept_targets_);
  std::weak_ptr<TopicEndpoints>& place = endpoints_[(*topic)->target()];
  std::shared_ptr<TopicEndpoints> endpoints = place.lock();
  if (!endpoints || &endpoints->topic() != topic->get()) place = endpoints = std::make_shared<TopicEndpoints>(std::move(*topic));
  if (endpoints.use_count() > max_names_of_target)
    return Failure(Errc::limit_exceeded, "the target is followed under as many names as it may be").with_hint("name it as others do");
  resources = std::make_shared<NamedResources>(name, std::move(endpoints));
  named_[name] = resources;
  return resources;
}

std::shared_ptr<const std::set<std::string>> AdsService::followed_targets() {
  const SteadyTime now = entry_->runtime()->time->now();
  if (followed_targets_ && now - targets_read_ < targets_pace) return followed_targets_;
  targets_read_ = now;
  std::set<std::string> targets;
  for (const std::shared_ptr<Topic>& topic : fleet_->topics()) {
    if (topic->is_followed()) targets.insert(topic->target());
  }
  if (!followed_targets_ || *followed_targets_ != targets)
    followed_targets_ = std::make_shared<const std::set<std::string>>(std::move(targets));
  return followed_targets_;
}

void AdsService::close(Duration spread) {
  if (!closing_spread_) closing_spread_ = spread;
}

std::optional<SteadyTime> AdsService::end_of_stream() {
  if (!closing_spread_) return std::nullopt;
  const auto later = std::chrono::duration_cast<Duration>(entry_->runtime()->uniform() * *closing_spread_);
  return saturating_sum(entry_->runtime()->time->now(), later);
}

}  // namespace rollcall::fleet
