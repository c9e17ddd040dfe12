// The followers of a story: each goes from one stream to the next, at any service, and keeps a log of what it receives.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/fleet_support.hpp"
#include "fleet/invariants/follower_log.hpp"
#include "fleet/wire/event_stream.hpp"
#include "sim/serve/handler_transport.hpp"

namespace rollcall::testing {

class StoryFollowers {
 public:
  /// Chooses the service that a follower asks next.
  using Choose = std::function<std::shared_ptr<sim::HandlerTransport>()>;

  /// `calm`: the time from which all followers read at once.
  StoryFollowers(FleetLoop& loop, std::mt19937& dice, double calm, Choose choose)
      : loop_(loop), dice_(dice), calm_(calm), choose_(std::move(choose)),
        timers_(std::make_shared<TimerQueue>(loop.time, loop.io.get_executor())) {}

  /// Every second follower waits for existence, and every fourth one reads slowly.
  void add(int count) {
    for (int i = 0; i < count; ++i) {
      auto follower = std::make_shared<Follower>();
      follower->log.name = fmt::format("follower {}", i);
      follower->log.awaits_existence = i % 2 == 1;
      follower->log.is_slow = i % 4 == 3;
      follower->query = fmt::format("?view={}{}", i % 4 < 2 ? "progress" : "task", i % 2 == 1 ? "&existence=awaited" : "");
      followers_.push_back(follower);
      runs_.push_back(loop_.start(follow(follower)));
    }
  }
  /// Runs `meanwhile`, while this service stands still. Its followers at the beginning are excused for their silence.
  void stand_still(const std::shared_ptr<sim::HandlerTransport>& service, const std::function<void()>& meanwhile) {
    const double from = loop_.elapsed();
    std::vector<std::pair<Follower*, std::size_t>> silent;
    for (const auto& follower : followers_) {
      if (follower->service == service) silent.emplace_back(follower.get(), follower->log.lines.size());
    }
    meanwhile();
    for (const auto& [follower, lines] : silent) {
      const bool has_left = follower->log.lines.size() > lines;
      follower->log.still.emplace_back(from, has_left ? follower->log.lines[lines].first : loop_.elapsed());
    }
  }
  /// Followers begin no stream after this.
  void end() { is_over_ = true; }
  std::size_t size() const noexcept { return followers_.size(); }
  FollowerLog& log(std::size_t follower) { return followers_[follower]->log; }

  std::vector<std::string> faults(const Truth& plain, const Truth& awaited, double end) const {
    std::vector<std::string> all;
    for (const auto& follower : followers_) {
      const FollowerLog& log = follower->log;
      for (std::string& fault : FollowerCheck(log, log.awaits_existence ? awaited : plain).run(end)) all.push_back(std::move(fault));
    }
    return all;
  }

 private:
  class Follower {
   public:
    FollowerLog log;
    std::string query;
    std::string last_id;
    std::shared_ptr<sim::HandlerTransport> service;  // of the present stream
  };

  double uniform(double from, double until) { return std::uniform_real_distribution<double>(from, until)(dice_); }

  asio::awaitable<Result<void>> follow(std::shared_ptr<Follower> follower) {
    while (!is_over_) {
      co_await listen(follower);
      const SteadyTime until = loop_.time->now() + std::chrono::milliseconds(200 + dice_() % 1800);
      const bool is_awake = co_await sleep_until(*timers_, until);
      if (!is_awake) break;
    }
    co_return Result<void>();
  }

  // Returns when the stream ends, for any reason.
  asio::awaitable<void> listen(std::shared_ptr<Follower> follower) {
    const std::string address = "http://127.0.0.1:7070/v1/clusters/tpu:trainer,project=example-proj,zone=us-central2-b" + follower->query;
    HttpRequest request(value_of(Url::parse(address)));
    request.headers.add("Accept", "text/event-stream");
    request.headers.add("Authorization", follower->log.name);
    if (!follower->last_id.empty()) request.headers.add("Last-Event-ID", follower->last_id);
    ExchangeOptions options;
    options.response_timeout = std::chrono::seconds(30);
    const std::shared_ptr<sim::HandlerTransport> service = choose_();
    Result<std::unique_ptr<HttpStream>> stream = co_await service->open(request, options);
    if (!stream || (*stream)->head().status != 200) co_return;
    follower->service = service;
    follower->log.lines.emplace_back(loop_.elapsed(), loop_.elapsed());
    fleet::EventStreamReader reader(1 << 20);
    for (;;) {
      const bool pauses = follower->log.is_slow && dice_() % 4 == 0 && loop_.elapsed() < calm_;
      if (pauses) {
        const double seconds = std::min(uniform(5, 45), calm_ - loop_.elapsed());
        const SteadyTime until = loop_.time->now() + Duration(static_cast<std::int64_t>(seconds * 1e9));
        const bool is_awake = co_await sleep_until(*timers_, until);
        if (!is_awake) co_return;
      }
      const Result<std::string_view> piece = co_await (*stream)->read();
      follower->log.lines.back().second = loop_.elapsed();
      if (!piece || piece->empty()) co_return;
      const Result<void> fed = reader.feed(*piece);
      if (!fed) co_return;
      while (std::optional<fleet::ServerEvent> event = reader.next()) note(*follower, *event);
    }
  }

  void note(Follower& follower, const fleet::ServerEvent& event) {
    FollowerEntry entry;
    entry.at = loop_.elapsed();
    entry.event = event.type;
    entry.id = event.id;
    follower.last_id = event.id;
    const std::size_t age = event.data.find("\"age_ms\":");
    if (age != std::string::npos) entry.age = std::stod(event.data.substr(age + 9)) / 1000;
    if (event.type == "progress") entry.standing = Standing::waiting;
    if (event.type == "ready") entry.standing = Standing::ready;
    // The end of a stream by a withdrawn right is not a verdict about the cluster.
    const bool is_verdict = event.type == "final" && event.data.find("permission_denied") == std::string::npos;
    if (event.type == "final" && !is_verdict) entry.event = "moved";
    if (is_verdict) entry.standing = Standing::over;
    follower.log.entries.push_back(std::move(entry));
  }

  FleetLoop& loop_;
  std::mt19937& dice_;
  double calm_;
  Choose choose_;
  std::shared_ptr<TimerQueue> timers_;
  std::vector<std::shared_ptr<Follower>> followers_;
  std::vector<VirtualLoop::Started<Result<void>>> runs_;
  bool is_over_ = false;
};

}  // namespace rollcall::testing
