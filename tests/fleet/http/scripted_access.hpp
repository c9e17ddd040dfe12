// A service whose clients have the identity that they claim, and the rights that a test lists.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "fleet/http/scripted_fleet.hpp"

namespace rollcall::testing {

// Takes the token as the identity, with the rights that are listed for it.
class ScriptedAccess final : public fleet::Access {
 public:
  std::map<std::string, std::vector<std::string>> rights;  // by identity: parts of targets
  std::string forbidden = "forbidden";
  std::map<std::string, WallTime> ends;
  std::uint64_t changes = 1;
  std::shared_ptr<fleet::LivingProof> proof = std::make_shared<fleet::LivingProof>();
  std::set<std::string> meeting;   // may wait at barriers
  std::set<std::string> joined;    // may follow as replicas
  std::set<std::string> verified;  // recognized without identify()
  std::set<std::string> good_tokens;  // signed by a cached key
  mutable int asked = 0;
  mutable int judged = 0;  // number of judged targets

  std::optional<fleet::Identity> recognize(const ServerRequest& request) override {
    fleet::Identity who;
    who.text = std::string(request.headers.get("Authorization").value_or(""));
    if (!verified.contains(who.text)) return std::nullopt;
    return who;
  }
  bool is_signed(const ServerRequest& request) const override {
    return good_tokens.contains(std::string(request.headers.get("Authorization").value_or("")));
  }
  asio::awaitable<Result<fleet::Identity>> identify(const ServerRequest& request) override {
    ++asked;
    const std::string token(request.headers.get("Authorization").value_or(""));
    if (token == "later") co_return Failure(Errc::unavailable, "the issuer cannot be asked");
    if (!rights.contains(token)) co_return Failure(Errc::unauthenticated, "the request shows no token");
    fleet::Identity who;
    who.text = token;
    who.proof = proof;
    if (ends.contains(token)) who.expires = ends.at(token);
    co_return who;
  }
  bool may_read(const fleet::Identity& who, const Target& target) const override {
    ++judged;
    const std::string text = target.to_text();
    const std::vector<std::string>& parts = rights.at(who.text);
    return std::any_of(parts.begin(), parts.end(), [&text](const std::string& part) { return text.find(part) != std::string::npos; });
  }
  bool may_read_metrics(const fleet::Identity&) const override { return false; }
  bool may_meet(const fleet::Identity& who) const override { return meeting.contains(who.text); }
  bool may_join(const fleet::Identity& who) const override { return joined.contains(who.text); }
  bool is_allowed(const Target& target) const override { return target.to_text().find(forbidden) == std::string::npos; }
  std::uint64_t version() const noexcept override { return changes; }
  Result<void> change(const FleetServiceOptions&) override { return Result<void>(); }
};

class AccessLoop {
 public:
  explicit AccessLoop(FleetBounds bounds = {}) : loop(options(access, bounds)) {
    access->rights["a"] = {"trainer", "absent", "forbidden"};
    access->rights["b"] = {"other"};
    loop.topic->show(workers_of(2, 2));
    loop.clouds->named("tpu:other,project=p,zone=z")->show(workers_of(3, 3));
  }
  static fleet::FleetHttpOptions options(std::shared_ptr<fleet::Access> access, FleetBounds bounds) {
    fleet::FleetHttpOptions made;
    made.access = std::move(access);
    made.bounds = bounds;
    made.is_for_this_machine = false;
    return made;
  }
  ExchangePtr ask(std::string target, std::string who, std::vector<std::string> more = {}, std::string peer = "192.0.2.1") {
    if (!who.empty()) more.insert(more.end(), {"Authorization", std::move(who)});
    return loop.request("GET", std::move(target), std::move(more), std::move(peer));
  }
  ExchangePtr stream(std::string who, std::string peer = "192.0.2.1") {
    return ask(trainer, std::move(who), {"Accept", "text/event-stream"}, std::move(peer));
  }
  static inline const std::string trainer = std::string(ServiceLoop::trainer);
  std::shared_ptr<ScriptedAccess> access = std::make_shared<ScriptedAccess>();
  ServiceLoop loop;
};

}  // namespace rollcall::testing
