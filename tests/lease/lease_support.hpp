// Replicas in the contest for one lease, in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lease/elector.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/lease/memory_lease.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Contender {
 public:
  Contender(VirtualLoop& loop, const std::shared_ptr<MemoryLease>& shared, const std::string& name, Duration ttl, std::uint64_t seed)
      : runtime(runtime_of(loop, seed)), engine(std::make_shared<MemoryLeaseEngine>(shared)),
        elector(std::make_shared<lease::Elector>(runtime, engine, name, ttl)), id(name) {
    elector->serves_at("http://" + name);
    elector->start();
  }
  ~Contender() { elector->close(); }
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  Runtime runtime;
  std::shared_ptr<MemoryLeaseEngine> engine;
  std::shared_ptr<lease::Elector> elector;
  std::string id;

 private:
  static Runtime runtime_of(VirtualLoop& loop, std::uint64_t seed) {
    RuntimeOptions options;
    options.time = loop.time;
    options.random_seed = seed;
    return Runtime(loop.io.get_executor(), std::move(options));
  }
};

class Contest : public VirtualLoop {
 public:
  static constexpr Duration ttl = std::chrono::seconds(15);
  std::shared_ptr<MemoryLease> shared = std::make_shared<MemoryLease>();
  std::vector<std::unique_ptr<Contender>> all;

  Contender& add(const std::string& name, Duration of = ttl) {
    all.push_back(std::make_unique<Contender>(*this, shared, name, of, all.size() + 1));
    poll();
    return *all.back();
  }
  /// `a`, or `a b` if two believe that they lead.
  std::string leading() const {
    std::string names;
    for (const auto& one : all) {
      if (one->elector->leads()) names += (names.empty() ? "" : " ") + one->id;
    }
    return names;
  }
  void pass(Duration by) {
    const SteadyTime end = time->now() + by;
    for (poll();; poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
    }
    time->advance_to(end);
    poll();
  }
  /// How long it took until `is_so`; a minute if it never was.
  Duration until(const std::function<bool()>& is_so) {
    const SteadyTime begun = time->now();
    while (!is_so() && time->now() < begun + std::chrono::minutes(1)) pass(milliseconds(100));
    return time->now() - begun;
  }
  Duration until_leads(const std::string& name) {
    return until([this, name] { return leading() == name; });
  }
};

}  // namespace rollcall::testing
