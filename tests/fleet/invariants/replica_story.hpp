// A story as in random_story.hpp, of three services over one etcd: services that are killed, end in order, or lose the store in several
// ways, and an etcd that has no leader, restarts, loses its history, is full, or goes back to a backup. It also checks I3.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fleet/http/fleet_http.hpp"
#include "fleet/invariants/random_cloud.hpp"
#include "fleet/invariants/story_followers.hpp"
#include "fleet/replicas/replica_loop.hpp"

namespace rollcall::testing {

/// Reads every write to the store: the epochs of a source never go back, and only its owner writes.
class EpochCheck {
 public:
  explicit EpochCheck(ReplicaLoop& loop) : loop_(loop) {
    subscription_ = loop.model->subscribe([this] { poll(); });
  }
  /// After a restored backup another history begins.
  void restart() {
    last_.clear();
    seen_ = loop_.model->revision();
  }
  std::vector<std::string> faults;

 private:
  void poll() {
    const std::uint64_t now = loop_.model->revision();
    if (now <= seen_) return;
    const std::vector<sim::EtcdKey> written = loop_.model->since(seen_ + 1, sim::EtcdSpan("/rollcall/", "/rollcall0"));
    seen_ = now;
    for (const sim::EtcdKey& key : written) {
      const std::optional<fleet::StoreKey> parsed = loop_.keys.parse(key.key);
      if (!parsed || parsed->kind != fleet::StoreKey::Kind::head || key.version == 0 || fleet::is_gone_record(key.value)) continue;
      const std::uint64_t epoch = value_of(fleet::parse_head(key.value, ParseLimits())).epoch;
      std::uint64_t& last = last_[parsed->id];
      if (epoch < last) faults.push_back(fmt::format("I3: revision {} is of epoch {} after {}", key.mod_revision, epoch, last));
      if (epoch != loop_.epoch())
        faults.push_back(fmt::format("I3: revision {} is of epoch {}, the owner's is {}", key.mod_revision, epoch, loop_.epoch()));
      last = epoch;
    }
  }

  ReplicaLoop& loop_;
  std::map<std::string, std::uint64_t> last_;
  std::uint64_t seen_ = 0;
  std::shared_ptr<void> subscription_;
};

class ReplicaStory : public ReplicaLoop {
 public:
  static std::vector<std::string> run(unsigned seed, int followers = 8) {
    std::mt19937 dice(seed);
    RandomCloud cloud(dice);
    ReplicaStory story(cloud.text, dice);
    return story.tell(cloud, followers);
  }

 private:
  static constexpr std::size_t replicas = 3;
  static constexpr double max_disturbance = 26;  // see disturb()
  using Reach = sim::MemoryStore::Reach;

  ReplicaStory(const std::string& text, std::mt19937& dice) : ReplicaLoop(text, replicas), dice_(dice) {
    for (std::size_t i = 0; i < replicas; ++i) {
      services_.push_back(std::make_shared<fleet::FleetHttp>(ones[i].fleet));
      https_.push_back(sim::make_handler_transport(
          io.get_executor(), [this, i](ServerExchange& exchange) { return services_[i]->handler()(exchange); }, time));
    }
  }
  ~ReplicaStory() {
    followers_.end();
    for (const auto& one : https_) one->break_all();
    pass(60);
  }

  double uniform(double from, double until) { return std::uniform_real_distribution<double>(from, until)(dice_); }
  bool one_in(unsigned n) { return dice_() % n == 0; }

