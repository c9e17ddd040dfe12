// Watches of the simulated Kubernetes API, in virtual time.
#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/kubernetes/k8s_support.hpp"

namespace rollcall::sim {

namespace {

struct Event {
  std::string type;
  std::string name;
  std::string version;
  double at = 0;

  friend bool operator==(const Event&, const Event&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Event& event) {
    return out << event.type << " " << event.name << " " << event.version << " at " << event.at;
  }
};

struct Watched {
  std::vector<Event> events;
  std::string bodies;
  double ended_at = 0;
  bool is_cut = false;
  int status = 0;
};

std::string text_at(const boost::json::value& object, std::string_view key) {
  const auto* const found = object.as_object().if_contains(key);
  return found ? std::string(found->as_string()) : std::string();
}

// Runs a watch to its end.
Watched watch(Cloud& cloud, const std::string& query, double at = 0, const std::string& namespace_name = "train") {
  Request request = kube_request(pods_of("?watch=1" + query, namespace_name), "admin");
  SteadyTime now = second(at);
  Reply reply = cloud.handle(request, now);
  Watched out;
  out.status = reply.status;
  for (int turns = 0; turns < 10'000; ++turns) {
    std::size_t begin = 0;
    for (const std::size_t size : reply.chunks) {
      const std::string line = reply.body.substr(begin, size);
      begin += size;
      CHECK(line.ends_with('\n'));
      const boost::json::value event = boost::json::parse(line);
      const bool is_error = event.at("type") == "ERROR";
      const boost::json::value& metadata = event.at("object").at("metadata");
      Event one;
      one.type = std::string(event.at("type").as_string());
      one.name = is_error ? std::to_string(event.at("object").at("code").as_int64()) : text_at(metadata, "name");
      one.version = text_at(metadata, "resourceVersion");
      one.at = std::chrono::duration<double>(now.time_since_epoch()).count();
      out.events.push_back(std::move(one));
    }
    CHECK(begin == reply.body.size());
    out.bodies += reply.body;
    const std::optional<Held> next = reply.hold ? reply.hold : reply.more;
    out.ended_at = std::chrono::duration<double>(now.time_since_epoch()).count();
    out.is_cut = reply.fault.kind == FaultKind::truncate;
    if (!next) break;
    REQUIRE(next->ask_again > now);
    now = next->ask_again;
    request.held = next;
    reply = cloud.handle(request, now);
  }
  return out;
}

using Events = std::vector<Event>;

}  // namespace

TEST_CASE("k8s: a watch sends events at their times") {
  const auto cloud = kube_cloud(
      R"({"name": "a"}, {"name": "b", "created_at": 2, "timeline": [{"at": 4, "phase": "Failed"}, {"at": 6, "deleted": true}]})");
  const Watched seen = watch(*cloud, "&resourceVersion=1001&timeoutSeconds=10");
  CHECK(seen.status == 200);
  CHECK(seen.events == Events{{"ADDED", "b", "1002", 2}, {"MODIFIED", "b", "1003", 4}, {"DELETED", "b", "1004", 6}});
  CHECK(seen.ended_at == 10);
  CHECK_FALSE(seen.is_cut);
  CHECK(watch(*cloud, "&resourceVersion=1001&timeoutSeconds=3", 5).events.size() == 3);  // missed events are sent at once
  CHECK(watch(*cloud, "&resourceVersion=1001&timeoutSeconds=3", 5, "empty").events.empty());
}

TEST_CASE("k8s: a graceful deletion causes three events") {
  const auto cloud = kube_cloud(R"({"name": "a", "timeline": [{"at": 10, "terminating": 30}]})");
  const Watched seen = watch(*cloud, "&resourceVersion=1001&timeoutSeconds=60");
  CHECK(seen.events == Events{{"MODIFIED", "a", "1002", 10}, {"MODIFIED", "a", "1003", 40}, {"DELETED", "a", "1004", 40}});
  CHECK(seen.bodies.find(R"("deletionTimestamp":"2026-01-01T00:00:40Z","deletionGracePeriodSeconds":30)") != std::string::npos);
}

TEST_CASE("k8s: a pod with a gradual start, and one that is created again") {
  const auto cloud = kube_cloud(R"({"kind": "stateful_set", "name": "s", "created_at": 1, "running_after": 5, "ready_after": 7,
                                    "timeline": [{"at": 20, "deleted": true}, {"at": 21, "phase": "Running"}]})");
  const Watched seen = watch(*cloud, "&resourceVersion=1000&timeoutSeconds=60");
  CHECK(seen.events == Events{{"ADDED", "s-0", "1001", 1},
                              {"MODIFIED", "s-0", "1002", 1},
                              {"MODIFIED", "s-0", "1003", 6},
                              {"MODIFIED", "s-0", "1004", 8},
                              {"DELETED", "s-0", "1005", 20},
                              {"ADDED", "s-0", "1006", 21}});
  const auto uid = [&](double at) { return json_of(ask_kube(*cloud, pods_of("/s-0"), at)).at("metadata").at("uid"); };
  CHECK(uid(10) != uid(30));
  const auto status = [&](double at) { return json_of(ask_kube(*cloud, pods_of("/s-0"), at)).at("status"); };
  CHECK(status(2).at("phase") == "Pending");
  CHECK_FALSE(status(2).as_object().contains("podIP"));
  CHECK(status(7).at("phase") == "Running");
  CHECK(status(7).at("containerStatuses").at(0).at("ready") == false);
  CHECK(status(8).at("containerStatuses").at(0).at("ready") == true);
}

