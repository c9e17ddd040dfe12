#include "fleet/pinned_places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <asio/post.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "async/async_event.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/follow.hpp"
#include "rollcall/discover.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration max_for_a_list = std::chrono::seconds(50);
constexpr Duration pause_while_following = std::chrono::seconds(1);  // another replica that leads

// The keys by which the place's Slurm is asked.
std::string slurm_keys_of(const FleetPlace& place, const std::vector<FleetSlurm>& clusters) {
  Target target;  // whose keys are taken
  target.scheme = target.body = "job";
  for (const FleetSlurm& slurm : clusters) {
    if (slurm.cluster != place.cluster) continue;
    if (!slurm.restd.empty()) target.options.emplace_back("restd", std::vector<std::string>{slurm.restd});
    if (!slurm.token_file.empty()) target.options.emplace_back("token_file", std::vector<std::string>{slurm.token_file});
    if (!slurm.login.empty()) target.options.emplace_back("login", std::vector<std::string>{slurm.login});
  }
  const std::string text = target.to_text();
  const std::size_t keys = text.find(',');
  return keys == std::string::npos ? std::string() : text.substr(keys + 1);
}

DiscoverOptions search_of(const FleetPlace& place, const std::vector<FleetSlurm>& clusters) {
  DiscoverOptions search;
  switch (place.kind) {
    case FleetPlace::Kind::tpu:
      return search.projects({place.project}).zones(place.zones).kinds({FoundKind::tpu, FoundKind::queued_resource});
    case FleetPlace::Kind::gce: return search.projects({place.project}).zones(place.zones).kinds({FoundKind::instance_group});
    case FleetPlace::Kind::kubernetes: return search.context(place.context).namespaces(place.namespaces).kinds({FoundKind::job});
    case FleetPlace::Kind::slurm:
      return search.slurm(slurm_keys_of(place, clusters)).memory(make_search_memory()).kinds({FoundKind::slurm_job});
  }
  return search;
}

bool is_among(const std::vector<std::string>& list, std::string_view text) {
  return list.empty() || std::find(list.begin(), list.end(), text) != list.end();
}

// The target of a find as clients name it; empty: it does not belong to the place.
std::string target_in_place(const FleetPlace& place, const Found& found) {
  if (place.kind != FleetPlace::Kind::slurm) return found.target;
  const std::vector<std::string_view> partitions = split(found.partition, ',');
  const bool is_there =
      std::any_of(partitions.begin(), partitions.end(), [&place](std::string_view one) { return is_among(place.partitions, one); });
  const bool is_over = found.health.empty();
  Result<Target> target = Target::parse(found.target);
  if (is_over || !is_there || !is_among(place.users, found.user) || !target) return {};
  target->options.clear();  // the settings say how it is asked
  if (!place.cluster.empty()) target->options.emplace_back("cluster", std::vector<std::string>{place.cluster});
  // All components of a heterogeneous job are one cluster, named by the first.
  const std::size_t component = target->body.find('+');
  if (component != std::string::npos) target->body.resize(component);
  return target->to_text();
}

std::string name_of(const FleetPlace& place) {
  switch (place.kind) {
    case FleetPlace::Kind::tpu: return "tpu " + place.project;
    case FleetPlace::Kind::gce: return "gce " + place.project;
    case FleetPlace::Kind::kubernetes: return fmt::format("kubernetes {}", fmt::join(place.namespaces, ","));
    case FleetPlace::Kind::slurm: return fmt::format("slurm {}", place.cluster.empty() ? "jobs" : place.cluster);
  }
  return {};
}

// Keeps a target followed without a client.
class Pin final : public TopicListener {
 public:
  explicit Pin(std::shared_ptr<Topic> topic) : topic_(std::move(topic)) { topic_->listen(*this); }
  bool is_of(const std::shared_ptr<Topic>& topic) const noexcept { return topic == topic_; }
  void on_topic() noexcept override {}
  std::size_t followers() const noexcept override { return 0; }

 private:
  std::shared_ptr<Topic> topic_;
};

}  // namespace

class PinnedPlace : public std::enable_shared_from_this<PinnedPlace> {
 public:
  PinnedPlace(std::shared_ptr<Fleet> fleet, FleetPlace place, const std::vector<FleetSlurm>& clusters)
      : fleet_(std::move(fleet)), place_(std::move(place)), name_(name_of(place_)), search_(search_of(place_, clusters)) {}

  void start() {
    const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(fleet_->runtime());
    auto script = [self = shared_from_this()](Call& call) { return self->run(call); };
    auto on_end = [self = shared_from_this()](Result<void>) { self->pins_.clear(); };
    spawn_result(impl->executor, run_call<void>(impl, CallOptions().timeout(for_ever), CallSubject("list " + name_), std::move(script)),
                 signal_.slot(), "a place of the fleet", std::move(on_end));
  }

