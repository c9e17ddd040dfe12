// Inventories: /etc/hosts, OpenSSH's client configuration, Ansible's inventory, Prometheus' file_sd. Source: hosts(5), ssh_config(5),
// Ansible's plug-in `yaml`, Prometheus' <file_sd_config>.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "launch/format_row.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

std::string cluster_name(const LaunchFacts& facts) { return facts.name.empty() ? "rollcall" : facts.name; }

// Checked before anything is rendered: the names of jobs and of the cluster are repeated for each task, and may be long.
Result<void> check_repeated_names(const LaunchFacts& facts, const std::vector<Rank>& members) {
  constexpr std::size_t max_bytes = std::size_t{16} << 20;
  constexpr std::size_t usual_bytes = 64;  // names up to this length do not count
  const auto excess = [usual_bytes](std::string_view text) {
    std::string shown;
    append_json_string(shown, text);
    return shown.size() - std::min(shown.size(), usual_bytes);
  };
  const std::size_t of_cluster = excess(cluster_name(facts));
  std::size_t bytes = 0;
  std::size_t of_job = 0;
  std::string_view job;
  for (const Rank& member : members) {
    if (member.job != job) of_job = excess(member.job);
    job = member.job;
    bytes += of_job + of_cluster;
    if (bytes <= max_bytes) continue;
    return Failure(Errc::limit_exceeded,
                   fmt::format("the names alone of {} tasks, written for each, would be over {} MiB: job {} has a name of {} bytes, the "
                               "cluster one of {}",
                               members.size(), max_bytes >> 20, quoted(job, 80), job.size(), cluster_name(facts).size()));
  }
  return {};
}

// A member with its host names.
class NamedMember {
 public:
  Rank member;
  std::string alias;       // worker-0
  std::string whole_name;  // worker-0.CLUSTER
};

// These forms have no quoting, or pass quoted text to a template engine (Ansible): a name that is not a plain word is refused.
Result<std::vector<NamedMember>> named_members(const LaunchFacts& facts) {
  const std::string cluster = cluster_name(facts);
  if (!is_plain_host("x." + cluster) || cluster.find("..") != std::string::npos)
    return Failure(Errc::invalid_argument,
                   fmt::format("the cluster's name, {}, cannot be a part of its hosts' names", quoted(cluster, 80)));
  Result<std::vector<Rank>> members = members_of(facts);
  if (!members) return members.error();
  if (const Result<void> fine = check_repeated_names(facts, *members); !fine) return fine.error();
  std::vector<NamedMember> named;
  std::set<std::string> names;  // host names are not case-sensitive
  for (Rank& member : *members) {
    std::string alias = fmt::format("{}-{}", member.job, member.index);
    std::string whole = alias + "." + cluster;
    if (!is_plain_host(whole)) {
      return Failure(Errc::invalid_argument,
                     fmt::format("{} {} cannot be the name of a host: job names are letters, digits, hyphens, dots and "
                                 "underscores in this form, 253 with the cluster's name",
                                 quoted(member.job, 80), member.index))
          .with_hint("say which jobs take part: --job worker");
    }
    if (!names.insert(to_lower(alias)).second)
      return Failure(Errc::invalid_argument, fmt::format("two hosts would have the name {}: names are alike in either case", alias));
    NamedMember& one = named.emplace_back();
    one.member = std::move(member);
    one.alias = std::move(alias);
    one.whole_name = std::move(whole);
  }
  return named;
}

// A line for each task, since some readers limit the length of a line.
Result<std::string> hosts_lines(const LaunchFacts& facts) {
  const Result<std::vector<NamedMember>> members = named_members(facts);
  if (!members) return members.error();
  std::string lines;
  for (const NamedMember& one : *members) {
    const std::string& host = one.member.endpoint.host;
    if (!read_ip(host)) {
      return Failure(Errc::invalid_argument,
                     fmt::format("the host of {} {} is {}, a name: /etc/hosts has IP addresses, and no name is looked up here",
                                 one.member.job, one.member.index, quoted(host, 80)))
          .with_hint("for hosts with names: --format ssh-config, or ansible");
    }
    lines += fmt::format("{} {} {}\n", host, one.whole_name, one.alias);
  }
  return lines;
}

