#include "fleet/xds/rules/subscriptions.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using rollcall::testing::check_failure;

namespace {

constexpr ResourceType clusters_asked = ResourceType::cluster;
constexpr ResourceType endpoints_asked = ResourceType::endpoints;
constexpr ResourceType listeners_asked = ResourceType::listener;

// A stream, and the present resources.
class Conversation {
 public:
  Subscriptions subscriptions;
  std::map<std::string, std::string> there;  // by name, for each type
  std::set<std::string> others;

  std::string ask(ResourceType type, std::vector<std::string> names, std::string nonce = {}, std::optional<std::string> error = {}) {
    DiscoveryRequest request;
    request.names = std::move(names);
    request.nonce = std::move(nonce);
    request.error = std::move(error);
    const Result<Subscriptions::Effect> effect = subscriptions.take(type, request);
    if (!effect) return std::string(to_string(effect.error().code()));
    if (*effect == Subscriptions::Effect::outdated) return "outdated";
    return *effect == Subscriptions::Effect::refused ? "refused" : "taken";
  }
  /// `NONCE: resources`; `-`: nothing is due.
  std::string next(ResourceType type) {
    const auto poll = [this](ResourceType, const std::string& name) -> ResourceBytes {
      const auto found = there.find(name);
      return found == there.end() ? nullptr : std::make_shared<const std::string>(found->second);
    };
    const std::optional<Subscriptions::Answer> answer = subscriptions.answer(type, poll, others);
    if (!answer) return "-";
    std::string text = answer->nonce + ":";
    for (const ResourceBytes& resource : answer->resources) text += " " + resource->substr(0, 20);
    return text;
  }
};

}  // namespace

TEST_CASE("Nothing is sent before it is subscribed, and nothing twice", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}};
  CHECK(t.next(endpoints_asked) == "-");
  CHECK(t.ask(endpoints_asked, {"a"}) == "taken");
  CHECK(t.next(listeners_asked) == "-");
  CHECK(t.next(endpoints_asked) == "1: a1");
  CHECK(t.next(endpoints_asked) == "-");
  CHECK(t.ask(endpoints_asked, {"a"}, "1") == "taken");
  CHECK(t.next(endpoints_asked) == "-");
  t.there["a"] = "a2";
  CHECK(t.next(endpoints_asked) == "2: a2");
}

TEST_CASE("Of endpoints only changes are sent; of listeners and clusters all are sent, so that a missing one is gone", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}, {"b", "b1"}};
  t.ask(endpoints_asked, {"a", "b", "c"});
  t.ask(clusters_asked, {"a", "b", "c"});
  t.ask(listeners_asked, {"a", "b", "c"});
  CHECK(t.next(clusters_asked) == "1: a1 b1");
  CHECK(t.next(endpoints_asked) == "2: a1 b1");
  CHECK(t.next(listeners_asked) == "3: a1 b1");
  t.there = {{"b", "b1"}, {"c", "c1"}};
  CHECK(t.next(clusters_asked) == "4: b1 c1");
  CHECK(t.next(endpoints_asked) == "5: c1");
  CHECK(t.next(listeners_asked) == "6: b1 c1");
  CHECK(t.next(clusters_asked) == "-");
}

TEST_CASE("A first answer about clusters comes though it is empty, so that a client need not wait for its time to run out", "[fleet]") {
  Conversation t;
  t.ask(listeners_asked, {"absent"});
  CHECK(t.next(listeners_asked) == "1:");
  CHECK(t.next(listeners_asked) == "-");
  t.ask(listeners_asked, {"absent"}, "1");
  CHECK(t.next(listeners_asked) == "-");
  t.ask(listeners_asked, {"absent", "also"}, "1");
  CHECK(t.next(listeners_asked) == "2:");
}

TEST_CASE("What answers to an older answer is dropped, names and all", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}, {"b", "b1"}};
  t.ask(endpoints_asked, {"a"});
  CHECK(t.next(endpoints_asked) == "1: a1");
  t.there["a"] = "a2";
  CHECK(t.next(endpoints_asked) == "2: a2");
  CHECK(t.ask(endpoints_asked, {"a", "b"}, "1") == "outdated");
  CHECK(t.subscriptions.names() == std::set<std::string>{"a"});
  CHECK(t.ask(endpoints_asked, {"a", "b"}, "2") == "taken");
  CHECK(t.next(endpoints_asked) == "3: b1");
}

