#include "command/arguments/kubectl_words.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace rollcall::testing;

namespace {

using Words = std::vector<std::string>;

Words as_rollcall(const Words& words) { return value_of(kubectl_words(words)); }

}  // namespace

TEST_CASE("the plug-in is known by the name that kubectl looks for") {
  CHECK((is_kubectl_plugin("kubectl-rollcall") && is_kubectl_plugin("/usr/local/bin/kubectl-rollcall")));
  CHECK_FALSE((is_kubectl_plugin("rollcall") || is_kubectl_plugin("/opt/kubectl-rollcall/rollcall") || is_kubectl_plugin("")));
}

TEST_CASE("a workload as kubectl names it becomes a target") {
  CHECK(as_rollcall({"status", "job/trainer"}) == Words{"status", "kubernetes:./job/trainer"});
  CHECK(as_rollcall({"status", "job/trainer", "-n", "team"}) == Words{"status", "kubernetes:team/job/trainer"});
  for (const Words& given : {Words{"-n", "team", "wait", "job/t"}, Words{"wait", "-nteam", "job/t"}, Words{"wait", "-n=team", "job/t"},
                             Words{"wait", "job/t", "--namespace=team"}, Words{"--namespace", "team", "wait", "job/t"}})
    CHECK(as_rollcall(given) == Words{"wait", "kubernetes:team/job/t"});
  CHECK(as_rollcall({"why", "job.batch.volcano.sh/t,address=pod", "--context", "a,b", "--kubeconfig", "/k c"}) ==
        Words{"why", "kubernetes:./job.batch.volcano.sh/t,address=pod,context=a%2Cb,kubeconfig=/k%20c"});
  CHECK(as_rollcall({"wait", "job/a", "sts/b", "-n", "t"}) == Words{"wait", "kubernetes:t/job/a", "kubernetes:t/sts/b"});
}

TEST_CASE("what is no workload of kubectl's stays as it is") {
  CHECK(as_rollcall({"spec", "tpu:a/b", "job/c"}) == Words{"spec", "tpu:a/b", "kubernetes:./job/c"});
  CHECK(as_rollcall({"status", "--timeout", "-n", "job/a"}) == Words{"status", "--timeout", "-n", "kubernetes:./job/a"});
  CHECK(as_rollcall({"spec", "--trace", "out/t", "job/a"}) == Words{"spec", "--trace", "out/t", "kubernetes:./job/a"});
  CHECK(as_rollcall({"exec", "job/a", "--", "python", "job/b", "-n", "x"}) ==
        Words{"exec", "kubernetes:./job/a", "--", "python", "job/b", "-n", "x"});
  CHECK(as_rollcall({"discover", "-n", "team", "--context", "c"}) == Words{"discover", "-n", "team", "--context", "c"});
  CHECK(as_rollcall({"sim", "a/b"}) == Words{"sim", "a/b"});
  CHECK(as_rollcall({"devices", "local"}) == Words{"devices", "local"});
  CHECK(as_rollcall({"--version"}) == Words{"--version"});
  CHECK(as_rollcall({}).empty());
}

TEST_CASE("an option of kubectl's that belongs to nothing is refused") {
  check_failure(kubectl_words({"status", "job/a", "-n"}), Errc::invalid_argument, "-n needs a value");
  check_failure(kubectl_words({"status", "job/a", "--namespace="}), Errc::invalid_argument, "--namespace is empty");
  check_failure(kubectl_words({"status", "tpu:a", "-n", "team"}), Errc::invalid_argument, "--namespace belongs to a workload");
  check_failure(kubectl_words({"discover", "--kubeconfig", "f"}), Errc::invalid_argument, "--kubeconfig has no meaning");
  check_failure(kubectl_words({"status", "job/a", "-n", "a/b"}), Errc::invalid_argument, "'a/b' is no namespace");
  check_failure(kubectl_words({"status", "job/a,context=c", "--context", "d"}), Errc::invalid_argument, "exclude each other");
}