Result<std::string> ssh_blocks(const LaunchFacts& facts) {
  const Result<std::vector<NamedMember>> members = named_members(facts);
  if (!members) return members.error();
  std::string text;
  for (const NamedMember& one : *members)
    text += fmt::format("Host {} {}\n  HostName {}\n", one.whole_name, one.alias, one.member.endpoint.host);
  return text;
}

// A group name has the form of a variable name, and Ansible reserves two names.
std::string ansible_group(std::string_view job) {
  std::string group(job);
  for (char& c : group) c = is_alnum(c) ? c : '_';
  return is_digit(group.front()) || group == "all" || group == "ungrouped" ? "job_" + group : group;
}

// YAML, since the other format, INI, guesses types and comments. Words are quoted: `yes` and `1e3` are names.
Result<std::string> ansible_inventory(const LaunchFacts& facts) {
  const Result<std::vector<NamedMember>> members = named_members(facts);
  if (!members) return members.error();
  std::string text = "all:\n  children:\n";
  std::map<std::string, std::string> jobs;  // by group
  std::optional<std::string_view> last;
  for (const NamedMember& one : *members) {
    const Rank& member = one.member;
    if (last != member.job) {
      const std::string group = ansible_group(member.job);
      const auto [at, is_new] = jobs.try_emplace(group, member.job);
      if (!is_new)
        return Failure(Errc::invalid_argument, fmt::format("jobs {} and {} would both be the group {}", at->second, member.job, group));
      text += fmt::format("    \"{}\":\n      hosts:\n", group);
    }
    last = member.job;
    text += fmt::format("        \"{}\":\n          ansible_host: \"{}\"\n          rollcall_job: \"{}\"\n          rollcall_index: {}\n",
                        one.alias, member.endpoint.host, member.job, member.index);
    if (member.endpoint.port) text += fmt::format("          rollcall_port: {}\n", *member.endpoint.port);
  }
  return text;
}

// A label's value may be any text. It is repeated for each task.
Result<std::string> file_sd(const LaunchFacts& facts) {
  const Result<std::vector<Rank>> members = members_of(facts);
  if (!members) return members.error();
  if (const Result<void> fine = check_repeated_names(facts, *members); !fine) return fine.error();
  std::string text = "[";
  for (const Rank& member : *members) {
    text += text.size() == 1 ? "\n" : ",\n";
    text += R"({"targets":[)";
    append_json_string(text, member.endpoint.to_text());
    text += R"(],"labels":{)";
    append_json_field(text, "job", member.job);
    append_json_field(text, "index", std::to_string(member.index));
    append_json_field(text, "cluster", cluster_name(facts));
    text += "}}";
  }
  return text + "\n]\n";
}

}  // namespace

// clang-format off: a row a line
const FormatRow hosts_row{.facts = {.format = LaunchFormat::hosts, .help = "lines of /etc/hosts, `10.0.0.1 worker-0.rollcall worker-0`"}, .text = hosts_lines};
const FormatRow ssh_config_row{.facts = {.format = LaunchFormat::ssh_config, .help = "OpenSSH's configuration: worker-0 and so on, a Host block each"}, .text = ssh_blocks};
const FormatRow ansible_row{.facts = {.format = LaunchFormat::ansible, .help = "Ansible's inventory in YAML, a group for each job"}, .text = ansible_inventory};
const FormatRow prometheus_row{.facts = {.format = LaunchFormat::prometheus, .help = "targets for Prometheus' file_sd_configs, JSON"}, .text = file_sd};
// clang-format on

}  // namespace rollcall
