// Cluster specs: accessors, equality, text form, union.
#include "rollcall/cluster_spec.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "base/text.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

ClusterSpec from(std::string_view json) { return ClusterSpec::from_json(json).value(); }

const char* const mixed = R"({"ps":["ps0:1","ps1:1"],"worker":["w0:1","w1:1","w2:1"],"sparse":{"0":"s0:1","3":"s3:1"},"none":[]})";

}  // namespace

TEST_CASE("truth: only a spec without jobs is empty") {
  CHECK(from("{}").empty());
  CHECK_FALSE(static_cast<bool>(from("{}")));
  CHECK_FALSE(from(R"({"worker":[]})").empty());
}

TEST_CASE("accessors") {
  const ClusterSpec spec = from(mixed);
  CHECK(spec.jobs() == std::vector<std::string>{"ps", "worker", "sparse", "none"});
  CHECK(spec.has_job("ps"));
  CHECK_FALSE(spec.has_job("p"));
  CHECK(spec.num_tasks("worker").value() == 3);
  CHECK(spec.num_tasks("sparse").value() == 2);
  CHECK(spec.num_tasks("none").value() == 0);
  CHECK(spec.task_indices("sparse").value() == std::vector<int>{0, 3});
  CHECK(spec.task_address("sparse", 3).value() == "s3:1");
  CHECK(spec.job_tasks("sparse").value() == std::vector<std::optional<std::string>>{"s0:1", std::nullopt, std::nullopt, "s3:1"});
  CHECK(spec.job_tasks("none").value().empty());
}

TEST_CASE("missing jobs and tasks are named") {
  const ClusterSpec spec = from(mixed);
  for (const Failure& failure : {spec.num_tasks("unknown").error(), spec.task_indices("unknown").error(),
                                 spec.task_address("unknown", 0).error(), spec.job_tasks("unknown").error()}) {
    CHECK(failure.code() == Errc::not_found);
    CHECK_THAT(failure.message(), Catch::Contains("'unknown'") && Catch::Contains("'worker'"));
  }
  for (const int index : {1, -1, 2147483647}) {
    const Failure failure = spec.task_address("sparse", index).error();
    CHECK(failure.code() == Errc::not_found);
    CHECK_THAT(failure.message(), Catch::Contains("'sparse'") && Catch::Contains(std::to_string(index)));
    CHECK(failure.hint() == "the first is 0, the last 3");
  }
  CHECK(ClusterSpec().num_tasks("x").error().hint() == "the cluster has no jobs");
}

TEST_CASE("a job of few tasks and a huge index is not made into a list") {
  ClusterSpec spec;
  REQUIRE(spec.set_job("w", ClusterSpec::Tasks{{2147483647, "a"}}));
  CHECK(spec.job_tasks("w").error().code() == Errc::limit_exceeded);
  CHECK(spec.num_tasks("w").value() == 1);
  REQUIRE(spec.set_job("w", ClusterSpec::Tasks{{1'048'575, "a"}}));
  CHECK(spec.job_tasks("w").value().size() == 1'048'576);
  REQUIRE(spec.set_job("w", ClusterSpec::Tasks{{1'048'576, "a"}}));
  CHECK_FALSE(spec.job_tasks("w"));
}

TEST_CASE("setting jobs") {
  ClusterSpec spec;
  spec.set_job("a", {"1", "2"});
  spec.set_job("b", {"3"});
  spec.set_job("a", std::vector<std::string>{"4"});
  CHECK(spec.to_json() == R"({"a":["4"],"b":["3"]})");
  const Result<void> negative = spec.set_job("a", ClusterSpec::Tasks{{-1, "x"}, {0, "y"}});
  REQUIRE_FALSE(negative);
  CHECK(negative.error().code() == Errc::invalid_argument);
  CHECK_THAT(negative.error().message(), Catch::Contains("'a'") && Catch::Contains("-1"));
  CHECK(spec.to_json() == R"({"a":["4"],"b":["3"]})");
}

TEST_CASE("equality is of job, index and address") {
  CHECK(from(R"({"a":["x"],"b":["y"]})") == from(R"({"b":["y"],"a":["x"]})"));
  CHECK(from(R"({"a":["x"]})") == from(R"({"a":{"0":"x"}})"));
  CHECK_FALSE(from(R"({"a":["x","y"]})") == from(R"({"a":["y","x"]})"));
  CHECK_FALSE(from(R"({"a":["x"],"b":[]})") == from(R"({"a":["x"]})"));
  CHECK_FALSE(from("{}") == from(R"({"a":["x"]})"));
}

TEST_CASE("density") {
  CHECK(ClusterSpec::is_dense({{0, "a"}, {1, "b"}}));
  CHECK_FALSE(ClusterSpec::is_dense({}));
  CHECK_FALSE(ClusterSpec::is_dense({{1, "b"}}));
  CHECK_FALSE(ClusterSpec::is_dense({{0, "a"}, {2, "b"}}));
}

