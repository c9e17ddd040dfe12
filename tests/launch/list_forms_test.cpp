// Host files and inventories: every form is parsed by a reader as small as its grammar, and the result must be the cluster.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/text.hpp"
#include "launch/slots.hpp"
#include "rollcall/host_list.hpp"
#include "support/live_bytes.hpp"
#include "support/result.hpp"

using namespace rollcall;
using testing::check_failure;
using testing::value_of;

namespace {

// A task as a reader finds it. Values that a form does not contain are empty.
using ReadTask = std::pair<std::string, std::string>;  // `worker-0`, its host or address

std::vector<std::string> lines_of(const std::string& text) {
  REQUIRE(text.ends_with('\n'));
  std::vector<std::string> lines;
  for (const std::string_view line : split(std::string_view(text).substr(0, text.size() - 1), '\n')) lines.emplace_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string unquoted(std::string_view text) {
  REQUIRE(text.size() >= 2);
  REQUIRE((text.front() == '"' && text.back() == '"'));
  text = text.substr(1, text.size() - 2);
  CHECK(text.find_first_of("\"\\") == std::string_view::npos);
  return std::string(text);
}

std::vector<ReadTask> read_hosts_file(const std::string& text) {
  std::vector<ReadTask> tasks;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> words = words_of(line);
    REQUIRE(words.size() == 3);
    CHECK(words[1] == words[2] + ".rollcall");
    tasks.emplace_back(words[2], words[0]);
  }
  return tasks;
}

std::vector<ReadTask> read_ssh_config(const std::string& text) {
  std::vector<ReadTask> tasks;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> words = words_of(line);
    if (words.front() == "Host") {
      REQUIRE(words.size() == 3);
      CHECK(words[1] == words[2] + ".rollcall");
      tasks.emplace_back(words[2], "");
    } else {
      REQUIRE((words.size() == 2 && words[0] == "HostName" && !tasks.empty()));
      tasks.back().second = words[1];
    }
  }
  return tasks;
}

// By indentation, as in YAML: groups at 4, hosts at 8, their variables at 10.
std::vector<ReadTask> read_ansible(const std::string& text) {
  std::vector<ReadTask> tasks;
  std::string job, index;
  for (const std::string& line : lines_of(text)) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::vector<std::string> words = words_of(line);
    if (indent == 8) tasks.emplace_back(unquoted(std::string_view(words[0]).substr(0, words[0].size() - 1)), "");
    if (indent != 10) continue;
    REQUIRE(words.size() == 2);
    if (words[0] == "ansible_host:") tasks.back().second = unquoted(words[1]);
    if (words[0] == "rollcall_job:") job = unquoted(words[1]);
    if (words[0] == "rollcall_index:") CHECK(tasks.back().first == job + "-" + words[1]);
  }
  return tasks;
}

// The cluster as LaunchFacts, and as a reader must find it: in the order of ranks.
class RandomCluster {
 public:
  explicit RandomCluster(unsigned seed) : dice_(seed) {
    for (int i = 0; i < 4; ++i) hosts_.push_back(any_host());
    const std::vector<std::string> names = {"worker", "chief", "ps", "evaluator", "a_b", "n.1", "yes", "null", "all", "Job-2"};
    ClusterSpec spec;
    const int jobs = roll(1, 4);
    for (int i = 0; i < jobs; ++i) {
      const std::string& name = names[static_cast<std::size_t>(roll(0, static_cast<int>(names.size()) - 1))];
      if (spec.has_job(name)) continue;
      ClusterSpec::Tasks tasks;
      int index = 0;
      for (int n = roll(1, 5); n > 0; --n, index += roll(0, 4) == 0 ? roll(2, 1000) : 1) tasks.emplace(index, any_address());
      is_dense = is_dense && ClusterSpec::is_dense(tasks) && name != "ps" && name != "evaluator";
      REQUIRE(spec.set_job(name, tasks));
    }
    facts = LaunchFacts(spec);
    if (roll(0, 1) == 1) facts.accelerators_per_host = roll(1, 8);
  }

  bool has_only_ips() const {
    return std::all_of(used_.begin(), used_.end(), [](const std::string& host) { return is_ip(host); });
  }
  bool has_ipv6() const {
    return std::any_of(used_.begin(), used_.end(), [](const std::string& host) { return host.find(':') != std::string::npos; });
  }

  LaunchFacts facts;
  bool is_dense = true;

