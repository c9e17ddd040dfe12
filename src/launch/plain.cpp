// Forms without a framework: addresses, and the variables of rollcall exec.
#include "launch/address_book.hpp"
#include "launch/format_row.hpp"
#include "launch/job_environment.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

Result<std::string> address_lines(const LaunchFacts& facts) {
  const Result<std::vector<Rank>> members = members_of(facts);
  if (!members) return members.error();
  std::string lines;
  for (const Rank& member : *members) lines += member.endpoint.to_text() + "\n";
  return lines;
}

Result<EnvironmentVariables> own_environment(const LaunchFacts& facts) {
  const Result<void> differ = check_addresses_differ(facts.spec, facts);
  if (!differ) return differ.error();
  return render_job_environment(facts.spec, facts.task, facts.rpc_layer);
}

// Where TF_CONFIG is not set, the program has another form of the cluster, or there is no cluster to put into it.
constexpr std::string_view env_left_of_same_job[] = {"TF_CONFIG"};

}  // namespace

// clang-format off: a row a line
const FormatRow plain_row{.facts = {.format = LaunchFormat::plain, .help = "an address a line"}, .text = address_lines};
const FormatRow env_row{.facts = {.format = LaunchFormat::env, .help = "TF_CONFIG and ROLLCALL_*, as rollcall exec sets them", .has_environment = true, .uses_task = true}, .environment = own_environment, .variables = job_environment_names(), .left_of_same_job = env_left_of_same_job};
// clang-format on

}  // namespace rollcall
