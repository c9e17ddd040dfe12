#include "command/arguments/targets.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;

TEST_CASE("a word that is no target is answered with the one that was meant") {
  const auto hint = [](std::string_view text) {
    const Result<void> checked = check_scheme(text);
    return checked ? std::string("fine") : checked.error().hint();
  };
  CHECK(hint("tpu:trainer") == "fine");
  CHECK(hint("tpu:8470") == "fine");
  CHECK(hint("simple:job.worker=a:1") == "fine");
  CHECK(hint("tfconfig:") == "fine");
  CHECK(hint("trainer").starts_with("targets begin with their scheme, such as kubernetes:NAMESPACE/KIND/NAME, slurm:job/ID or tpu:NAME"));
  CHECK(hint("train/jobset/trainer,address=pod") == "did you mean kubernetes:train/jobset/trainer,address=pod?");
  CHECK(hint("jobset/trainer") == "did you mean kubernetes:./jobset/trainer?");
  CHECK(hint("a/b/c/d") == hint("trainer"));
  CHECK(hint("qr/big") == "did you mean tpu:qr/big?");
  CHECK(hint("projects/p/locations/z/nodes/n") == "did you mean tpu:projects/p/locations/z/nodes/n?");
  CHECK(hint("projects/p/zones/z/instanceGroups/n") == hint("trainer"));
  CHECK(hint("10.0.0.1:8470,10.0.0.2:8470") == "did you mean simple:job.worker=10.0.0.1:8470+10.0.0.2:8470?");
  CHECK(hint("n1,n2") == "did you mean simple:job.worker=n1+n2?");
  CHECK(hint("trainer,zone=z") == hint("trainer"));
  for (const char* const file : {"hosts.txt", "./hosts", "/etc/hosts", "nodes.yaml"})
    CHECK(hint(file) == std::string("did you mean file:") + file + "?");
  CHECK(hint("12345") == "did you mean slurm:job/12345?");
  CHECK(hint("job:12345") == "did you mean slurm:job/12345?");
  CHECK(hint("file:///etc/hosts") == "fine");
  CHECK(hint("tpu://trainer,zone=z") == "did you mean tpu:trainer,zone=z?");
  CHECK(hint("slurm://7") == "did you mean slurm:job/7?");
  CHECK(hint("kubernetes://train/job/x") == "did you mean kubernetes:train/job/x?");
  CHECK(hint("tpux:trainer") == "did you mean tpu:trainer?");
  CHECK(hint("TPU:trainer") == "did you mean tpu:trainer?");
  CHECK(hint("k8s:train/job/x") == "did you mean kubernetes:train/job/x?");
  CHECK(hint("tfconfg:") == "did you mean tfconfig:?");
  CHECK(hint("grpc://10.0.0.1") == "did you mean tpu:grpc://10.0.0.1?");
  CHECK(hint("10.0.0.1:8470") == "did you mean tpu:grpc://10.0.0.1:8470?");
  CHECK(hint("[::1]:8470") == "did you mean tpu:grpc://[::1]:8470?");
  CHECK(hint("job.worker=a:1") == "did you mean simple:job.worker=a:1?");
  CHECK(hint("zookeeper:x").starts_with("targets begin with tpu:, simple:, tfconfig:"));
  CHECK(hint("") == hint("trainer"));
}

TEST_CASE("a list of targets: one a line, comments, blank lines") {
  const auto listed = parse_target_list("# mine\n\n  tpu:a  \r\ntpu:b # the second\n\t#x\ntpu:c#d", "list").value();
  REQUIRE(listed.size() == 3);
  CHECK(listed[0].text == "tpu:a");
  CHECK(listed[0].where == "list:3");
  CHECK(listed[1].text == "tpu:b");
  CHECK(listed[2].text == "tpu:c#d");
  CHECK(listed[2].where == "list:6");
  CHECK(parse_target_list("", "list").value().empty());
  CHECK(parse_target_list("\xEF\xBB\xBFtpu:a\n", "list").value().front().text == "tpu:a");
}

TEST_CASE("a bad list names its line") {
  CHECK(parse_target_list("tpu:a\ntpu:b tpu:c\n", "list").error().what().find("list:2:") == 0);
  CHECK(parse_target_list(std::string_view("tpu:a\n\0", 7), "list").error().what().find("list:2:") == 0);
  std::string many;
  for (std::size_t i = 0; i <= max_targets; ++i) many += "tpu:a\n";
  CHECK(parse_target_list(many, "list").error().what().find("list:100001:") == 0);
  many.resize(many.size() - 6);
  CHECK(parse_target_list(many, "list").value().size() == max_targets);
  CHECK(read_target_list("/does/not/exist").error().code() == Errc::invalid_argument);
  CHECK(read_target_list("/").error().code() == Errc::invalid_argument);
}

TEST_CASE("options fill in what a target leaves open") {
  Arguments none, some;
  some.project = "p";
  some.zone = "z";
  some.api = TpuApiVersion::v1;
  CHECK(with_defaults("tpu:a", none).value() == "tpu:a");
  CHECK(with_defaults("tpu:a", some).value() == "tpu:a,project=p,zone=z,api=v1");
  CHECK(with_defaults("tpu:a,zone=mine", some).value() == "tpu:a,zone=mine,project=p,api=v1");
  CHECK(with_defaults("tpu:projects/q/locations/y/nodes/n", some).value() == "tpu:projects/q/locations/y/nodes/n,api=v1");
  CHECK(with_defaults("simple:job.worker=a:1", some).value() == "simple:job.worker=a:1");
}
