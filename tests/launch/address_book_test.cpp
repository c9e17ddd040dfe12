// Two tasks at one address: every form by which programs are started refuses them, in the same words.
#include <catch2/catch.hpp>

#include "rollcall/launch.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

LaunchFacts facts_with(const std::string& cluster) {
  LaunchFacts facts(ClusterSpec::from_json(cluster).value());
  facts.task.emplace("worker", 0);
  facts.accelerator_type = AcceleratorType::parse("v4-16").value();
  facts.same_address_hint = "add address=pod";
  return facts;
}

}  // namespace

TEST_CASE("every form refuses two tasks at one address, and says which") {
  const LaunchFacts facts = facts_with(R"({"worker":["10.128.0.2:8470","10.128.0.3:8470","10.128.0.2:8470"]})");
  for (const LaunchFormatFacts& form : launch_formats()) {
    // A ClusterDef is the cluster as TensorFlow's resolver gives it, and is printed only.
    if (form.format == LaunchFormat::cluster_def || form.format == LaunchFormat::cluster_def_text) continue;
    CAPTURE(to_string(form.format));
    const Result<std::string> text = render_launch(form.format, facts);
    check_failure(text, Errc::invalid_argument, "worker 0 and worker 2 have the same address, 10.128.0.2:8470");
    CHECK(text.error().hint() == "add address=pod");
    if (form.has_environment) CHECK(launch_environment(form.format, facts).has_error());
  }
  for (const HostsForm form : {HostsForm::horovod, HostsForm::deepspeed, HostsForm::mpi, HostsForm::mpich, HostsForm::lines})
    check_failure(render_hosts(form, facts), Errc::invalid_argument, "10.128.0.2:8470");
  for (const FlagsFor launcher : {FlagsFor::accelerate, FlagsFor::torchrun, FlagsFor::deepspeed})
    check_failure(render_flags(launcher, facts), Errc::invalid_argument, "10.128.0.2:8470");
}

TEST_CASE("an address is the same in other letters and other spellings, and in another job") {
  for (const std::string cluster : {R"({"worker":["n1:8470"],"ps":["N1.:8470"]})", R"({"worker":["[::1]:1","[0:0::1]:1"]})"}) {
    CAPTURE(cluster);
    check_failure(render_launch(LaunchFormat::env, facts_with(cluster)), Errc::invalid_argument, "have the same address, ");
  }
}

TEST_CASE("tasks of one host with ports of their own differ, and so do addresses that say no port") {
  for (const std::string cluster :
       {R"({"worker":["n1:8470","n1:8471"]})", R"({"worker":["n1","n1"]})", R"({"worker":["n1:1"],"ps":["n1:2"]})"}) {
    CAPTURE(cluster);
    CHECK(launch_environment(LaunchFormat::env, facts_with(cluster)));
    CHECK(render_launch(LaunchFormat::tf_config, facts_with(cluster)));
  }
}

TEST_CASE("the jobs that do not take part are not compared") {
  LaunchFacts facts = facts_with(R"({"worker":["n1:8470"],"ps":["n1:8470"]})");
  facts.jobs = {"worker"};
  CHECK(render_launch(LaunchFormat::tf_config, facts));
  CHECK(render_launch(LaunchFormat::torchrun, facts));
}
