#include "render/render_cluster.hpp"
#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("a cluster as text: three words a line") {
  ClusterSpec spec;
  CHECK(render_text(spec).empty());
  spec.set_job("worker", std::vector<std::string>{"10.0.0.1:8470", "10.0.0.2:8470"});
  spec.set_job("ps", std::vector<std::string>{"10.0.0.3:1"});
  CHECK(render_text(spec) == "worker 0 10.0.0.1:8470\nworker 1 10.0.0.2:8470\nps     0 10.0.0.3:1\n");
  REQUIRE(spec.set_job("ps", ClusterSpec::Tasks{{7, "a:1"}, {12, "b:1"}}));
  CHECK(render_text(spec) == "worker  0 10.0.0.1:8470\nworker  1 10.0.0.2:8470\nps      7 a:1\nps     12 b:1\n");
  spec.set_job("none", std::vector<std::string>{});
  CHECK(render_text(spec).find("none    - -\n") != std::string::npos);
}

TEST_CASE("nothing in a cluster can disturb the terminal or the columns") {
  ClusterSpec spec;
  spec.set_job("a b", std::vector<std::string>{"x\x1b[2J\n1", ""});
  const std::string text = render_text(spec);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("a\\x20b 0 ") == 0);
  CHECK(text.find("1 \"\"\n") != std::string::npos);
}

TEST_CASE("colours only when asked for") {
  ClusterSpec spec;
  spec.set_job("w", std::vector<std::string>{"a:1"});
  CHECK(render_text(spec) == "w 0 a:1\n");
  CHECK(render_text(spec, true) == "\x1b[1mw\x1b[0m \x1b[2m0\x1b[0m a:1\n");
}

TEST_CASE("a cluster as JSON") {
  ClusterSpec spec;
  CHECK(render_json(spec) == "{\"cluster\":{},\"failures\":[]}\n");
  spec.set_job("worker", std::vector<std::string>{"a:1"});
  Failure failure = Failure(Errc::not_found, "TPU \"x\": no such node")
                        .with_hint("check it")
                        .with_target("https://h/v2")
                        .with_attempts(2)
                        .with_last_status(404);
  failure.with_elapsed(std::chrono::milliseconds(15)).with_phase(Phase::response);
  CHECK(
      render_json(spec, {TargetFailure("tpu:x", failure)}) ==
      "{\"cluster\":{\"worker\":[\"a:1\"]},\"failures\":[{\"target\":\"tpu:x\",\"code\":\"not_found\",\"message\":\"TPU \\\"x\\\": no such "
      "node\","
      "\"hint\":\"check it\",\"asked\":\"https://h/v2\",\"phase\":\"response\",\"attempts\":2,\"http_status\":404,\"elapsed_ms\":15}]}\n");
}
