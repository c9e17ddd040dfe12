// Errors in simulation files, with line, column and path.
#include "sim/file/file.hpp"
#include "sim/support.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

namespace {
std::string wrong(std::string_view text) {
  const auto cloud = Cloud::parse(text, "cloud.json");
  return cloud ? "accepted" : cloud.error().what();
}
}  // namespace

TEST_CASE("an error has a position, a message and a suggestion") {
  CHECK(wrong("{\n  \"nodes\": [\n    {\"name\": \"a\"},\n    {\"name\": \"b\",\n     \"timeline\": [{\"state\": \"REDY\"}]}\n  ]\n}") ==
        "cloud.json:5:29: nodes[1].timeline[0].state: unknown state 'REDY', did you mean 'READY'?");
  CHECK(wrong("{\"nods\": []}") == "cloud.json:1:2: nods: unknown key, did you mean 'nodes'?");
  CHECK(wrong("{\"nodes\": [\n{\"name\": \"a\", \"zonne\": \"z\"}]}") ==
        "cloud.json:2:15: nodes[0].zonne: unknown key, did you mean 'zone'?");
  CHECK(wrong(R"({"metadata": {"values": {"instance/zone": {"x": 1}}}})")
            .find("cloud.json:1:43: metadata.values[\"instance/zone\"]: expected a text") == 0);
  CHECK(wrong("{\"zone\": 7}") == "cloud.json:1:10: zone: expected a text, found a number");
  CHECK(wrong("[]") == "cloud.json:1:1: the file: expected an object, found an array");
  CHECK(wrong("{\"zone\": \"a\",\n \"zone\": \"b\"}") == "cloud.json:2:2: zone: the key is there twice");
  CHECK(wrong("{\"zone\": \"a\"").find("cloud.json:1:13: not JSON: ") == 0);
  CHECK(wrong("{\n\"zone\": x}").find("cloud.json:2:9: not JSON: ") == 0);
  CHECK(wrong("").find("cloud.json:1:1: not JSON: ") == 0);
  CHECK(wrong("{} {}").find("cloud.json:1:4: ") == 0);
  CHECK(wrong(std::string(1000, '[')).find("not JSON") != std::string::npos);
}

