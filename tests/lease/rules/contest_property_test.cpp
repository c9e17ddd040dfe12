// Replicas and an engine with random faults, in simulated time: never two lead at once, epochs only grow, and one leads soon after the last
// fault.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lease/rules/candidacy.hpp"
#include "support/sanitizers.hpp"

namespace rollcall::testing {
namespace {

using lease::Candidacy;
using lease::LeaseRecord;
using std::chrono::milliseconds;
using Instant = Duration;  // since the beginning of the world

constexpr Duration ttl_of_all = std::chrono::seconds(15);
constexpr Duration patience_of_all = ttl_of_all / 5;
constexpr Instant faults_end = std::chrono::minutes(5);

class SimulatedReplica {
 public:
  SimulatedReplica(std::string name, double clock_rate, Duration clock_offset, Duration wall_offset)
      : candidacy(name, ttl_of_all), id(std::move(name)), rate(clock_rate), offset(clock_offset), wall(wall_offset) {}
  Candidacy candidacy;
  std::string id;
  double rate;
  Duration offset;
  Duration wall;
  Instant paused_until{0};
  Instant cut_until{0};
  bool is_dead = false;
  bool is_busy = false;
  std::uint64_t scheduled = 0;
  bool did_lead = false;
  SteadyTime clock(Instant at) const { return SteadyTime(offset + std::chrono::duration_cast<Duration>(at * rate)); }
};

class SimulatedContest {
 public:
  explicit SimulatedContest(std::uint32_t seed) : random_(seed), has_wall_jumps_(seed % 2 == 1) {
    const int count = 1 + static_cast<int>(below(5));
    for (int i = 0; i < count; ++i) add();
    plan_fault();
  }

  void run() {
    while (!events_.empty() && is_fine() && !is_done_) {
      auto next = events_.extract(events_.begin());
      now_ = next.key();
      next.mapped()();
      check();
    }
  }
  std::string fault;