 private:
  static bool is_ip(const std::string& host) { return host.find(':') != std::string::npos || host.starts_with("10."); }
  int roll(int low, int high) { return std::uniform_int_distribution<int>(low, high)(dice_); }
  std::string any_host() {
    switch (roll(0, 4)) {
      case 0: return fmt::format("node{:03}", roll(0, 999));
      case 1: return fmt::format("10-0-0-{}.default.pod", roll(0, 9));
      case 2: return fmt::format("fd00::{:x}", roll(1, 65535));
      default: return fmt::format("10.0.{}.{}", roll(0, 1), roll(0, 255));
    }
  }
  std::string any_address() {  // each address is different: the port counts up
    const std::string& host = hosts_[static_cast<std::size_t>(roll(0, static_cast<int>(hosts_.size()) - 1))];
    used_.insert(host);
    return Endpoint(host, static_cast<std::uint16_t>(++port_)).to_text();
  }

  std::mt19937 dice_;
  std::vector<std::string> hosts_;
  std::set<std::string> used_;
  int port_ = 8000;
};

std::vector<ReadTask> tasks_of(const LaunchFacts& facts, bool with_ports) {
  std::vector<ReadTask> tasks;
  for (const Rank& member : value_of(members_of(facts)))
    tasks.emplace_back(fmt::format("{}-{}", member.job, member.index), with_ports ? member.endpoint.to_text() : member.endpoint.host);
  return tasks;
}

LaunchFacts one_task(std::string job, std::string address = "10.0.0.1:1") {
  ClusterSpec spec;
  spec.set_job(std::move(job), {std::move(address)});
  return LaunchFacts(std::move(spec));
}

}  // namespace

TEST_CASE("inventories are parsed again as the cluster") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const RandomCluster cluster(seed);
    const std::vector<ReadTask> hosts = tasks_of(cluster.facts, false);
    const std::vector<ReadTask> addresses = tasks_of(cluster.facts, true);
    CHECK(read_ssh_config(value_of(render_launch(LaunchFormat::ssh_config, cluster.facts))) == hosts);
    CHECK(read_ansible(value_of(render_launch(LaunchFormat::ansible, cluster.facts))) == hosts);
    const Result<std::string> table = render_launch(LaunchFormat::hosts, cluster.facts);
    CHECK(table.has_value() == cluster.has_only_ips());
    if (table) CHECK(read_hosts_file(*table) == hosts);

    const std::vector<std::string> plain = lines_of(value_of(render_launch(LaunchFormat::plain, cluster.facts)));
    const std::vector<std::string> targets = lines_of(value_of(render_launch(LaunchFormat::prometheus, cluster.facts)));
    REQUIRE(plain.size() == addresses.size());
    REQUIRE(targets.size() == addresses.size() + 2);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      CHECK(plain[i] == addresses[i].second);
      const std::string& task = addresses[i].first;
      CHECK(targets[i + 1] == fmt::format(R"({{"targets":["{}"],"labels":{{"job":"{}","index":"{}","cluster":"rollcall"}}}}{})",
                                          addresses[i].second, task.substr(0, task.rfind('-')), task.substr(task.rfind('-') + 1),
                                          i + 1 < addresses.size() ? "," : ""));
    }
  }
}

TEST_CASE("launchers' files are parsed again as the hosts in the order of ranks") {
  int seen = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomCluster cluster(seed);
    const Result<std::vector<Rank>> ranks = ranks_of(cluster.facts);
    CHECK(ranks.has_value() == cluster.is_dense);
    CHECK(render_launch(LaunchFormat::mpi_hostfile, cluster.facts).has_value() == cluster.is_dense);
    if (!ranks) continue;
    ++seen;
    const std::vector<RankedHost> hosts = hosts_of(*ranks, cluster.facts);
    std::vector<std::string> names, mpi, mpich;
    for (const RankedHost& host : hosts) {
      names.push_back(host.name);
      mpi.push_back(fmt::format("{} slots={}", host.name, host.slots));
      mpich.push_back(fmt::format("{}:{}", host.name, host.slots));
    }
    CHECK(lines_of(value_of(render_launch(LaunchFormat::mpi_hostfile, cluster.facts))) == mpi);
    const Result<std::string> machines = render_launch(LaunchFormat::mpich_hostfile, cluster.facts);
    CHECK(machines.has_value() != cluster.has_ipv6());
    if (machines) CHECK(lines_of(*machines) == mpich);
    const std::vector<std::string> list = lines_of(value_of(render_launch(LaunchFormat::slurm_nodelist, cluster.facts)));
    CHECK(value_of(expand_host_list(list.at(0))) == names);

    const std::vector<std::string> all = lines_of(value_of(render_launch(LaunchFormat::ray, cluster.facts)));
    REQUIRE(all.size() == hosts.size() + 1);
    for (const Rank& rank : *ranks) {
      cluster.facts.task.emplace(std::string(rank.job), rank.index);
      const std::string own = value_of(render_launch(LaunchFormat::ray, cluster.facts));
      const auto host = static_cast<std::size_t>(rank.host);
      CHECK(all[host + 1] + "\n" == fmt::format("# on {}: {}", names[host], own));
      CHECK(own.starts_with(host == 0 ? "ray start --head --port=6379" : "ray start --address="));
    }
  }
  CHECK(seen > 50);
}

