// A fleet over a simulated cloud, in virtual time, and a listener.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "fleet/fleet.hpp"
#include "fleet/rights/access.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

/// Counts its notifications.
class Ear final : public fleet::TopicListener {
 public:
  Ear() {}
  explicit Ear(bool with_spec) : with_spec_(with_spec) {}
  void on_topic() noexcept override {
    ++sent;
    if (then) then();
  }
  bool wants_spec() const noexcept override { return with_spec_; }

  int sent = 0;
  std::function<void()> then;

 private:
  bool with_spec_ = false;
};

/// Believes each client's name; the client that is shut out may read nothing.
class ShutOut final : public fleet::Access {
 public:
  std::set<std::string> names;
  std::uint64_t changes = 0;

  asio::awaitable<Result<fleet::Identity>> identify(const ServerRequest& request) override {
    fleet::Identity identity;
    identity.text = "test:" + std::string(request.headers.get("Authorization").value_or("?"));
    co_return identity;
  }
  bool may_read(const fleet::Identity& who, const Target&) const override { return !names.contains(who.text); }
  bool may_read_metrics(const fleet::Identity& who) const override { return !names.contains(who.text); }
  bool may_meet(const fleet::Identity&) const override { return true; }
  bool may_join(const fleet::Identity&) const override { return true; }
  bool is_allowed(const Target&) const override { return true; }
  std::uint64_t version() const noexcept override { return changes; }
  Result<void> change(const FleetServiceOptions&) override { return Result<void>(); }
};

inline fleet::FleetOptions fleet_options() { return fleet::FleetOptions(); }

/// The file of a zone with so many nodes n0, n1 …
inline std::string zone_of(int nodes, const std::string& more = {}) {
  return fmt::format(R"({{"nodes": [{{"name": "n{{i}}", "count": {}, "accelerator_type": "v4-8"}}]{}}})", nodes, more);
}

/// One node of two hosts.
inline std::string trainer(const std::string& timeline, const std::string& more = {}) {
  return R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [)" + timeline + "]}]" + more + "}";
}

class FleetLoop : public CloudLoop {
 public:
  explicit FleetLoop(std::string_view cloud_text, fleet::FleetOptions options = fleet_options(), Texts files = {})
      : CloudLoop(cloud_text, {}, std::move(files)), fleet(fleet::make_fleet(runtime, std::move(options))) {}
  ~FleetLoop() {
    fleet->close();
    poll();
  }

  std::shared_ptr<fleet::Topic> topic(std::string_view target) { return value_of(fleet->topic(value_of(Target::parse(target)))); }
  std::shared_ptr<fleet::Topic> tpu(std::string_view name) {
    return topic("tpu:" + std::string(name) + ",project=example-proj,zone=us-central2-b");
  }

  /// Lets so many seconds pass, timer by timer.
  void pass(double seconds) {
    const SteadyTime end = time->now() + Duration(static_cast<std::int64_t>(seconds * 1e9));
    for (poll();; poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
    }
    time->advance_to(end);
    poll();
  }
  /// Lets time pass until `is_so`, at most so many seconds. Returns the seconds that passed.
  double pass_until(const std::function<bool()>& is_so, double max) {
    const double begun = elapsed();
    for (poll(); !is_so() && elapsed() - begun < max; poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next) break;
      time->advance_to(*next);
    }
    return elapsed() - begun;
  }
  /// Requests to the Cloud TPU API.
  std::uint64_t asked_for_nodes() const { return asked("nodes.get") + asked("nodes.list"); }
  double age(const fleet::Topic& of) const { return std::chrono::duration<double>(time->now() - of.known().polled_at.value()).count(); }

  std::shared_ptr<fleet::Fleet> fleet;
};

}  // namespace rollcall::testing
