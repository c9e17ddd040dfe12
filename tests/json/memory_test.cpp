// The memory of a document is limited, even for short text: endless lists of nearly empty elements.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>

#include "json/json_dom.hpp"
#include "resolvers/gce/wire/instance_group.hpp"
#include "resolvers/gce/wire/instance_list.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "resolvers/queued/wire/queued_resource.hpp"
#include "resolvers/tpu/wire/tpu_node_list.hpp"
#include "support/live_bytes.hpp"

using namespace rollcall;

namespace {

constexpr std::size_t budget = 2 << 20;
constexpr std::size_t text_size = 6 << 20;

ParseLimits small_budget() {
  ParseLimits limits;
  limits.max_memory = budget;
  return limits;
}

// `head`, then `part` and commas up to this number of bytes, in chunks like an answer.
class Flood {
 public:
  std::string name;
  std::string head;
  std::string part;
  std::string tail;
};

template <class Parser>
Result<void> read_flood(Parser& parser, const Flood& flood) {
  std::string chunk;
  while (chunk.size() < 60'000) chunk += flood.part + ',';
  if (const Result<void> fed = parser.feed(flood.head); !fed) return fed;
  for (std::size_t size = 0; size < text_size; size += chunk.size()) {
    if (const Result<void> fed = parser.feed(chunk); !fed) return fed;
  }
  if (const Result<void> fed = parser.feed(flood.part + flood.tail); !fed) return fed;
  return parser.finish();
}

// The document is refused, or uses at most the budget; a vector that grows has its old and its new elements.
template <class Parser>
void check_flood(const Flood& flood) {
  INFO(flood.name);
  Parser parser(small_budget());
#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
  rollcall::testing::live_bytes.begin_peak();
  const std::size_t before = rollcall::testing::live_bytes.live();
#endif
  const Result<void> read = read_flood(parser, flood);
#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
  CHECK(rollcall::testing::live_bytes.peak() - before <= budget * 3 / 2 + (1 << 20));
#endif
  if (!read) {
    INFO(read.error().message());
    CHECK((read.error().code() == Errc::limit_exceeded || read.error().code() == Errc::malformed_response));
  }
}

// `{"list":[{}]}` with a thousand elements per list: the limit of one list's elements does not limit the sum.
std::string a_thousand_inside(const std::string& part) {
  const std::size_t at = part.rfind("[{}");
  if (at == std::string::npos) return part;
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{},";
  return part.substr(0, at + 1) + many + part.substr(at + 1);
}

// Elements of all shapes for the array that `head` opens: none may use more memory than is charged.
template <class Parser>
void check_floods(const std::string& head, const std::string& tail, std::vector<std::string> parts) {
  const std::size_t own = parts.size();
  for (std::size_t i = 0; i < own; ++i) parts.push_back(a_thousand_inside(parts[i]));
  for (const char* const usual : {"{}", "[]", "\"\"", "null", "0", R"({"a":1})", R"({"name":""})", "[[[[]]]]"}) parts.emplace_back(usual);
  for (const std::string& part : parts) check_flood<Parser>({head + part, head, part, tail});
}

}  // namespace

TEST_CASE("no list of TPU nodes takes more than its budget", "[long]") {
  check_floods<TpuNodeListParser>(R"({"nodes":[)", "]}",
                                  {R"({"networkEndpoints":[{}]})", R"({"symptoms":[{},{},{},{}]})", R"({"name":"a/b","port":0})",
                                   R"({"networkEndpoints":[{},{},{},{},{}]})", R"({"name":"projects/p/locations/z/nodes/n"})",
                                   R"({"networkEndpoints":[{"ipAddress":"1"}],"networkEndpoints":[]})"});
  check_floods<TpuNodeListParser>(R"({"unreachable":[)", "]}", {R"("a")", R"("a long name of a place")"});
  check_floods<TpuNodeListParser>(R"({"nodes":[{"networkEndpoints":[)", "]}]}", {R"({"ipAddress":"10.0.0.1"})"});
  check_flood<TpuNodeListParser>({"many keys", "{", R"("a":{})", "}"});
  check_flood<TpuNodeListParser>({"many lists", "{", R"("nodes":[{}])", "}"});
}

TEST_CASE("no list of queued resources takes more than its budget") {
  check_floods<QueuedResourceListParser>(R"({"queuedResources":[)", "]}",
                                         {R"({"tpu":{"nodeSpec":[{}]}})", R"({"tpu":{"nodeSpec":[{},{},{},{}]}})", R"({"state":{}})",
                                          R"({"state":{"failedData":{"error":{"details":[{},{}]}}}})"});
  check_floods<QueuedResourceListParser>(R"({"queuedResources":[{"tpu":{"nodeSpec":[)", "]}}]}", {R"({"node":{}})"});
  check_floods<QueuedResourceListParser>(R"({"unreachable":[)", "]}", {R"("a")"});
  check_flood<QueuedResourceListParser>({"many lists", "{", R"("queuedResources":[{}])", "}"});
}

TEST_CASE("no list of Compute Engine takes more than its budget") {
  check_floods<InstanceListParser>(R"({"items":[)", "]}",
                                   {R"({"networkInterfaces":[{}]})", R"({"networkInterfaces":[{},{},{},{}]})",
                                    R"({"networkInterfaces":[{"ipv6AccessConfigs":[{},{}]}]})"});
  check_floods<InstanceListParser>(R"({"warning":{"data":[)", "]}}", {R"({"key":"a"})"});
  check_floods<InstanceGroupParser>(
      R"({"items":[)", "]}", {R"({"instance":"a"})", R"({"instance":"a","namedPorts":[{"name":"a","port":1},{"name":"b","port":2}]})"});
  check_floods<InstanceGroupListParser>(R"({"items":[)", "]}", {R"({"name":"a"})", R"({"name":"a","namedPorts":[{},{}]})"});
  check_flood<AggregatedGroupsParser>({"many scopes", R"({"items":{)", R"("zones/a":{"warning":{"code":"X"}})", "}}"});
  check_flood<AggregatedGroupsParser>({"scopes with groups", R"({"items":{)", R"("zones/a":{"instanceGroups":[{"name":"a"}]})", "}}"});
}

TEST_CASE("a document read as a tree takes no more than its budget") {
  for (const std::string part : {"{}", "[]", "\"\"", "0", "null", "\"sixteen bytes of text\"", "{\"a\":0}", "[[[[[]]]]]"}) {
    INFO(part);
    std::string text = "[";
    while (text.size() < text_size) text += part + ',';
    text += part + ']';
    ParseLimits limits;
    limits.max_document_memory = budget;
#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
    rollcall::testing::live_bytes.begin_peak();
    const std::size_t before = rollcall::testing::live_bytes.live();
#endif
    const Result<JsonDocument> document = JsonDocument::parse("the error", text, limits);
#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
    CHECK(rollcall::testing::live_bytes.peak() - before <= budget + (1 << 20));
#endif
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().code() == Errc::limit_exceeded);
    CHECK(document.error().message().find("the error") != std::string::npos);
  }
}

