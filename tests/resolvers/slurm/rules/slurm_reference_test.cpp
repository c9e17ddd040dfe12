// Which job is meant: ids, tasks of arrays, components, names.
#include "resolvers/slurm/rules/slurm_reference.hpp"

#include "resolvers/slurm/slurm_samples.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

SlurmReference reference(const std::string& text) { return value_of(SlurmReference::parse(text)); }

Result<std::vector<SlurmJobRecord>> selected(const std::string& text, std::vector<SlurmJobRecord> records) {
  return select_slurm_jobs(reference(text), std::move(records));
}

SlurmJobRecord record(std::int64_t id, const std::string& name, const std::string& state) {
  SlurmJobRecord job;
  job.id = id;
  job.name = name;
  job.states = {state};
  job.user = "ada";
  return job;
}

}  // namespace

TEST_CASE("ids and names of Slurm jobs") {
  CHECK(reference("4711").id == 4711);
  CHECK(reference("4711_3").task == 3);
  CHECK(reference("4711+1").component == 1);
  CHECK(reference("trainer").name == "trainer");
  CHECK(reference("7b-model").name == "7b-model");
  for (const char* const text : {"4711", "4711_3", "4711+1", "trainer"}) CHECK(reference(text).text() == text);
}

TEST_CASE("what is no id and no name is refused") {
  for (const char* const text :
       {"", "0", "4711_", "_3", "4711+", "4711_3_4", "4294967296", "99999999999999999999", "4711_+3", " 4711", "-4711", "--help"}) {
    INFO(text);
    const Result<SlurmReference> parsed = SlurmReference::parse(text);
    const bool is_odd_name = parsed && parsed->id == 0 && text[0] == '_';  // a name may begin with an underscore
    CHECK((!parsed || is_odd_name));
  }
  CHECK_FALSE(SlurmReference::parse(std::string(1'000'000, '9')));
  CHECK_FALSE(SlurmReference::parse(std::string(1'000'000, 'a')));
}

TEST_CASE("a task of an array, on two versions of Slurm") {
  for (const char* const version : {"22.05", "24.11"}) {
    INFO(version);
    const std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "job.array");
    const auto running = std::find_if(jobs.begin(), jobs.end(), [](const SlurmJobRecord& job) { return job.array_task.has_value(); });
    REQUIRE(running != jobs.end());
    const auto found = value_of(selected("1_" + std::to_string(*running->array_task), jobs));
    CHECK(found.at(0).id == running->id);
    const auto waiting = value_of(selected("1_5", jobs));
    CHECK(waiting.at(0).is_pending());
    CHECK(slurm_job_text(waiting.at(0)) == "1_5");
    check_failure(selected("1_77", jobs), Errc::not_found, "1_77", "without that task");
    check_failure(selected("1", jobs), Errc::invalid_argument, "is an array of several tasks");
  }
}

TEST_CASE("a list of tasks that Slurm cut says nothing about the others") {
  SlurmJobRecord rest = record(7, "sweep", "PENDING");
  rest.array_job = 7;
  rest.array_tasks = "1,3,5-9:2,...%4";
  CHECK(selected("7_3", {rest}));
  CHECK(selected("7_9", {rest}));
  check_failure(selected("7_400", {rest}), Errc::not_found, "shows only a part");
  rest.array_tasks = "1,3,5-9:2%4";
  check_failure(selected("7_6", {rest}), Errc::not_found, "without that task");
}

TEST_CASE("components of a heterogeneous job, on three versions of Slurm") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "job.het");
    std::reverse(jobs.begin(), jobs.end());
    const auto all = value_of(selected("12", jobs));
    REQUIRE(all.size() == 2);
    CHECK(all[0].het_offset == 0);
    CHECK(value_of(selected("12+1", jobs)).at(0).id == 13);
    CHECK(slurm_job_text(all[1]) == "12+1");
    check_failure(selected("12+2", jobs), Errc::not_found, "without that component");
  }
}

TEST_CASE("a name means the job that is alive") {
  const std::vector<SlurmJobRecord> jobs = {record(3, "train", "FAILED"), record(9, "train", "RUNNING"), record(10, "other", "RUNNING")};
  CHECK(value_of(selected("train", jobs)).at(0).id == 9);
  check_failure(selected("trainer", jobs), Errc::not_found, "no job trainer");
  CHECK(value_of(selected("train", {jobs[0]})).at(0).id == 3);
  check_failure(selected("train", {jobs[1], record(12, "train", "PENDING")}), Errc::conflict, "2 jobs", "9 of ada", "12 of ada");
  check_failure(selected("9", {}), Errc::not_found, "no job 9");
}