TEST_CASE("wrong values have different messages") {
  const auto node = [](const std::string& rest) { return wrong("{\"nodes\": [{\"name\": \"n\", " + rest + "}]}"); };
  CHECK(node(R"("count": 0)").find("nodes[0].count: expected a whole number from 1 to") != std::string::npos);
  CHECK(node(R"("count": 2)").find("name: with a count the name must contain {i}") != std::string::npos);
  CHECK(node(R"("count": 1e99)").find("expected a whole number") != std::string::npos);
  CHECK(node(R"("ready_after": "soon")").find("ready_after: expected a time") != std::string::npos);
  CHECK(node(R"("ready_after": -1)").find("ready_after: expected a time") != std::string::npos);
  CHECK(node(R"("ready_after": 1, "state": "READY")").find("cannot be combined") != std::string::npos);
  CHECK(node(R"("timeline": [{"at": 5}, {"at": 5}])").find("nodes[0].timeline[1]: at: each entry must be later") != std::string::npos);
  CHECK(node(R"("accelerator_type": "v99-8")").find("an unknown type needs its endpoints given") != std::string::npos);
  CHECK(node(R"("accelerator_type": "v99-8", "endpoints": {"count": 3})") == "accepted");
  CHECK(node(R"("endpoints": {"base": "10.0.0"})").find("nodes[0].endpoints: base: '10.0.0' is no IP address") != std::string::npos);
  CHECK(node(R"("endpoints": ["a b"])").find("nodes[0].endpoints[0]: expected an address") != std::string::npos);
  CHECK(node(R"("health": "HEALTY")").find("did you mean 'HEALTHY'?") != std::string::npos);
  CHECK(node(R"("health": "splendid")").find("unknown health 'splendid'; known are HEALTHY, ") != std::string::npos);
  CHECK(node(R"("labels": [])").find("labels: expected an object, found an array") != std::string::npos);
  CHECK(wrong(R"({"nodes": [{}]})").find("a node needs a name") != std::string::npos);
  CHECK(wrong("{\"nodes\": [{\"name\": \"b\"},\n{\"name\": \"a-{i}\", \"count\": 3},\n{\"name\": \"a-2\"}, {\"name\": \"c\"}]}")
            .find("cloud.json:3:1: nodes[2]: there are two nodes '") == 0);
  for (const std::string name : {"", "a b", "a/b", "a\\u001b[31m", "..", "{i}{i}", "t\u00fc"}) {
    CAPTURE(name);
    CHECK(wrong("{\"nodes\": [{\"name\": \"" + name + "\"}]}").find("cloud.json:1:21: nodes[0].name: ") == 0);
    CHECK(wrong("{\"project\": \"" + name + "\"}").find("cloud.json:1:13: project: ") == 0);
    CHECK(wrong("{\"zones\": [\"" + name + "\"]}").find("cloud.json:1:12: zones[0]: ") == 0);
    CHECK(wrong("{\"zone\": \"" + name + "\"}").find("cloud.json:1:10: zone: ") == 0);
    CHECK(node("\"zone\": \"" + name + "\"").find("nodes[0].zone: ") != std::string::npos);
  }
  CHECK(node(R"("endpoints": {"base": "255.255.255.255", "count": 2})")
            .find("nodes[0]: endpoints: the network of 255.255.255.255 has no 2 addresses from there on") != std::string::npos);
  CHECK(node(R"("endpoints": {"base": "10.255.255.255", "count": 2})").find("endpoints: the network of 10.255.255.255") !=
        std::string::npos);
  CHECK(node(R"("endpoints": {"base": "10.255.255.254", "count": 2})") == "accepted");
  CHECK(node(R"("endpoints": {"external_base": "192.168.255.255", "count": 2})").find("the network of 192.168.255.255") !=
        std::string::npos);
  CHECK(node(R"("endpoints": {"base": "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "count": 2})").find("the network of ffff:") !=
        std::string::npos);
  CHECK(node(R"("timeline": [{"at": 1, "endpoints": {"base": "172.31.255.255", "count": 2}}])").find("the network of 172.31.255.255") !=
        std::string::npos);
  CHECK(wrong(R"({"nodes": [{"name": "n{i}", "count": 3, "endpoints": {"base": "10.255.255.254"}}]})")
            .find("the network of 10.255.255.254 has no 3") != std::string::npos);
  CHECK(wrong(R"({"faults": [{"fault": "reset", "times": 0}]})").find("cloud.json:1:41: faults[0].times: expected a whole number from 1") ==
        0);
  const auto route = [](const std::string& name) {
    return wrong("{\"faults\": [{\"fault\": \"reset\", \"match\": {\"route\": \"" + name + "\"}}]}");
  };
  CHECK(route("node.get").find("cloud.json:1:51: faults[0].match.route: no request has the route 'node.get', did you mean 'nodes.get'?") ==
        0);
  CHECK(route("tokn").find("did you mean 'token'?") != std::string::npos);
  CHECK(route("machines.*").find("no request has the route") != std::string::npos);
  for (const std::string name :
       {"nodes.*", "*", "*.get", "metadata *", "metadata instance/zone", "token", "discovery", "unknown", "nodes.stop"})
    CHECK(route(name) == "accepted");
  CHECK(wrong(R"({"faults": [{"fault": "reste"}]})").find("unknown fault 'reste', did you mean 'reset'?") != std::string::npos);
  CHECK(wrong(R"({"faults": [{}]})").find("faults[0]: this rule does nothing") != std::string::npos);
  CHECK(wrong(R"({"faults": [{"fault": "reset", "message": "x"}]})").find("need a status") != std::string::npos);
  CHECK(wrong(R"({"faults": [{"status": 503, "headers": {"a b": "c"}}]})").find("faults[0].headers[\"a b\"]: this is no header name") !=
        std::string::npos);
  CHECK(wrong(R"({"faults": [{"status": 503, "headers": {"a": "c\r\nd"}}]})").find("no line breaks") != std::string::npos);
  CHECK(wrong(R"({"faults": [{"fault": "trickle", "interval": 0}]})").find("must be positive") != std::string::npos);
  CHECK(wrong(R"({"metadata": {"tpu_worker": {"node": "x"}}})").find("there is no node 'x'") != std::string::npos);
  CHECK(wrong(R"({"metadata": {"values": {"/a": 1}}})").find("expected a path below") != std::string::npos);
  CHECK(wrong(R"({"project": {"number": "12x"}})").find("project.number: expected the digits") != std::string::npos);
  CHECK(wrong("{\"nodes\": [{\"name\": \"\\u001b[31m\", \"state\": \"\\u001b[31m\"}]}").find('\x1b') == std::string::npos);
  CHECK(wrong(R"({"$schema": "x", "// note": "this is ignored", "nodes": [{"//": 1, "name": "n"}]})") == "accepted");
}

TEST_CASE("globs") {
  CHECK(glob_match("nodes.*", "nodes.get"));
  CHECK(glob_match("*/nodes/busy", "/v2/projects/p/locations/z/nodes/busy"));
  CHECK_FALSE(glob_match("*/nodes", "/v2/projects/p/locations/z/nodes/busy"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("**", "x"));
  CHECK(glob_match("a*b*c", "axxbxxbc"));
  CHECK_FALSE(glob_match("a*b*c", "axxbxxb"));
  CHECK_FALSE(glob_match("", "a"));
}

TEST_CASE("addresses count up across bytes") {
  CHECK(address_plus("10.0.0.255", 1) == "10.0.1.0");
  CHECK(address_plus("fd20::ffff", 2) == "fd20::1:1");
  CHECK_FALSE(address_plus("host", 1));
}

}  // namespace rollcall::sim
