// A small Compute Engine for the tests of the GCE resolver.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "rollcall/gce_resolver.hpp"
#include "support/query_of.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

using namespace std::chrono_literals;

using Answer = ScriptedTransport::Answer;

inline GceOptions workers() { return GceOptions("workers").project("p").zone("z").port(8470); }

// A small Compute Engine: members `NAME ADDRESS`, `page_size` to a page.
class Compute {
 public:
  std::vector<std::pair<std::string, std::string>> members;
  std::size_t page_size = 500;
  std::set<std::string> gone;                   // when they are looked up
  std::string zone = "z";
  std::string extra_of_page;                    // `,"warning":{…}`
  std::string extra_of_list;  // of instances
  std::string extra_of_item;                    // `,"namedPorts":[…]`
  std::string extra_of_instance;
  std::map<std::string, std::string> places;    // resourceStatus of an instance
  Duration delay{0};

  Answer operator()(const HttpRequest& request) const {
    Answer answer(ScriptedTransport::reply(200, body(request)));
    const std::string path = request.url.target.substr(0, request.url.target.find('?'));
    if (gone.contains(path.substr(path.rfind('/') + 1))) {
      answer = Answer(ScriptedTransport::reply(
          404, R"({"error":{"code":404,"message":"The resource was not found","errors":[{"reason":"notFound"}]}})"));
    }
    answer.after = delay;
    return answer;
  }

 private:
  std::string body(const HttpRequest& request) const {
    const std::string path = request.url.target.substr(0, request.url.target.find('?'));
    if (path.ends_with("/listInstances")) return page(request);
    if (path.ends_with("/instances")) return list(request);
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const auto& [member, address] : members) {
      if (member == name) return instance(member, address);
    }
    return "{}";
  }
  std::string page(const HttpRequest& request) const {
    const std::string token = query_of(request, "pageToken");
    const std::size_t first = token.empty() ? 0 : *parse_decimal<std::size_t>(token);
    std::string items;
    for (std::size_t i = first; i < std::min(members.size(), first + page_size); ++i) {
      items += fmt::format(R"({}{{"instance":"https://h/compute/v1/projects/p/zones/{}/instances/{}","status":"RUNNING"{}}})",
                           items.empty() ? "" : ",", zone, members[i].first, extra_of_item);
    }
    const std::size_t next = first + page_size;
    return fmt::format(R"({{"items":[{}]{}{}}})", items, extra_of_page,
                       next < members.size() ? fmt::format(R"(,"nextPageToken":"{}")", next) : "");
  }
  std::string list(const HttpRequest& request) const {
    const std::string filter = query_of(request, "filter");
    std::string items;
    for (const auto& [member, address] : members) {
      if (gone.contains(member) || filter.find(fmt::format("(name = \"{}\")", member)) == std::string::npos) continue;
      items += (items.empty() ? "" : ",") + instance(member, address);
    }
    return fmt::format(R"({{"items":[{}]{}}})", items, extra_of_list);
  }
  std::string instance(const std::string& name, const std::string& address) const {
    const auto place = places.find(name);
    return fmt::format(R"({{"name":"{}","networkInterfaces":[{{"name":"nic0","networkIP":"{}"{}}}]{}}})", name, address, extra_of_instance,
                       place == places.end() ? std::string() : R"(,"resourceStatus":)" + place->second);
  }
};

inline std::string paths(const TestRuntime& t) {
  std::string text;
  for (const HttpRequest& request : t.transport->requests) {
    text += fmt::format("{} {}\n", to_string(request.method), request.url.target.substr(0, request.url.target.find('?')));
  }
  return text;
}

inline Compute three() {
  Compute compute;
  compute.members = {{"w-1", "10.0.0.2"}, {"w-10", "10.0.0.1"}, {"w-2", "10.0.0.10"}};
  return compute;
}

inline Failure failure_of(TestRuntime& t, GceOptions options) {
  const auto spec = t.run(make_gce_resolver(t.runtime, std::move(options))->try_cluster_spec());
  REQUIRE(spec.has_error());
  return spec.error();
}

}  // namespace rollcall::testing
