// A story of five minutes made by a seed: a TPU that comes and goes, a cloud that fails, a service that breaks off, moves its clients, is
// not there, or starts anew, rights that are withdrawn, and followers, of whom some read slowly. What fails ends at `calm`.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/fleet_support.hpp"
#include "fleet/http/fleet_handler.hpp"
#include "fleet/invariants/follower_log.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/event_stream.hpp"
#include "sim/serve/handler_transport.hpp"

namespace rollcall::testing {

/// The cloud's file of a seed, and what is true in it.
class RandomCloud {
 public:
  static constexpr double calm = 200;
  static constexpr double end = 260;

  explicit RandomCloud(std::mt19937& dice) {
    std::string timeline = R"({"at": 0, "state": "CREATING"})";
    double from = 0;
    std::string state = "CREATING";
    while (from < calm) {
      double until = from + 0.5 + std::exponential_distribution<double>(1.0 / 20)(dice);
      if (until >= calm) until = calm;
      add(state, from, until);
      constexpr const char* states[] = {"READY", "READY", "CREATING", "REPAIRING", "PREEMPTED", "DELETED"};
      state = until >= calm ? "READY" : states[dice() % 6];
      timeline += fmt::format(R"(, {{"at": {:.3f}, "state": "{}"}})", until, state);
      from = until;
    }
    add(state, calm, end);
    std::string faults;
    for (int i = static_cast<int>(dice() % 5); i > 0; --i) {
      const double begin = std::uniform_real_distribution<double>(1, calm - 25)(dice);
      const double over = begin + std::uniform_real_distribution<double>(1, 25)(dice);
      constexpr const char* kinds[] = {R"("status": 503)",    R"("status": 429, "headers": {"Retry-After": "3"})",
                                       R"("fault": "stall")", R"("fault": "reset")",
                                       R"("delay": 4)",       R"("status": 404)"};
      const std::size_t kind = dice() % 6;
      faults += fmt::format(R"({}{{"match": {{"path": "*/nodes/trainer"}}, "from": {:.3f}, "until": {:.3f}, {}}})",
                            faults.empty() ? "" : ", ", begin, over, kinds[kind]);
      if (kind == 5) add("DELETED", begin, over);  // the cloud forgets it
    }
    text =
        R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [)" + timeline + R"(]}], "faults": [)" + faults + "]}";
  }

  std::string text;
  Truth plain;    ///< for who takes what is not there for a verdict
  Truth awaited;  ///< for who waits for it

 private:
  void add(const std::string& state, double from, double until) {
    Truth::Span span;
    span.from = from;
    span.until = until;
    span.standing = state == "READY" ? Standing::ready : state == "PREEMPTED" || state == "DELETED" ? Standing::over : Standing::waiting;
    plain.spans.push_back(span);
    if (state == "DELETED") span.standing = Standing::waiting;
    awaited.spans.push_back(span);
  }
};

class RandomStory : public FleetLoop {
 public:
  static std::vector<std::string> run(unsigned seed) {
    std::mt19937 dice(seed);
    RandomCloud cloud(dice);
    RandomStory story(cloud.text, dice);
    return story.tell(cloud);
  }

 private:
  static constexpr double longest_disturbance = 21;  // see disturb()

  RandomStory(const std::string& text, std::mt19937& dice) : FleetLoop(text), dice_(dice) {
    begin_service();
    const auto handler = [this](ServerExchange& exchange) { return service_->handler()(exchange); };
    http_ = sim::make_handler_transport(io.get_executor(), handler, time);
    timers_ = std::make_shared<TimerQueue>(time, io.get_executor());
  }
  ~RandomStory() {
    is_over_ = true;
    http_->break_all();
    pass(60);
  }

  class Follower {
   public:
    FollowerLog log;
    std::string query;
    std::string last_id;
  };

  void begin_service() {
    fleet::FleetHttpOptions options;
    options.access = rights_;
    service_ = std::make_shared<fleet::FleetHttp>(fleet, options);
  }
  double uniform(double from, double until) { return std::uniform_real_distribution<double>(from, until)(dice_); }
  bool one_in(unsigned n) { return dice_() % n == 0; }

  std::vector<std::string> tell(const RandomCloud& made) {
    for (int i = 0; i < 4; ++i) {
      auto follower = std::make_shared<Follower>();
      follower->log.name = fmt::format("follower {}", i);
      follower->log.awaits_existence = i % 2 == 1;
      follower->log.is_slow = i == 3;
      follower->query = fmt::format("?view={}{}", i < 2 ? "progress" : "task", i % 2 == 1 ? "&existence=awaited" : "");
      followers_.push_back(follower);
      runs_.push_back(start(follow(follower)));
    }
    while (elapsed() < RandomCloud::calm - 0.001) {
      pass(std::min(uniform(1, 40), RandomCloud::calm - elapsed()));
      if (elapsed() < RandomCloud::calm - longest_disturbance) disturb();
    }
    set_right(false);
    http_->refuse(false);
    pass(RandomCloud::end - elapsed());
    std::vector<std::string> faults;
    for (const auto& follower : followers_) {
      FollowerLog& log = follower->log;
      const Truth& truth = log.awaits_existence ? made.awaited : made.plain;
      for (std::string& fault : FollowerCheck(log, truth).run(RandomCloud::end)) faults.push_back(std::move(fault));
    }
    // I7: as much as there is to follow, however often it began anew.
    if (service_->followers() > followers_.size()) faults.push_back(fmt::format("I7: {} followers are counted", service_->followers()));
    if (http_->in_flight() > followers_.size()) faults.push_back(fmt::format("I7: {} handlers are left", http_->in_flight()));
    if (fleet->topics().size() > 1) faults.push_back(fmt::format("I7: {} targets are kept", fleet->topics().size()));
    if (fleet->memory_bytes() > 256 * 1024) faults.push_back(fmt::format("I7: {} bytes are charged", fleet->memory_bytes()));
    return faults;
  }