TEST_CASE("The nonce of another type, or one that was never sent, acknowledges nothing", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}};
  t.ask(clusters_asked, {"a"});
  t.ask(endpoints_asked, {"a"});
  CHECK(t.next(clusters_asked) == "1: a1");
  CHECK(t.next(endpoints_asked) == "2: a1");
  CHECK(t.ask(endpoints_asked, {"a"}, "1") == "outdated");
  CHECK(t.ask(clusters_asked, {"a"}, "2", "no") == "outdated");
  CHECK(t.ask(endpoints_asked, {"a"}, "99") == "outdated");
  CHECK(t.ask(listeners_asked, {"a"}, "1") == "outdated");
  CHECK(t.ask(endpoints_asked, {"a"}, "2") == "taken");
  // A request without a nonce was sent before the answer arrived.
  t.there["a"] = "a2";
  CHECK(t.next(endpoints_asked) == "3: a2");
  CHECK(t.ask(endpoints_asked, {"b"}) == "outdated");
}

TEST_CASE("A client that rejects an answer does not get the same again, and counts once", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}};
  t.ask(clusters_asked, {"a"});
  CHECK(t.next(clusters_asked) == "1: a1");
  CHECK(t.ask(clusters_asked, {"a"}, "1", "no such thing") == "refused");
  CHECK(t.ask(clusters_asked, {"a"}, "1", "no such thing") == "taken");
  CHECK(t.next(clusters_asked) == "-");
  t.there["a"] = "a2";
  CHECK(t.next(clusters_asked) == "2: a2");
  CHECK(t.ask(clusters_asked, {"a"}, "2", "nor this") == "refused");
}

TEST_CASE("A name that was left out and comes back is sent again", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}, {"b", "b1"}};
  t.ask(endpoints_asked, {"a", "b"});
  CHECK(t.next(endpoints_asked) == "1: a1 b1");
  CHECK(t.ask(endpoints_asked, {"b"}, "1") == "taken");
  CHECK(t.next(endpoints_asked) == "-");
  CHECK(t.ask(endpoints_asked, {"a", "b"}, "1") == "taken");
  CHECK(t.next(endpoints_asked) == "2: a1");
}

TEST_CASE("Clusters that are asked for by no name are all there are, until a name is asked for", "[fleet]") {
  Conversation t;
  t.there = {{"a", "a1"}, {"b", "b1"}, {"c", "c1"}};
  t.others = {"a", "b"};
  CHECK(t.ask(clusters_asked, {}) == "taken");
  CHECK(t.subscriptions.wants_all_clusters());
  CHECK(t.next(clusters_asked) == "1: a1 b1");
  t.others = {"b"};
  CHECK(t.next(clusters_asked) == "2: b1");
  CHECK(t.ask(clusters_asked, {"*", "c"}, "2") == "taken");
  CHECK(t.next(clusters_asked) == "3: b1 c1");
  CHECK(t.ask(clusters_asked, {"c"}, "3") == "taken");
  CHECK_FALSE(t.subscriptions.wants_all_clusters());
  CHECK(t.next(clusters_asked) == "-");  // the client has dropped the others itself
  // An empty request after one with names subscribes nothing, and does not mean all.
  CHECK(t.ask(clusters_asked, {}, "3") == "taken");
  CHECK_FALSE(t.subscriptions.wants_all_clusters());
  t.there["b"] = "b2";
  CHECK(t.next(clusters_asked) == "-");
  CHECK(t.ask(endpoints_asked, {}) == "taken");
  CHECK(t.next(endpoints_asked) == "-");
}

TEST_CASE("Endpoints of a cluster from the list of all are distinguished from those subscribed by name", "[fleet]") {
  Conversation t;
  t.ask(endpoints_asked, {"a"});
  CHECK_FALSE(t.subscriptions.is_of_all_clusters("a"));
  t.ask(clusters_asked, {"*", "b"});
  CHECK(t.subscriptions.is_of_all_clusters("a"));
  CHECK_FALSE(t.subscriptions.is_of_all_clusters("b"));
  t.ask(listeners_asked, {"a"});
  CHECK_FALSE(t.subscriptions.is_of_all_clusters("a"));
}

TEST_CASE("Names of all types together are bounded", "[fleet]") {
  Conversation t;
  std::vector<std::string> many;
  for (std::size_t i = 0; i < max_discovered_names; ++i) many.push_back(std::to_string(i));
  CHECK(t.ask(endpoints_asked, many) == "taken");
  CHECK(t.ask(clusters_asked, many) == "taken");
  CHECK(t.ask(clusters_asked, {"another"}) == "limit_exceeded");
}

TEST_CASE("Endpoints of many bytes come in several answers, none of them over what clients take", "[fleet]") {
  Conversation t;
  for (const char* name : {"a", "b", "c", "d"}) t.there[name] = std::string(name) + std::string(700'000, '.');
  t.ask(endpoints_asked, {"a", "b", "c", "d"});
  CHECK(t.next(endpoints_asked).substr(0, 4) == "1: a");
  CHECK(t.next(endpoints_asked).substr(0, 4) == "2: b");
  t.there["c"] = "c";
  t.there["d"] = "d";
  CHECK(t.next(endpoints_asked) == "3: c d");
  CHECK(t.next(endpoints_asked) == "-");
}