 private:
  using Replica = std::shared_ptr<SimulatedReplica>;
  bool is_fine() const { return fault.empty(); }
  std::uint32_t below(std::uint32_t bound) { return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_); }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  Duration up_to(Duration most) { return std::chrono::duration_cast<Duration>(most * uniform()); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  void at(Instant when, std::function<void()> what) { events_.emplace(std::max(when, now_), std::move(what)); }
  /// What a replica does happens when it is not paused, and lives.
  void at_replica(const Replica& replica, Instant when, std::function<void()> what) {
    at(when, [this, replica, what = std::move(what)] {
      if (replica->is_dead) return;
      if (now_ < replica->paused_until) return at_replica(replica, std::min(replica->paused_until, now_ + milliseconds(50)), what);
      what();
    });
  }

  void add() {
    const Duration wall = has_wall_jumps_ ? up_to(std::chrono::hours(2)) - std::chrono::hours(1) : Duration(0);
    replicas_.push_back(
        std::make_shared<SimulatedReplica>("r" + std::to_string(++added_), 0.99 + 0.02 * uniform(), up_to(std::chrono::hours(9)), wall));
    replicas_.back()->candidacy.serves_at("http://" + replicas_.back()->id);
    schedule(replicas_.back());
  }
  void schedule(const Replica& replica) {
    const std::uint64_t number = ++replica->scheduled;
    const SteadyTime local = replica->clock(now_);
    const Duration left = std::max(replica->candidacy.due(local) - local, Duration(0));
    at_replica(replica, now_ + std::chrono::duration_cast<Duration>(left / replica->rate) + milliseconds(1), [this, replica, number] {
      if (number == replica->scheduled && !replica->is_busy) act(replica);
    });
  }
  Duration latency() { return one_in(20) && now_ < faults_end ? up_to(std::chrono::seconds(8)) : up_to(milliseconds(200)); }
  bool is_away(const Replica& replica) const { return now_ < engine_down_until_ || now_ < replica->cut_until; }

  // One question, its way there, what the engine does, the way back, and the end of the replica's patience.
  void act(const Replica& replica) {
    const Candidacy::Step step = replica->candidacy.step(replica->clock(now_));
    if (step == Candidacy::Step::wait) return schedule(replica);
    replica->is_busy = true;
    const auto is_ended = std::make_shared<bool>(false);
    const SteadyTime began = replica->clock(now_);
    const LeaseRecord seen = replica->candidacy.seen().value_or(LeaseRecord());
    const bool is_read = step == Candidacy::Step::read;
    const WallTime wall = WallTime(std::chrono::hours(24 * 365 * 50)) + now_ + replica->wall;
    const LeaseRecord next = is_read ? LeaseRecord() : replica->candidacy.record_for(step, wall);
    const auto end = [this, replica, is_ended](std::function<void()> how) {
      if (std::exchange(*is_ended, true)) return;
      replica->is_busy = false;
      how();
      schedule(replica);
    };
    at_replica(replica, now_ + patience_of_all,
               [=, this] { end([=, this] { replica->candidacy.on_failure(replica->clock(now_), uniform()); }); });
    if (is_away(replica)) return;
    at(now_ + latency(), [=, this] {
      if (is_away(replica)) return;
      const bool is_written = !is_read && record_.version == seen.version;
      if (is_written) write(next);
      const LeaseRecord answer = record_;
      if (one_in(30) && now_ < faults_end) return;  // the answer is lost
      at(now_ + latency(), [=, this] {
        if (is_away(replica)) return;
        at_replica(replica, now_, [=, this] {
          end([=, this] {
            const SteadyTime local = replica->clock(now_);
            if (is_read) {
              replica->candidacy.on_read(answer, began, local, uniform());
            } else if (is_written) {
              replica->candidacy.on_written(step, answer, began, local);
            } else {
              replica->candidacy.on_conflict(local, uniform());
            }
          });
        });
      });
    });
  }
  void write(LeaseRecord next) {
    record_ = std::move(next);
    record_.version = std::to_string(++revision_);
    history_.push_back(record_);
  }

  void plan_fault() {
    const Instant when = now_ + up_to(std::chrono::seconds(40));
    if (when > faults_end) return at(faults_end, [this] { end_faults(); });
    at(when, [this] {
      make_fault();
      plan_fault();
    });
  }
  void make_fault() {
    const Replica chosen = replicas_[below(static_cast<std::uint32_t>(replicas_.size()))];
    switch (below(8)) {
      case 0: chosen->paused_until = now_ + up_to(std::chrono::seconds(40)); break;
      case 1: chosen->cut_until = now_ + up_to(std::chrono::seconds(40)); break;
      case 2: engine_down_until_ = std::max(engine_down_until_, now_ + up_to(std::chrono::seconds(30))); break;
      case 3:
        kill(chosen);
        add();
        break;
      case 4:
        chosen->candidacy.leave();
        at(now_ + std::chrono::seconds(3), [this, chosen] {
          if (chosen->is_dead) return;
          kill(chosen);
          add();
        });
        break;
      case 5:
        if (has_wall_jumps_) break;
        record_ = LeaseRecord();
        break;
      case 6: restore(); break;
      default:
        for (const Replica& other : replicas_) other->candidacy.saw_epoch(chosen->candidacy.highest_epoch(), other->clock(now_));
    }
  }
  void kill(const Replica& chosen) {
    chosen->is_dead = true;
    std::erase(replicas_, chosen);
  }
  // From a backup, for which the engine's servers are stopped for longer than a TTL; its revisions go back.
  void restore() {
    if (has_wall_jumps_ || history_.empty()) return;
    engine_down_until_ = std::max(engine_down_until_, now_ + ttl_of_all + up_to(std::chrono::seconds(10)));
    const std::size_t kept = 1 + below(static_cast<std::uint32_t>(history_.size()));
    at(engine_down_until_ - milliseconds(1), [this, kept] {
      if (kept > history_.size()) return;
      history_.resize(kept);
      record_ = history_.back();
      revision_ = std::stoull(record_.version);
    });
  }
  void end_faults() {
    for (const Replica& replica : replicas_) {
      replica->paused_until = std::min(replica->paused_until, now_);
      replica->cut_until = std::min(replica->cut_until, now_);
    }
    // What began before it goes on: the longest pause, the stop for a backup, and the way of what was late.
    const Duration rest = std::max(engine_down_until_ - now_, Duration(0)) + std::chrono::seconds(8);
    at(now_ + rest + 2 * ttl_of_all + std::chrono::seconds(5), [this] {
      const auto leads = [this](const Replica& replica) { return replica->candidacy.leads(replica->clock(now_)); };
      if (std::none_of(replicas_.begin(), replicas_.end(), leads)) fault = "no replica leads, long after the last fault";
      is_done_ = true;
    });
  }

  void check() {
    std::string names;
    for (const Replica& replica : replicas_) {
      const bool leads = replica->candidacy.leads(replica->clock(now_));
      if (leads && !names.empty()) fault = names + " and " + replica->id + " lead at once";
      if (leads) names = replica->id;
      const bool has_begun = leads && !std::exchange(replica->did_lead, leads);
      replica->did_lead = leads;
      if (!has_begun) continue;
      ++takings;
      const std::uint64_t epoch = replica->candidacy.highest_epoch();
      if (epoch <= last_epoch_) fault = replica->id + " leads with an epoch that is not larger than the last one";
      last_epoch_ = epoch;
    }
    if (!fault.empty()) fault += " at " + std::to_string(std::chrono::duration<double>(now_).count());
  }

 public:
  int takings = 0;

 private:
  std::mt19937 random_;
  const bool has_wall_jumps_;
  std::multimap<Instant, std::function<void()>> events_;
  Instant now_{0};
  std::vector<Replica> replicas_;
  int added_ = 0;
  LeaseRecord record_;
  std::uint64_t revision_ = 0;
  std::vector<LeaseRecord> history_;
  Instant engine_down_until_{0};
  std::uint64_t last_epoch_ = 0;
  bool is_done_ = false;
};

}  // namespace

TEST_CASE("under all faults never two replicas lead at once, epochs only grow, and one leads soon after the last fault") {
  int takings = 0;
  for (std::uint32_t seed = 1; seed <= fewer_with_sanitizers(1000); ++seed) {
    SimulatedContest contest(seed);
    contest.run();
    INFO("seed " << seed);
    CHECK(contest.fault == "");
    takings += contest.takings;
  }
  CHECK(takings > static_cast<int>(fewer_with_sanitizers(3000)));
}

}  // namespace rollcall::testing