TEST_CASE("k8s: a pod that leaves the selection is DELETED") {
  const auto cloud = kube_cloud(
      R"({"name": "a", "timeline": [{"at": 1, "labels": {"w": "y"}}, {"at": 2, "labels": {"w": null}}, {"at": 3, "phase": "Failed"}]})");
  CHECK(watch(*cloud, "&resourceVersion=1001&timeoutSeconds=9&labelSelector=w%3Dy").events ==
        Events{{"ADDED", "a", "1002", 1}, {"DELETED", "a", "1003", 2}});
  const Watched running = watch(*cloud, "&resourceVersion=1003&timeoutSeconds=9&fieldSelector=status.phase%3DRunning");
  CHECK(running.events == Events{{"DELETED", "a", "1004", 3}});
  CHECK(running.bodies.find(R"("phase":"Running")") != std::string::npos);  // in its last selected state
}

TEST_CASE("k8s: bookmarks come each minute and at the end, if there was a change") {
  const auto cloud = kube_cloud(R"({"name": "b"}, {"name": "a", "created_at": 70})");
  const Watched seen = watch(*cloud, "&resourceVersion=1001&timeoutSeconds=150&allowWatchBookmarks=true");
  CHECK(seen.events ==
        Events{{"ADDED", "a", "1002", 70}, {"BOOKMARK", "", "1002", 120}, {"BOOKMARK", "", "1002", 148}, {"BOOKMARK", "", "1002", 149}});
  CHECK(seen.bodies.ends_with(
      "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1002\"},"
      "\"spec\":{\"containers\":null},\"status\":{}}}\n"));
  CHECK(watch(*cloud, "&resourceVersion=1002&timeoutSeconds=150&allowWatchBookmarks=true", 80).events.empty());
}

TEST_CASE("k8s: a watch without a version, and a list that streams") {
  const auto cloud = kube_cloud(R"({"name": "b"}, {"name": "a"}, {"name": "c", "created_at": 3})");
  const Events present = {{"ADDED", "a", "1002", 0}, {"ADDED", "b", "1001", 0}};
  Events with_c = present;
  with_c.push_back({"ADDED", "c", "1003", 3});
  CHECK(watch(*cloud, "&timeoutSeconds=5").events == with_c);
  CHECK(watch(*cloud, "&resourceVersion=0&timeoutSeconds=5").events == with_c);
  const std::string list = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
  Events marked = present;
  marked.push_back({"BOOKMARK", "", "1002", 0});
  const Watched seen = watch(*cloud, list);
  CHECK(seen.events == marked);
  CHECK(seen.bodies.find(R"("metadata":{"resourceVersion":"1002","annotations":{"k8s.io/initial-events-end":"true"}})") !=
        std::string::npos);
  const Watched empty = watch(*cloud, list, 0, "empty");
  CHECK(empty.events == Events{{"BOOKMARK", "", "1002", 0}});
  const Captured real("watch-list-initial-events-empty");
  CHECK(empty.bodies.size() == real.chunks.at(0) + 2);  // the version has two more digits
}

