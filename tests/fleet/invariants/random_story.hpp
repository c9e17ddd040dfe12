// A story of five minutes made from a seed: a TPU that comes and goes, a cloud with faults, a service that breaks connections, moves its
// clients, is absent, or restarts, rights that are withdrawn, and followers, some of which read slowly. All faults end at `calm`.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/fleet_support.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/invariants/random_cloud.hpp"
#include "fleet/invariants/story_followers.hpp"
#include "sim/serve/handler_transport.hpp"

namespace rollcall::testing {

class RandomStory : public FleetLoop {
 public:
  static std::vector<std::string> run(unsigned seed) {
    std::mt19937 dice(seed);
    RandomCloud cloud(dice);
    RandomStory story(cloud.text, dice);
    return story.tell(cloud);
  }

 private:
  static constexpr double max_disturbance = 21;  // see disturb()

  RandomStory(const std::string& text, std::mt19937& dice) : FleetLoop(text), dice_(dice) {
    begin_service();
    const auto handler = [this](ServerExchange& exchange) { return service_->handler()(exchange); };
    http_ = sim::make_handler_transport(io.get_executor(), handler, time);
  }
  ~RandomStory() {
    followers_.end();
    http_->break_all();
    pass(60);
  }

  void begin_service() {
    fleet::FleetHttpOptions options;
    options.access = rights_;
    service_ = std::make_shared<fleet::FleetHttp>(fleet, options);
  }
  double uniform(double from, double until) { return std::uniform_real_distribution<double>(from, until)(dice_); }
  bool one_in(unsigned n) { return dice_() % n == 0; }

  std::vector<std::string> tell(const RandomCloud& made) {
    followers_.add(4);
    while (elapsed() < RandomCloud::calm - 0.001) {
      pass(std::min(uniform(1, 40), RandomCloud::calm - elapsed()));
      if (elapsed() < RandomCloud::calm - max_disturbance) disturb();
    }
    set_right(false);
    http_->refuse(false);
    pass(RandomCloud::end - elapsed());
    std::vector<std::string> faults = followers_.faults(made.plain, made.awaited, RandomCloud::end);
    // I7: as many followers as clients, however often they restarted.
    const std::size_t counted = service_->entry()->admission().slots();
    if (counted > followers_.size()) faults.push_back(fmt::format("I7: {} followers are counted", counted));
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
        service_->entry()->close(std::chrono::seconds(one_in(2) ? 0 : 5));
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

  // The right of the first follower.
  void set_right(bool is_withdrawn) {
    const std::string name = "test:" + followers_.log(0).name;
    std::vector<std::pair<double, double>>& withdrawn = followers_.log(0).withdrawn;
    if (is_withdrawn == rights_->names.contains(name)) return;
    if (is_withdrawn) {
      rights_->names.insert(name);
      withdrawn.emplace_back(elapsed(), 1e9);
    } else {
      rights_->names.erase(name);
      withdrawn.back().second = elapsed();
    }
    ++rights_->changes;
    service_->entry()->change(FleetBounds());
    poll();
  }

  std::mt19937& dice_;
  std::shared_ptr<ShutOut> rights_ = std::make_shared<ShutOut>();
  std::shared_ptr<fleet::FleetHttp> service_;
  std::shared_ptr<sim::HandlerTransport> http_;
  StoryFollowers followers_{*this, dice_, RandomCloud::calm, [this] { return http_; }};
};

}  // namespace rollcall::testing