  std::vector<std::string> tell(const RandomCloud& made, int followers) {
    followers_.add(followers);
    while (elapsed() < RandomCloud::calm - 0.001) {
      pass(std::min(uniform(1, 20), RandomCloud::calm - elapsed()));
      if (elapsed() < RandomCloud::calm - max_disturbance) disturb();
    }
    pass(RandomCloud::end - elapsed());
    std::vector<std::string> faults = followers_.faults(made.plain, made.awaited, RandomCloud::end);
    faults.insert(faults.end(), epochs_.faults.begin(), epochs_.faults.end());
    // I7: no more followers than there are, after any number of restarts.
    for (std::size_t i = 0; i < replicas; ++i) {
      const std::size_t counted = services_[i]->entry()->admission().slots();
      if (counted > followers_.size()) faults.push_back(fmt::format("I7: service {} counts {} followers", i, counted));
      if (https_[i]->in_flight() > followers_.size())
        faults.push_back(fmt::format("I7: service {} has {} handlers", i, https_[i]->in_flight()));
      if (ones[i].fleet->topics().size() > 1)
        faults.push_back(fmt::format("I7: service {} keeps {} targets", i, ones[i].fleet->topics().size()));
      if (ones[i].fleet->memory_bytes() > 256 * 1024)
        faults.push_back(fmt::format("I7: service {} is charged {} bytes", i, ones[i].fleet->memory_bytes()));
      if (!ones[i].fleet->fault().empty()) faults.push_back(fmt::format("I4: service {}: {}", i, ones[i].fleet->fault()));
    }
    return faults;
  }

  void disturb() {
    const std::size_t i = dice_() % replicas;
    sim::MemoryStore& store = *ones[i].store;
    switch (dice_() % 14) {
      case 0: return https_[i]->break_all();
      case 1:
        https_[i]->refuse(true);
        https_[i]->break_all();
        pass(uniform(1, 15));
        return https_[i]->refuse(false);
      case 2:
      case 3:
        store.reach(one_in(2) ? Reach::refused : Reach::hanging);
        pass(uniform(1, 25));
        return store.reach(Reach::open);
      case 4: return replace(i, false);
      case 5: return replace(i, true);
      case 6:
        model->set_leader(false, time->now());
        pass(uniform(1, 25));
        return model->set_leader(true, time->now());
      case 7: return model->restart(time->now());
      case 8:
        store.reach(Reach::refused);
        pass(uniform(1, 10));
        static_cast<void>(model->compact(model->revision()));
        return store.reach(Reach::open);
      case 9:
        model->set_full(true);
        pass(uniform(1, 20));
        return model->set_full(false);
      case 10: return model->end_leases();
      case 11: return store.silence_watches();
      case 12:
        store.lose_answers(1 + static_cast<int>(dice_() % 4));
        store.delay_answers(std::chrono::milliseconds(dice_() % 3000));
        pass(uniform(1, 15));
        store.lose_answers(0);
        return store.delay_answers(Duration(0));
      default: return go_back();
    }
  }

  // Kills a service, or ends it in order; a new process without any state takes its place.
  void replace(std::size_t i, bool is_in_order) {
    https_[i]->refuse(true);
    if (is_in_order) {
      services_[i]->entry()->close(std::chrono::seconds(5));
      const auto leaving = start(left(ones[i].fleet));
      pass(uniform(3, 8));
    }
    ones[i].fleet->close();
    https_[i]->break_all();
    pass(uniform(0, 15));
    ones[i].store = sim::make_memory_store(model);
    ones[i].fleet = fleet::make_replicated_fleet(runtime, ones[i].store, "default");
    ones[i].fleet->serves_at(fmt::format("http://replica-{}", i));
    services_[i] = std::make_shared<fleet::FleetHttp>(ones[i].fleet);
    https_[i]->refuse(false);
  }
  static asio::awaitable<bool> left(std::shared_ptr<fleet::Fleet> fleet) {
    co_await fleet->leave();
    co_return true;
  }

  // Takes a backup, or restores the last one.
  void go_back() {
    if (!backup_) {
      backup_ = model->backup();
      return;
    }
    model->restore(*backup_, time->now());
    backup_.reset();
    epochs_.restart();
  }

  std::mt19937& dice_;
  std::vector<std::shared_ptr<fleet::FleetHttp>> services_;
  std::vector<std::shared_ptr<sim::HandlerTransport>> https_;
  std::optional<sim::EtcdModel::State> backup_;
  EpochCheck epochs_{*this};
  StoryFollowers followers_{*this, dice_, RandomCloud::calm, [this] { return https_[dice_() % replicas]; }};
};

}  // namespace rollcall::testing