TEST_CASE("a long name of a job does not take memory for each of many tasks") {
  constexpr int tasks = 40'000;
  std::map<int, std::string> addresses;
  for (int i = 0; i < tasks; ++i) addresses.emplace(i, fmt::format("10.0.{}.{}:8470", i / 250, i % 250));
  LaunchFacts facts;
  REQUIRE(facts.spec.set_job(std::string(10'000, 'x'), std::move(addresses)));
  testing::count_by_hooks();
  const std::size_t before = testing::live_bytes.live();
  testing::live_bytes.begin_peak();
  check_failure(render_launch(LaunchFormat::prometheus, facts), Errc::limit_exceeded, "has a name of 10000 bytes");
  CHECK(lines_of(value_of(render_launch(LaunchFormat::plain, facts))).size() == tasks);
  CHECK(testing::live_bytes.peak() - before < std::size_t{32} << 20);  // the names would be 400 MB
  LaunchFacts escaped;
  escaped.name = std::string(500, 'c');
  REQUIRE(escaped.spec.set_job(std::string(3000, '"'), facts.spec.job_list().front().tasks));
  check_failure(render_launch(LaunchFormat::prometheus, escaped), Errc::limit_exceeded, "the cluster one of 500");
}

TEST_CASE("names that a form cannot hold are refused by that form only") {
  const std::string long_name(10000, 'x');
  std::vector<std::string> jobs;
  for (const char* const job : {"", "a b", "a\nHost *", "'", "\"", "$(id)", "`id`", "-x", "a]", "a:b", "#", "*",
                                "{{ lookup('pipe','id') }}", "!!python/object", "{", "\xc3\xbc", "\xe2\x80\xae", "a\\", "%h"})
    jobs.emplace_back(job);
  jobs.emplace_back("a\0b", 3);
  jobs.push_back(long_name);
  for (const std::string& job : jobs) {
    CAPTURE(printable(job, 40));
    for (const LaunchFormat form : {LaunchFormat::hosts, LaunchFormat::ssh_config, LaunchFormat::ansible})
      check_failure(render_launch(form, one_task(job)), Errc::invalid_argument, "cannot be the name of a host");
    // A label may be any text, and the other forms do not name jobs.
    CHECK(lines_of(value_of(render_launch(LaunchFormat::prometheus, one_task(job)))).size() == 3);
    for (const LaunchFormat form :
         {LaunchFormat::plain, LaunchFormat::mpi_hostfile, LaunchFormat::mpich_hostfile, LaunchFormat::slurm_nodelist})
      CHECK(lines_of(value_of(render_launch(form, one_task(job)))).size() == 1);
    CHECK(lines_of(value_of(render_launch(LaunchFormat::ray, one_task(job)))).size() == 2);
  }
  for (const std::string& name :
       {std::string("a b"), std::string("a..b"), std::string("*"), std::string("a\n"), std::string("."), std::string("7"), long_name}) {
    LaunchFacts facts = one_task("worker");
    facts.name = name;
    for (const LaunchFormat form : {LaunchFormat::hosts, LaunchFormat::ssh_config, LaunchFormat::ansible})
      check_failure(render_launch(form, facts), Errc::invalid_argument, "the cluster's name");
    CHECK(render_launch(LaunchFormat::prometheus, facts));
  }
  LaunchFacts named = one_task("worker");
  named.name = "train-7.eu";
  CHECK(value_of(render_launch(LaunchFormat::hosts, named)) == "10.0.0.1 worker-0.train-7.eu worker-0\n");
}

TEST_CASE("every form refuses an invalid host, and one that two readers interpret differently") {
  for (const char* const host : {"$(id)", "a;b", "-oProxyCommand", "_a", "127.1", "2130706433", "0x7f000001", "0x7f.1", "10.0.0.256",
                                 "1.2.3", "a.7", "0x", "127.1.", "[fe80::1%25eth0]", "0.0.0.0", "[::]"}) {
    CAPTURE(host);
    for (const LaunchFormatFacts& form : launch_formats()) {
      if (form.is_binary || form.format == LaunchFormat::cluster_def_text || form.format == LaunchFormat::tf_config ||
          form.format == LaunchFormat::env)
        continue;
      LaunchFacts facts = one_task("worker", std::string(host) + ":1");
      facts.task.emplace("worker", 0);
      CHECK(render_launch(form.format, facts).has_error());
    }
  }
  check_failure(render_launch(LaunchFormat::plain, one_task("worker", "127.1:1")), Errc::invalid_argument,
                "the host of worker 0 is '127.1'");
  for (const char* const host : {"a7", "7a", "a.7a", "0xg", "10-0-0-1.pod"}) CHECK(is_plain_host(host));
}
