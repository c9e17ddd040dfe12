// `rollcall hosts`: the ready members, for host discovery scripts and hostfiles.
#include <fmt/format.h>

#include <algorithm>

#include "command/arguments/command_table.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/ask/slices.hpp"
#include "command/process/replaced_file.hpp"
#include "command/run/one_question.hpp"
#include "command/show/launch_text.hpp"

namespace rollcall::command {
namespace {

class HostsAnswer {
 public:
  HostsAnswer() {}
  std::string lines;
  std::string why_none;  ///< the form for people, which has no lines
};

bool is_member_ready(const Member& member) {
  return !member.address.empty() && member.state.level == MemberState::ready && member.health.level == MemberState::ready;
}

// `worker 0 (10.0.0.1:8470): CREATING`: the first member that is not ready, and how many others are not.
std::string why_no_reader(const ClusterStatus& status) {
  if (status.members.empty()) return status.state.text.empty() ? "it has no members yet" : status.state.text;
  const Member& first = status.members.front();
  const Condition& condition = first.state.level == MemberState::ready ? first.health : first.state;
  const std::string words = first.address.empty() && condition.level == MemberState::ready ? "no address yet"
                            : condition.text.empty()                                       ? std::string(to_string(condition.level))
                                                                                           : condition.text;
  const std::string others = status.members.size() > 1 ? fmt::format("; and {} more", status.members.size() - 1) : "";
  return fmt::format("{}: {}{}", first.label(), words, others);
}

// The jobs, with their ready members.
ClusterSpec ready_part(ClusterStatus status) {
  for (const Member& member : status.members) {
    if (std::find(status.jobs.begin(), status.jobs.end(), member.job) == status.jobs.end()) status.jobs.push_back(member.job);
  }
  std::erase_if(status.members, [](const Member& member) { return !is_member_ready(member); });
  return status.spec();
}

// A cluster that is gone or does not exist yet is not an error: no member is ready. A service that cannot be reached is one, since a list
// without hosts would end the launcher's job [facts: horovod-discovery].
bool means_no_address(const Failure& failure, bool is_for_existence) {
  return failure.code() == Errc::not_ready || (is_for_existence && failure.code() == Errc::not_found);
}

asio::awaitable<Result<HostsAnswer>> ask_hosts(const Arguments& arguments, std::vector<ClusterPart> parts,
                                               std::shared_ptr<ClusterResolver> together, CallOptions options) {
  HostsAnswer answer;
  const QuestionOptions shared(std::move(options));
  const Result<ClusterStatus> status = co_await together->try_cluster_status(shared.next());
  if (!status) {
    if (!means_no_address(status.error(), arguments.is_for_existence)) co_return status.error();
    answer.why_none = status.error().what();
    co_return answer;
  }
  LaunchFacts facts = arguments.launch;
  facts.spec = ready_part(*status);
  const std::vector<ClusterSpec::Job>& jobs = facts.spec.job_list();
  const bool is_empty = std::all_of(jobs.begin(), jobs.end(), [](const ClusterSpec::Job& job) { return job.tasks.empty(); });
  if (is_empty) {
    answer.why_none = why_no_reader(*status);
    co_return answer;
  }
  const Result<void> whole = check_slices(parts, "the list of a job's hosts");
  if (!whole) co_return whole.error();
  facts.members = std::move(status->members);
  facts.same_address_hint = same_address_hint(parts);
  Result<std::string> lines = render_hosts(arguments.hosts_form, facts);
  if (!lines) co_return lines.error();
  if (!arguments.is_quiet && arguments.hosts_form != HostsForm::lines) report_unknown_accelerators(facts, std::nullopt);
  answer.lines = std::move(*lines);
  if (answer.lines.empty()) answer.why_none = "none of these jobs' members is ready";
  co_return answer;
}

int print_hosts(const HostsAnswer& answer, const Arguments& arguments) {
  if (!answer.why_none.empty() && !arguments.is_quiet) complain("no host is ready: " + answer.why_none);
  const std::string& file = arguments.output_file;
  if (!file.empty()) return replace_named_file("--output", file, answer.lines) ? exit_answered : exit_failed;
  return answer.lines.empty() || write_result(answer.lines) ? exit_answered : exit_failed;
}

}  // namespace

int run_hosts(Arguments arguments) {
  if (!arguments.output_file.empty()) {
    const Result<void> fine = check_replaceable("--output", arguments.output_file);
    if (!fine) return refuse(fine.error(), exit_usage);
  }
  return answer_together(arguments, ask_hosts, print_hosts);
}

}  // namespace rollcall::command
