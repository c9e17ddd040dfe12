// A story as in random_story.hpp, of three replicas over one lease: replicas that are killed, end in order, or lose the lease, the cloud,
// or one another, in one direction or both, or stand still; two that believe that they lead; a lease that is deleted. It also checks I3.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/invariants/random_cloud.hpp"
#include "fleet/invariants/story_followers.hpp"
#include "fleet/replicas/replica_loop.hpp"

namespace rollcall::testing {

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
  using Kind = LeaseFault::Kind;

  // Listens at a replica without being one of its followers: I3, the epoch of what it shows never goes back.
  class EpochEar final : public fleet::TopicListener {
   public:
    EpochEar(ReplicaStory& story, std::size_t replica) : story_(story), replica_(replica), topic_(story.tpu_at(replica, "trainer")) {
      topic_->listen(*this);
    }
    void on_topic() noexcept override {
      const fleet::Known& known = topic_->known();
      const fleet::Position now(known.epoch, known.revision);
      if (now < last_)
        story_.faults_.push_back(fmt::format("I3: replica {} goes back from {} to {}", replica_, last_.to_text(), now.to_text()));
      last_ = std::max(last_, now);
    }
    std::size_t followers() const noexcept override { return 0; }

   private:
    ReplicaStory& story_;
    std::size_t replica_;
    std::shared_ptr<fleet::Topic> topic_;
    fleet::Position last_;
  };

  ReplicaStory(const std::string& text, std::mt19937& dice) : ReplicaLoop(text, replicas), dice_(dice) {
    for (std::size_t i = 0; i < replicas; ++i) {
      const auto handler = [this, i](ServerExchange& exchange) { return serve(i, exchange); };
      https_.push_back(sim::make_handler_transport(io.get_executor(), handler, time));
      ears_.push_back(std::make_unique<EpochEar>(*this, i));
    }
  }
  ~ReplicaStory() {
    followers_.end();
    ears_.clear();
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
    faults.insert(faults.end(), faults_.begin(), faults_.end());
    if (leader() < 0) faults.push_back(fmt::format("I4: {} leads", leader() == -1 ? "no replica" : "more than one replica"));
    // I7: no more followers than there are, after any number of restarts.
    for (std::size_t i = 0; i < replicas; ++i) {
      const std::size_t counted = ones[i].service->entry()->admission().slots();
      if (counted > followers_.size()) faults.push_back(fmt::format("I7: replica {} counts {} followers", i, counted));
      if (https_[i]->in_flight() > followers_.size())
        faults.push_back(fmt::format("I7: replica {} has {} handlers", i, https_[i]->in_flight()));
      if (ones[i].fleet->topics().size() > 1)
        faults.push_back(fmt::format("I7: replica {} keeps {} targets", i, ones[i].fleet->topics().size()));
      if (ones[i].fleet->memory_bytes() > 256 * 1024)
        faults.push_back(fmt::format("I7: replica {} is charged {} bytes", i, ones[i].fleet->memory_bytes()));
      if (!ones[i].fleet->fault().empty()) faults.push_back(fmt::format("I4: replica {}: {}", i, ones[i].fleet->fault()));
    }
    return faults;
  }

  void disturb() {
    const std::size_t i = dice_() % replicas;
    const std::size_t k = (i + 1 + dice_() % (replicas - 1)) % replicas;
    const std::size_t led = leader() >= 0 ? static_cast<std::size_t>(leader()) : i;
    switch (dice_() % 13) {
      case 0: return https_[i]->break_all();
      case 1:
        https_[i]->refuse(true);
        https_[i]->break_all();
        pass(uniform(1, 15));
        return https_[i]->refuse(false);
      case 2:
      case 3: {
        const std::size_t of = one_in(2) ? led : i;
        ones[of].engine->always = one_in(2) ? LeaseFault(Kind::refused) : LeaseFault(Kind::no_answer);
        pass(uniform(1, 25));
        ones[of].engine->always = LeaseFault(Kind::none);
        return;
      }
      case 4: return replace(one_in(2) ? led : i, false);
      case 5: return replace(one_in(2) ? led : i, true);
      case 6: {
        const std::size_t of = one_in(2) ? led : i;
        ones[of].transport->is_cloud_cut = true;
        pass(uniform(1, 20));
        ones[of].transport->is_cloud_cut = false;
        return;
      }
      case 7:
        cut(i, k);
        pass(uniform(1, 25));
        return join(i, k);
      case 8:
        cut(i, k);
        cut(k, i);
        pass(uniform(1, 25));
        join(i, k);
        return join(k, i);
      case 9:
        ones[led].engine->always =
            LeaseFault(one_in(2) ? Kind::lost_answer : Kind::late_arrival, std::chrono::milliseconds(dice_() % 8000));
        pass(uniform(1, 20));
        ones[led].engine->always = LeaseFault(Kind::none);
        return;
      case 10: return isolate(led);
      case 11: return stand_still(one_in(2) ? led : i);
      default: return shared->remove();
    }
  }

  // It believes that it leads, and its followers stay with it, while the others have another leader.
  void isolate(std::size_t i) {
    ones[i].engine->always = LeaseFault(Kind::no_answer);
    for (std::size_t k = 0; k < replicas; ++k) {
      if (k == i) continue;
      cut(i, k);
      cut(k, i);
    }
    pass(uniform(5, 25));
    ones[i].engine->always = LeaseFault(Kind::none);
    for (std::size_t k = 0; k < replicas; ++k) {
      if (k == i) continue;
      join(i, k);
      join(k, i);
    }
  }

  // As after SIGSTOP and SIGCONT: what it has begun to say comes late, and it believes for a moment what it knew.
  void stand_still(std::size_t i) {
    ones[i].executor->pause();
    followers_.stand_still(https_[i], [this] { pass(uniform(1, 25)); });
    ones[i].executor->go_on();
  }

  // Kills a replica, or ends it in order; a new process without any state takes its place.
  void replace(std::size_t i, bool is_in_order) {
    https_[i]->refuse(true);
    ears_[i].reset();
    if (is_in_order) {
      const auto leaving = start(left(ones[i].fleet));
      pass(1);
      ones[i].service->entry()->close(std::chrono::seconds(5));
      pass(uniform(3, 8));
    }
    kill(i);
    https_[i]->break_all();
    pass(uniform(0, 15));
    begin(i);
    for (std::size_t k = 0; k < replicas; ++k) {
      if (k != i) join(k, i);
    }
    ears_[i] = std::make_unique<EpochEar>(*this, i);
    https_[i]->refuse(false);
  }
  static asio::awaitable<bool> left(std::shared_ptr<fleet::Fleet> fleet) {
    co_await fleet->leave();
    co_return true;
  }

  std::mt19937& dice_;
  std::vector<std::shared_ptr<sim::HandlerTransport>> https_;
  std::vector<std::unique_ptr<EpochEar>> ears_;
  std::vector<std::string> faults_;
  StoryFollowers followers_{*this, dice_, RandomCloud::calm, [this] { return https_[dice_() % replicas]; }};
};

}  // namespace rollcall::testing