TEST_CASE("text form is Python's, jobs sorted") {
  CHECK(from("{}").to_text() == "ClusterSpec({})");
  CHECK(from(R"({"worker":["w:3","w:4"],"ps":["ps0:1111"]})").to_text() == "ClusterSpec({'ps': ['ps0:1111'], 'worker': ['w:3', 'w:4']})");
  CHECK(from(R"({"w":{"1":"b:1","12":"c"},"n":[]})").to_text() == "ClusterSpec({'n': {}, 'w': {1: 'b:1', 12: 'c'}})");
}

TEST_CASE("Python's quoting") {
  CHECK(python_repr("a") == "'a'");
  CHECK(python_repr("it's") == "\"it's\"");
  CHECK(python_repr("it's \"x\"") == "'it\\'s \"x\"'");
  CHECK(python_repr("\"") == "'\"'");
  CHECK(python_repr("a\\b") == "'a\\\\b'");
  CHECK(python_repr("\n\r\t\x1b\x7f") == "'\\n\\r\\t\\x1b\\x7f'");
  CHECK(python_repr(std::string_view("\0", 1)) == "'\\x00'");
  CHECK(python_repr("é東🚀") == "'é東🚀'");
  CHECK(python_repr("\xc2\x85\xc2\xa0\xe2\x80\xae\xf3\xa0\x80\x81") == "'\\x85\\xa0\\u202e\\U000e0001'");
  CHECK(python_repr("\xff") == "'\\udcff'");
}

TEST_CASE("union: dense parts are concatenated in order") {
  const ClusterSpec merged =
      merge({from(R"({"worker":["c","d"]})"), from(R"({"worker":["a"],"ps":["p"]})"), from(R"({"worker":{"0":"b"}})")}).value();
  CHECK(merged.to_json() == R"({"worker":["c","d","a","b"],"ps":["p"]})");
  CHECK(merge({}).value().empty());
}

TEST_CASE("union: one sparse part makes all keep their indices") {
  CHECK(merge({from(R"({"w":["a","b"]})"), from(R"({"w":{"3":"c","6":"d"}})")}).value().to_json() ==
        R"({"w":{"0":"a","1":"b","3":"c","6":"d"}})");
  const Result<ClusterSpec> clash = merge({from(R"({"w":["a","b"]})"), from(R"({"w":{"1":"c","2":"d"}})")});
  REQUIRE_FALSE(clash);
  CHECK(clash.error().code() == Errc::conflict);
  CHECK_THAT(clash.error().message(), Catch::Contains("'w'") && Catch::Contains("task 1 again") && Catch::Contains("cluster 2"));
}

TEST_CASE("union: a part without tasks counts as sparse") {
  CHECK(merge({from(R"({"w":[]})"), from(R"({"w":["a"]})"), from(R"({"w":["b"]})")}).error().code() == Errc::conflict);
  CHECK(merge({from(R"({"w":["a"]})"), from(R"({"w":["b"]})")}).value().to_json() == R"({"w":["a","b"]})");
  CHECK(merge({from(R"({"w":[]})"), from(R"({"w":["a"]})")}).value().to_json() == R"({"w":["a"]})");
  CHECK(merge({from(R"({"w":[]})")}).value().to_json() == R"({"w":{}})");
}

TEST_CASE("union: many clashes make a short message") {
  ClusterSpec::Tasks tasks;
  for (int i = 0; i < 100'000; ++i) tasks.emplace(2 * i + 1, "x");
  ClusterSpec spec;
  REQUIRE(spec.set_job("w", tasks));
  const Result<ClusterSpec> clash = merge({spec, spec});
  REQUIRE_FALSE(clash);
  CHECK(clash.error().message().size() < 500);
  CHECK_THAT(clash.error().message(), Catch::Contains("99990 more"));
}

TEST_CASE("of many jobs each is found, replaced in its place, and copied with the rest") {
  rollcall::ClusterSpec spec;
  constexpr int count = 1000;
  for (int i = 0; i < count; ++i) spec.set_job("job" + std::to_string(i), {"a:" + std::to_string(i)});
  spec.set_job("job17", {"b:1", "b:2"});
  spec.set_job("job3", {"c:1"});
  REQUIRE(spec.job_list().size() == count);
  rollcall::ClusterSpec moved = spec;
  const rollcall::ClusterSpec copy = spec;
  for (const rollcall::ClusterSpec* const one : {&std::as_const(spec), &copy}) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "job" + std::to_string(i);
      REQUIRE(one->has_job(name));
      REQUIRE(one->job_list()[static_cast<std::size_t>(i)].name == name);
    }
    CHECK(one->num_tasks("job17").value() == 2);
    CHECK(one->task_address("job3", 0).value() == "c:1");
    CHECK(one->task_address("job999", 0).value() == "a:999");
    CHECK_FALSE(one->has_job("job1000"));
  }
  const rollcall::ClusterSpec elsewhere = std::move(moved);
  CHECK(elsewhere == spec);
  moved = rollcall::ClusterSpec();
  for (int i = 0; i < 20; ++i) moved.set_job("x" + std::to_string(i), {"a:1"});
  CHECK_FALSE(moved.has_job("job3"));
  CHECK(moved.has_job("x19"));
  CHECK(moved.has_job("x0"));
}