  void close() {
    is_closed_ = true;
    pins_.clear();
    Runtime::Impl& impl = impl_of(fleet_->runtime());
    if (!impl.loop.is_going()) return;
    asio::post(impl.executor, [self = shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
  }

  const FleetPlace& place() const noexcept { return place_; }
  bool is_listed() const noexcept { return is_listed_; }
  std::size_t targets() const noexcept { return pins_.size(); }
  std::string trouble() const { return trouble_.empty() ? std::string() : fmt::format("{}: {}", name_, trouble_); }

 private:
  asio::awaitable<Result<void>> run(Call& call) {
    Runtime::Impl& impl = impl_of(call);
    while (!is_closed_) {
      const bool polls = fleet_->polls();
      if (!polls) pins_.clear();  // another replica pins them
      Result<void> listed;
      if (polls) listed = co_await list(call);
      if (!listed) co_return listed;
      is_listed_ = true;
      const Duration pause = polls ? with_jitter(pause_between_lists, 0.9, 0.2, impl.uniform()) : pause_while_following;
      const bool goes_on = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), pause));
      if (!goes_on) break;
    }
    co_return Result<void>();
  }

  // Errors: cancelled; every other failure is trouble of the place.
  asio::awaitable<Result<void>> list(Call& call) {
    CallOptions how;
    how.timeout(max_for_a_list);
    const std::shared_ptr<FoundStream> search = discover(fleet_->runtime(), search_, how);
    std::set<std::string> found;
    std::optional<Failure> trouble;
    bool is_whole = true;
    std::size_t refused = 0;
    for (;;) {
      const Result<std::optional<Found>> next = co_await search->try_next();
      if (is_closed_) co_return Failure(Errc::cancelled, "cancelled while a place of the fleet was listed");
      if (!next) {
        if (next.error().code() == Errc::cancelled) co_return next.error();
        if (is_whole) trouble = next.error();
        is_whole = false;
        continue;
      }
      if (!*next) break;
      const std::string target = target_in_place(place_, **next);
      if (target.empty()) continue;
      const Result<void> pinned = found.insert(target).second ? pin(target) : Result<void>();
      if (!pinned && ++refused == 1 && !trouble) trouble = pinned.error();
    }
    // A list with a gap does not show which targets are gone.
    if (is_whole) std::erase_if(pins_, [&found](const auto& one) { return found.count(one.first) == 0; });
    log_trouble(call, trouble, refused);
    co_return Result<void>();
  }

  Result<void> pin(const std::string& text) {
    const Result<Target> target = Target::parse(text);
    if (!target) return target.error();
    Result<std::shared_ptr<Topic>> topic = fleet_->topic(*target);
    if (!topic) return topic.error();
    const auto known = pins_.find(text);
    if (known != pins_.end() && known->second.is_of(*topic)) return Result<void>();
    if (known != pins_.end()) pins_.erase(known);
    pins_.try_emplace(text, std::move(*topic));
    return Result<void>();
  }

  // Logged when it begins and when its text changes.
  void log_trouble(Call& call, const std::optional<Failure>& failure, std::size_t refused) {
    std::string trouble = failure ? failure->what() : std::string();
    if (refused > 1) trouble += fmt::format(" (and so for {} more)", refused - 1);
    if (std::exchange(trouble_, std::move(trouble)) == trouble_ || !failure) return;
    impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = name_, .failure = &*failure});
  }

  const std::shared_ptr<Fleet> fleet_;
  const FleetPlace place_;
  const std::string name_;
  const DiscoverOptions search_;
  std::map<std::string, Pin> pins_;  // by target
  std::string trouble_;
  bool is_listed_ = false;
  bool is_closed_ = false;
  asio::cancellation_signal signal_;
};

void PinnedPlaces::follow(const std::vector<FleetPlace>& places) {
  std::vector<std::shared_ptr<PinnedPlace>> next;
  for (const FleetPlace& place : places) {
    const auto is_it = [&place](const std::shared_ptr<PinnedPlace>& one) { return one->place() == place; };
    if (std::any_of(next.begin(), next.end(), is_it)) continue;
    const auto known = std::find_if(places_.begin(), places_.end(), is_it);
    if (known != places_.end()) {
      next.push_back(*known);
      continue;
    }
    next.push_back(std::make_shared<PinnedPlace>(fleet_, place, slurm_));
    next.back()->start();
  }
  places_.swap(next);
  for (const std::shared_ptr<PinnedPlace>& one : next) {
    if (std::find(places_.begin(), places_.end(), one) == places_.end()) one->close();
  }
}

std::vector<std::string> PinnedPlaces::troubles() const {
  std::vector<std::string> out;
  for (const std::shared_ptr<PinnedPlace>& place : places_) {
    if (std::string trouble = place->trouble(); !trouble.empty()) out.push_back(std::move(trouble));
  }
  return out;
}

bool PinnedPlaces::is_listed() const noexcept {
  return std::all_of(places_.begin(), places_.end(), [](const std::shared_ptr<PinnedPlace>& place) { return place->is_listed(); });
}

std::size_t PinnedPlaces::targets() const noexcept {
  std::size_t sum = 0;
  for (const std::shared_ptr<PinnedPlace>& place : places_) sum += place->targets();
  return sum;
}

void PinnedPlaces::close() {
  for (const std::shared_ptr<PinnedPlace>& place : places_) place->close();
  places_.clear();
}

}  // namespace rollcall::fleet