TEST_CASE("a document over the budget is reported") {
  TpuNodeListParser parser(small_budget());
  const Result<void> read = read_flood(parser, {"", R"({"nodes":[)", "{}", "]}"});
  REQUIRE_FALSE(read.has_value());
  const Failure failure = read.error();
  CHECK(failure.code() == Errc::limit_exceeded);
  CHECK(failure.what() ==
        fmt::format("the list of TPU nodes would take over {} bytes of memory, together with what else is being read", budget));
  CHECK(failure.hint().find("Limits::max_memory_bytes") != std::string::npos);
}

TEST_CASE("documents that are read together share their budget, and give it back") {
  ParseLimits limits;
  limits.memory = std::make_shared<MemoryAccount>(budget);
  {
    InstanceListParser first(limits);
    REQUIRE(first.feed(R"({"items":[{})").has_value());
    for (int i = 0; i < 3'000; ++i) REQUIRE(first.feed(",{}").has_value());
    const std::size_t of_first = limits.memory->used();
    CHECK(of_first > 3'000 * sizeof(Instance));
    TpuNodeListParser second(limits);
    CHECK_FALSE(read_flood(second, {"", R"({"nodes":[)", "{}", "]}"}).has_value());
    CHECK(limits.memory->used() <= budget);
    second = TpuNodeListParser(limits);
    CHECK(limits.memory->used() == of_first);
    MemoryShare kept(limits.memory);
    kept.add(std::move(first.memory()));
    first = InstanceListParser(limits);
    CHECK(limits.memory->used() == of_first);
  }
  CHECK(limits.memory->used() == 0);
}

TEST_CASE("nodes that are not kept cost nothing") {
  TpuNodeListParser parser({"wanted"}, small_budget());
  const std::string part = R"({"name":"a/other","networkEndpoints":[{},{},{},{}],"healthDescription":"quite a lot of text"})";
  REQUIRE(read_flood(parser, {"", R"({"nodes":[)", part, "]}"}).has_value());
  CHECK(parser.memory().used() == 0);
}

TEST_CASE("realistic large lists pass", "[long]") {
  std::string endpoints;
  for (int i = 0; i < 600; ++i)
    endpoints += fmt::format(R"({}{{"ipAddress":"10.{}.{}.{}","port":8470}})", i ? "," : "", i % 256, i / 256, i % 200);
  const std::string node =
      R"({"name":"projects/some-project/locations/us-central2-b/nodes/some-trainer","state":"READY","networkEndpoints":[)" + endpoints +
      "]}";
  TpuNodeListParser nodes;
  REQUIRE(nodes.feed(R"({"nodes":[)" + node).has_value());
  for (int i = 1; i < 2000; ++i) REQUIRE(nodes.feed("," + node).has_value());
  REQUIRE(nodes.feed("]}").has_value());
  REQUIRE(nodes.finish().has_value());
  CHECK(nodes.take_nodes().size() == 2000);

  const std::string instance =
      R"({"name":"some-instance-of-a-group-1234","zone":"https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a","status":)"
      R"("RUNNING","networkInterfaces":[{"name":"nic0","networkIP":"10.128.0.1"},{"name":"nic1","networkIP":"10.129.0.1"}]})";
  InstanceListParser instances;
  REQUIRE(instances.feed(R"({"items":[)" + instance).has_value());
  for (int i = 1; i < 20'000; ++i) REQUIRE(instances.feed("," + instance).has_value());
  REQUIRE(instances.feed("]}").has_value());
  REQUIRE(instances.finish().has_value());
}
