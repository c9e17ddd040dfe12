// Members, events and facts for the tests of the chain of causes.
#pragma once

#include "base/timestamp.hpp"
#include "resolvers/kubernetes/chain/rules/chain.hpp"
#include "rollcall/cause_text.hpp"

namespace rollcall::testing {

inline Member waiting_member(int index, const std::string& uid, const std::string& host = "g1") {
  Member member("worker", index);
  member.name = "train/p-" + std::to_string(index);
  member.uid = uid;
  member.host = host;
  member.state = Condition(MemberState::waiting, "Pending (ContainerCreating)");
  return member;
}

inline Member ready_member(int index, const std::string& host) {
  Member member = waiting_member(index, "r-" + std::to_string(index), host);
  member.state = Condition();
  return member;
}

inline KubeEvent event_of(const std::string& uid, const std::string& reason, const std::string& message, int minute = 0,
                          const std::string& container = {}) {
  KubeEvent event;
  event.kind = "Pod";
  event.uid = uid;
  event.reason = reason;
  event.message = message;
  event.container = container;
  event.type = reason == "Pulling" || reason == "Pulled" ? "Normal" : "Warning";
  event.at = *parse_rfc3339("2026-11-26T13:00:00Z") + std::chrono::minutes(minute);
  event.first = event.at;
  return event;
}

inline ChainFacts facts_now() {
  ChainFacts facts;
  facts.at = *parse_rfc3339("2026-11-26T13:10:00Z");
  facts.has_events = true;
  return facts;
}

inline std::string chain_text(const std::vector<Cause>& causes) {
  std::string text;
  for (const Cause& cause : causes) text += (text.empty() ? "" : " | ") + std::string(to_string(cause.layer)) + " " + cause_text(cause);
  return text;
}

}  // namespace rollcall::testing
