// A scheme of a program's own, in one folder: `toy:SHELF,robots=N,after=SECONDS` is a cluster of robots that are ready after some time.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rollcall/target_scheme.hpp"

namespace rollcall::testing {

class ToyResolver final : public ClusterResolver {
 public:
  ToyResolver(Runtime runtime, std::string shelf, int robots, int after)
      : ClusterResolver(std::move(runtime)), shelf_(std::move(shelf)), robots_(robots), after_(after) {}

  std::string describe() const override { return "toy:" + shelf_; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<ClusterStatus> status = co_await do_cluster_status(call);
    if (!status) co_return status.error();
    if (status->state.level != MemberState::ready) co_return Failure(Errc::not_ready, "the robots of " + shelf_ + " still charge");
    co_return status->spec();
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    if (!first_asked_) first_asked_ = call.started();
    const bool is_ready = call.started() - *first_asked_ >= after_;
    ClusterStatus status;
    status.expected = robots_;
    status.phase = is_ready ? ClusterPhase::running : ClusterPhase::provisioning;
    status.state = Condition(is_ready ? MemberState::ready : MemberState::waiting, is_ready ? "PLAYING" : "CHARGING");
    for (int i = 0; is_ready && i < robots_; ++i)
      status.members.emplace_back("robot", i).address = fmt::format("{}-{}.toys.test:1", shelf_, i);
    co_return status;
  }

 private:
  std::string shelf_;
  int robots_;
  std::chrono::seconds after_;
  std::optional<SteadyTime> first_asked_;
};

// What doctor() looks at: a service over https, and a settings check of its own.
class ToyShop final : public DoctorSubject {
 public:
  asio::awaitable<Result<HttpRequest>> find(Call&) const override {
    HttpRequest request(*Url::parse("https://shop.toys.test/"));
    co_return request;
  }
  DoctorAnswer check_settings(Call&) const override {
    DoctorChecks checks;
    checks.emplace_back("batteries", CheckOutcome::warning, "two are low", "charge them");
    co_return checks;
  }
};

inline int toy_number(const Target& target, std::string_view key, int otherwise) {
  const std::string text = target.get(key).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

inline Result<std::shared_ptr<ClusterResolver>> make_toy(Runtime runtime, const Target& target) {
  std::shared_ptr<ClusterResolver> made =
      std::make_shared<ToyResolver>(std::move(runtime), target.body, toy_number(target, "robots", 2), toy_number(target, "after", 0));
  return made;
}

inline std::string_view toy_name_fault(const Target& target) {
  return target.body == "mine" ? "it is the shelf of the client's child" : "";
}

inline Result<std::shared_ptr<const DoctorSubject>> doctor_toy(const Runtime&, const Target&) {
  std::shared_ptr<const DoctorSubject> shop = std::make_shared<ToyShop>();
  return shop;
}

inline constexpr ServedKey toy_keys_served[] = {{"robots"}, {"after"}, {"task", true}};
inline constexpr SchemeRules toy_rules = {.scheme = "toy", .keys = toy_keys_served, .name_fault = toy_name_fault};

inline constexpr TargetKey toy_keys[] = {
    {"robots", "how many; default: 2"}, {"after", "seconds until they are charged"}, {"task", "this task"}, {"diary", "a file", true}};
inline constexpr TargetScheme toy_scheme = {
    .name = "toy",
    .synopsis = "toy:SHELF[,robots=N][,after=SECONDS]",
    .summary = "the robots of a shelf",
    .example = "toy:upper,robots=3",
    .keys = toy_keys,
    .make = make_toy,
    .rules = &toy_rules,
    .doctor = doctor_toy,
};

}  // namespace rollcall::testing
