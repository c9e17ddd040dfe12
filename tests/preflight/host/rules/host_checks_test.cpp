// The words of --checks.
#include "rollcall/host_checks.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

Result<HostChecks> checks_of(std::vector<std::string> words) { return HostChecks::parse(words); }

}  // namespace

TEST_CASE("sets and names of checks") {
  CHECK(checks_of({})->wants("gpu"));
  CHECK(checks_of({"quick"})->wants("clock"));
  CHECK(checks_of({"full", "-gpu"})->wants("clock"));
  CHECK_FALSE(checks_of({"full", "-gpu"})->wants("gpu"));
  CHECK(checks_of({"disk_speed", "mount:/data"}).error().what() ==
        std::string("disk_speed has no folder to measure: name one by disk:PATH=SIZE"));
  for (const char* const slow : {"bandwidth", "memory_speed", "disk_speed"}) {
    CHECK(checks_of({"full"})->wants(slow));
    CHECK(checks_of({slow, "disk:/data=1G"})->wants(slow));
    CHECK_FALSE(checks_of({"quick"})->wants(slow));
    CHECK_FALSE(HostChecks().wants(slow));
  }
  CHECK(checks_of({"kernel", "bandwidth"})->wants("bandwidth"));
  CHECK_FALSE(checks_of({"quick"})->wants("bandwidth"));
  CHECK_FALSE(checks_of({"full", "-bandwidth"})->wants("bandwidth"));
  CHECK_FALSE(checks_of({"-packages"})->wants("packages"));
  CHECK(checks_of({"-packages"})->wants("gpu"));
  CHECK(checks_of({"gpu"})->wants("gpu"));
  CHECK_FALSE(checks_of({"gpu"})->wants("clock"));
  CHECK(checks_of({"shm=8G"})->wants("clock"));
  CHECK_FALSE(checks_of({"gpu", "-gpu"})->wants("gpu"));
}

TEST_CASE("checks with a value") {
  const HostChecks checks = checks_of({"disk:/scratch/=200G", "mount:/data", "mount:/big=1T", "shm=8GiB", "nofile=65536",
                                       "memlock=unlimited", "port:29500", "expect:driver=580.159.04"})
                                .value();
  REQUIRE(checks.folders.size() == 3);
  CHECK(checks.folders[0].name() == "disk:/scratch");
  CHECK(checks.folders[0].bytes == std::uint64_t{200} << 30);
  CHECK(checks.folders[1].is_mount);
  CHECK(checks.folders[2].bytes == std::uint64_t{1} << 40);
  CHECK(checks.shm_bytes == std::uint64_t{8} << 30);
  CHECK(checks.open_files->least == 65536U);
  REQUIRE(checks.locked_memory);
  CHECK_FALSE(checks.locked_memory->least);
  CHECK(checks.ports == std::vector<std::uint16_t>{29500});
  CHECK(checks.expected.at(0).value == "580.159.04");
  CHECK(checks.expects({"driver", "nccl"}));
  CHECK_FALSE(checks.expects({"nccl"}));
}

TEST_CASE("words that are no checks") {
  for (const char* const word : {"",
                                 "-",
                                 "gpus",
                                 "-gpus",
                                 "-quick",
                                 "-disk:/x",
                                 "disk:/x",
                                 "disk:x=1G",
                                 "disk:=1G",
                                 "disk:/x=",
                                 "disk:/x=-1G",
                                 "disk:/x=1.5G",
                                 "disk:/x= 1G",
                                 "disk:/x=0",
                                 "disk:/x=99999999999999T",
                                 "mount:",
                                 "mount:data",
                                 "port:0",
                                 "port:65536",
                                 "port:+1",
                                 "port:",
                                 "shm=",
                                 "shm=big",
                                 "shm=1P",
                                 "nofile=-1",
                                 "memlock=no",
                                 "expect:",
                                 "expect:driver",
                                 "expect:driver=",
                                 "expect:colour=red"}) {
    INFO(word);
    const Result<HostChecks> checks = checks_of({word});
    REQUIRE(checks.has_error());
    CHECK(checks.error().code() == Errc::invalid_argument);
  }
  CHECK(checks_of({"gpuss"}).error().what().find("did you mean 'gpu'") != std::string::npos);
  CHECK(checks_of({std::string(1 << 20, 'x')}).error().what().size() < 1000);
  CHECK(checks_of(std::vector<std::string>(100'000, "gpu")).has_error());
  CHECK(checks_of(std::vector<std::string>(65, "mount:/x")).has_error());
}