TEST_CASE("k8s: errors of a watch are events of a successful answer") {
  const auto cloud = kube_cloud(R"({"name": "a"}, {"name": "b", "created_at": 5})", "\"first_version\": 179, \"restarts\": [10]");
  const Watched old = watch(*cloud, "&resourceVersion=45&timeoutSeconds=9", 20);
  CHECK(old.status == 200);
  CHECK(
      old.bodies ==
      R"j({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 45 (181)","reason":"Expired","code":410}})j"
      "\n");
  CHECK(old.ended_at == 20);
  CHECK(watch(*cloud, "&resourceVersion=181&timeoutSeconds=9", 20).events.empty());
  const Watched future = watch(*cloud, "&resourceVersion=999&timeoutSeconds=4", 20);
  CHECK(future.events.empty());
  CHECK(future.ended_at == 24);
  const std::string list = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=9";
  CHECK(watch(*cloud, list + "&resourceVersion=45", 20).events.size() == 3);  // a version that is not older than requested
  CHECK(watch(*cloud, list + "&resourceVersion=999", 20).events == Events{{"ERROR", "504", "", 23}});
}

TEST_CASE("k8s: a server that restarts cuts its watches off") {
  const auto cloud = kube_cloud(R"({"name": "a"}, {"name": "b", "created_at": 5})", "\"restarts\": [10]");
  const Watched seen = watch(*cloud, "&resourceVersion=1001");
  CHECK(seen.events.size() == 1);
  CHECK(seen.ended_at == 10);
  CHECK(seen.is_cut);
}

TEST_CASE("k8s: a server without watch-lists") {
  const std::string list = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=3";
  const Watched failing = watch(*kube_cloud("", "\"watch_list\": \"failing\""), list);
  CHECK(failing.bodies == Captured("watch-list-refused-old-etcd").body.substr(0, failing.bodies.size()));
  const auto cloud = kube_cloud("", "\"watch_list\": \"forbidden\"");
  CHECK(ask_kube(*cloud, pods_of("?watch=1" + list)).body == Captured("422-watch-list-gate-off").body);
}

namespace {

class Streamed {
 public:
  Streamed() {}
  testing::VirtualLoop loop;
  std::shared_ptr<MemoryTransport> transport;
  HttpRequest request;
  ExchangeOptions options;
  std::vector<std::pair<double, std::string>> pieces;  // the time, and the beginning of the piece
};

// Reads to the end. Returns the reason for another end.
asio::awaitable<std::string> read_stream(Streamed& self) {
  const auto stream = co_await self.transport->open(self.request, self.options);
  while (true) {
    const auto piece = co_await (*stream)->read();
    if (!piece) co_return std::string(to_string(piece.error().code()));
    if (piece->empty()) co_return "end";
    self.pieces.emplace_back(self.loop.seconds(), std::string(piece->substr(0, 15)));
  }
}

}  // namespace

TEST_CASE("k8s: the memory transport streams a watch") {
  Streamed self;
  const auto cloud = kube_cloud(R"({"name": "a", "created_at": 2}, {"name": "b", "created_at": 60})", "\"restarts\": [100]");
  self.transport = make_memory_transport(cloud, self.loop.time, self.loop.io.get_executor());
  self.request.url = *Url::parse("https://127.0.0.1:6443" + pods_of("?watch=1&resourceVersion=1000&timeoutSeconds=80"));
  self.request.bearer = Secret<std::string>("train");
  self.options.response_timeout = Duration(0);
  using Pieces = std::vector<std::pair<double, std::string>>;
  const std::string added = "{\"type\":\"ADDED\"";
  CHECK(self.loop.run(read_stream(self)) == "end");
  CHECK(self.pieces == Pieces{{2, added}, {60, added}});
  CHECK(self.loop.seconds() == 80);

  self.options.response_timeout = std::chrono::seconds(5);
  self.request.url = *Url::parse("https://127.0.0.1:6443" + pods_of("?watch=1&resourceVersion=1002"));
  CHECK(self.loop.run(read_stream(self)) == to_string(Errc::response_timeout));
  CHECK(self.loop.seconds() == 85);
  self.options.response_timeout = Duration(0);
  CHECK(self.loop.run(read_stream(self)) == to_string(Errc::unreachable));  // the server restarts
  CHECK(self.loop.seconds() == 100);
  CHECK(self.transport->in_flight() == 0);
  CHECK(self.loop.time->alarms() == 0);
}

}  // namespace rollcall::sim