  void disturb() {
    switch (dice_() % 5) {
      case 0: return http_->break_all();
      case 1:
        http_->refuse(true);
        if (one_in(2)) http_->break_all();
        pass(uniform(1, 15));
        return http_->refuse(false);
      case 2:  // another one goes on, which knows nothing yet
        service_->close(std::chrono::seconds(one_in(2) ? 0 : 5));
        pass(uniform(0, 8));
        fleet->close();
        http_->break_all();
        fleet = fleet::make_fleet(runtime, fleet_options());
        return begin_service();
      case 3:
        set_right(true);
        pass(uniform(1, 20));
        return set_right(false);
      default: return;
    }
  }

  // Of the first follower.
  void set_right(bool is_withdrawn) {
    const std::string name = "test:" + followers_[0]->log.name;
    std::vector<std::pair<double, double>>& withdrawn = followers_[0]->log.withdrawn;
    if (is_withdrawn == rights_->names.contains(name)) return;
    if (is_withdrawn) {
      rights_->names.insert(name);
      withdrawn.emplace_back(elapsed(), 1e9);
    } else {
      rights_->names.erase(name);
      withdrawn.back().second = elapsed();
    }
    ++rights_->changes;
    service_->change(FleetBounds());
    poll();
  }

  asio::awaitable<Result<void>> follow(std::shared_ptr<Follower> follower) {
    while (!is_over_) {
      co_await listen(follower);
      const SteadyTime until = time->now() + std::chrono::milliseconds(200 + dice_() % 1800);
      const bool is_awake = co_await sleep_until(*timers_, until);
      if (!is_awake) break;
    }
    co_return Result<void>();
  }

  // Until the stream ends, however it does.
  asio::awaitable<void> listen(std::shared_ptr<Follower> follower) {
    const std::string address = "http://127.0.0.1:7070/v1/clusters/tpu:trainer,project=example-proj,zone=us-central2-b" + follower->query;
    HttpRequest request(value_of(Url::parse(address)));
    request.headers.add("Accept", "text/event-stream");
    request.headers.add("Authorization", follower->log.name);
    if (!follower->last_id.empty()) request.headers.add("Last-Event-ID", follower->last_id);
    ExchangeOptions options;
    options.response_timeout = std::chrono::seconds(30);
    Result<std::unique_ptr<HttpStream>> stream = co_await http_->open(request, options);
    if (!stream || (*stream)->head().status != 200) co_return;
    follower->log.lines.emplace_back(elapsed(), elapsed());
    fleet::EventStreamReader reader(1 << 20);
    for (;;) {
      const bool pauses = follower->log.is_slow && one_in(4) && elapsed() < RandomCloud::calm;
      if (pauses) {
        const double seconds = std::min(uniform(5, 45), RandomCloud::calm - elapsed());
        const SteadyTime until = time->now() + Duration(static_cast<std::int64_t>(seconds * 1e9));
        const bool is_awake = co_await sleep_until(*timers_, until);
        if (!is_awake) co_return;
      }
      const Result<std::string_view> piece = co_await (*stream)->read();
      follower->log.lines.back().second = elapsed();
      if (!piece || piece->empty()) co_return;
      const Result<void> fed = reader.feed(*piece);
      if (!fed) co_return;
      while (std::optional<fleet::ServerEvent> event = reader.next()) note(*follower, *event);
    }
  }

  void note(Follower& follower, const fleet::ServerEvent& event) {
    FollowerEntry entry;
    entry.at = elapsed();
    entry.event = event.type;
    entry.id = event.id;
    follower.last_id = event.id;
    const std::size_t age = event.data.find("\"age_ms\":");
    if (age != std::string::npos) entry.age = std::stod(event.data.substr(age + 9)) / 1000;
    if (event.type == "progress") entry.standing = Standing::waiting;
    if (event.type == "ready") entry.standing = Standing::ready;
    // A withdrawn right ends a stream as well, and says nothing of the cluster.
    const bool is_verdict = event.type == "final" && event.data.find("permission_denied") == std::string::npos;
    if (event.type == "final" && !is_verdict) entry.event = "moved";
    if (is_verdict) entry.standing = Standing::over;
    follower.log.entries.push_back(std::move(entry));
  }

  std::mt19937& dice_;
  std::shared_ptr<ShutOut> rights_ = std::make_shared<ShutOut>();
  std::shared_ptr<fleet::FleetHttp> service_;
  std::shared_ptr<sim::HandlerTransport> http_;
  std::shared_ptr<TimerQueue> timers_;
  std::vector<std::shared_ptr<Follower>> followers_;
  std::vector<Started<Result<void>>> runs_;
  bool is_over_ = false;
};

}  // namespace rollcall::testing
