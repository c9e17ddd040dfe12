// What doctor says of a Slurm target: munge, the way to ask, and what this user is shown.
#include "resolvers/slurm/slurm_doctor.hpp"
#include "call/call_scope.hpp"
#include "resolvers/slurm/small_restd.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

DoctorChecks checks_of(SlurmLoop& t, const std::string& target) {
  const auto subject = value_of(doctor_slurm(t.runtime, value_of(Target::parse(target))));
  auto script = [subject](Call& call) { return subject->check_settings(call); };
  return value_of(t.run(run_call<DoctorChecks>(shared_impl_of(t.runtime), CallOptions(), CallSubject("doctor"), script)));
}

std::string checks_text(const DoctorChecks& checks) {
  std::string text;
  for (const DoctorCheck& check : checks) text += check.name + " " + std::string(to_string(check.outcome)) + ": " + check.found + "\n";
  return text;
}

// Slurm's programs, and munge as `munge` says.
Result<ProgramOutput> programs_with(const ProgramRequest& request, const Result<ProgramOutput>& munge, bool is_refused) {
  if (request.words.front() == "munge") return munge;
  if (is_refused) return FakePrograms::printed("", 1, "slurm_load_reservations error: Protocol authentication error\n");
  if (request.words.front() == "squeue") return FakePrograms::printed("1|1|RUNNING|None\n2|2_[2-5]|PENDING|Priority\n");
  if (request.words.back() == "nodes") return FakePrograms::printed(R"({"nodes":[)" + node_text("n1", R"("IDLE")") + "]}");
  return FakePrograms::printed(request.words.back() == "--version" ? "slurm 24.11.5\n" : R"({"reservations":[]})");
}

std::string with_munge(const Result<ProgramOutput>& munge, bool is_refused) {
  SlurmLoop t;
  t.programs->respond = [&munge, is_refused](const ProgramRequest& request) {
    return FakePrograms::Answer(programs_with(request, munge, is_refused));
  };
  return checks_text(checks_of(t, "slurm:job/7"));
}

}  // namespace

TEST_CASE("slurm doctor: munge, and what is shown, by programs") {
  CHECK(with_munge(FakePrograms::printed("MUNGE:AwQDAAB:\n"), false) ==
        "munge pass: it makes credentials for this user\nSlurm pass: scontrol, slurm 24.11.5\nnodes pass: 1 are shown\n"
        "jobs pass: 2 jobs and waiting tasks are shown (with PrivateData=jobs only this user's)\n");
  const Result<ProgramOutput> away =
      FakePrograms::printed("", 6, "munge: Error: Failed to access \"/run/munge/munge.socket.2\": No such file or directory\n");
  CHECK_THAT(with_munge(away, true), Contains("munge fail: munge makes no credential: ") && Contains("munge.socket.2"));
  CHECK_THAT(with_munge(away, true), Contains("Slurm fail: "));
  const Result<ProgramOutput> absent = Failure(Errc::not_found, "no such program");
  CHECK_THAT(with_munge(absent, true), Contains("munge skipped: it is not installed here"));
  // slurm.conf may name another socket.
  CHECK_THAT(with_munge(away, false), Contains("munge skipped: Slurm's programs sign in without it"));
}

TEST_CASE("slurm doctor: slurmrestd that shows no nodes, and one without lists of states") {
  SlurmLoop t;
  SmallRestd restd;
  restd.nodes.clear();
  restd.version = 38;
  t.serve(restd);
  const std::string text = checks_text(checks_of(t, "slurm:job/7,restd=unix:/run/restd"));
  CHECK_THAT(text, Contains("Slurm pass: slurmrestd at unix:/run/restd, v0.0.38") && Contains("nodes warning: none is shown"));
  CHECK_THAT(text, !Contains("munge") && !Contains("jobs"));
}
