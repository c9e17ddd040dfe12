// Fuzz target: a cluster as lines `JOB INDEX ADDRESS`, in every form of launch contracts. Forms that people and shells read must contain
// no NUL and no control character except line ends. They must have one line for each task or host, all of one shape.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "check.hpp"
#include "launch/format_row.hpp"
#include "launch/ranks.hpp"
#include "launch/slots.hpp"
#include "rollcall/host_list.hpp"

namespace {

using namespace rollcall;

// Escapes: `\s` is a blank, `\n` a line end, `\0` a NUL in a job's name.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\\';
    const bool is_escape = text[i] == '\\' && (next == 's' || next == 'n' || next == '0');
    out += !is_escape ? text[i] : next == 's' ? ' ' : next == 'n' ? '\n' : '\0';
    i += is_escape ? 1 : 0;
  }
  return out;
}

// The first line: the cluster's name, and this host's task. Then the tasks.
LaunchFacts facts_from(std::string_view text) {
  LaunchFacts facts;
  const std::vector<std::string_view> lines = split(text, '\n');
  std::vector<ClusterSpec::Job> jobs;
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 200); ++i) {
    const std::vector<std::string_view> words = split(lines[i], ' ');
    const auto word = [&words](std::size_t at) { return at < words.size() ? unescaped(words[at]) : std::string(); };
    const int index = parse_decimal<int>(word(1)).value_or(0);
    if (i == 0) {
      facts.name = word(0);
      if (words.size() > 2) facts.task.emplace(word(2), index);
      if (words.size() > 3) facts.accelerators_per_host = static_cast<int>(words[3].size());
      continue;
    }
    const auto found = std::find_if(jobs.begin(), jobs.end(), [&word](const ClusterSpec::Job& job) { return job.name == word(0); });
    ClusterSpec::Job& job = found != jobs.end() ? *found : jobs.emplace_back(word(0), ClusterSpec::Tasks());
    job.tasks.insert_or_assign(index, word(2));
  }
  for (ClusterSpec::Job& job : jobs) require(facts.spec.set_job(job.name, job.tasks).has_value());
  return facts;
}

std::size_t lines_in(std::string_view text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

// Splits a line as a POSIX shell does, without expansions: a word with one outside single quotes is an error.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (is_quoted) {
      words.back() += c;
    } else if (c == ' ') {
      words.emplace_back();
    } else if (c == '\\') {
      require(++i < line.size());
      words.back() += line[i];
    } else {
      require(std::string_view("$`\"&|;<>()*?[]{}~#!\n").find(c) == std::string_view::npos);
      words.back() += c;
    }
  }
  require(!is_quoted);
  return words;
}

void check_form(LaunchFormat format, const LaunchFacts& facts, const std::vector<Rank>& members, const std::vector<RankedHost>& hosts) {
  const Result<std::string> rendered = render_launch(format, facts);
  require_sane(rendered);
  const Result<EnvironmentVariables> variables = launch_environment(format, facts);
  require_sane(variables);
  if (variables) {
    for (const auto& [name, value] : *variables) require(value.find('\0') == std::string::npos && value.find('\n') == std::string::npos);
    const std::string shown = shell_lines(*variables);
    require(lines_in(shown) == variables->size());
    std::size_t i = 0;
    for (const std::string_view line : split(std::string_view(shown).substr(0, shown.empty() ? 0 : shown.size() - 1), '\n')) {
      if (variables->empty()) break;
      const std::vector<std::string> words = shell_words(line);
      require(words.size() == 1 && words[0] == (*variables)[i].first + "=" + (*variables)[i].second);
      ++i;
    }
  }
  if (!rendered || facts_of(format).is_binary) return;
  const std::string& text = *rendered;
  for (const char c : text) require(c == '\n' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f));
  require(text.empty() || text.ends_with('\n'));
  const std::size_t lines = lines_in(text);
  const std::size_t comments = text.starts_with('#') ? 1 : 0;
  switch (format) {
    case LaunchFormat::hosts:
    case LaunchFormat::plain: return require(lines == members.size());
    case LaunchFormat::ssh_config: return require(lines == 2 * members.size());
    case LaunchFormat::prometheus: return require(lines == members.size() + 2);
    case LaunchFormat::mpi_hostfile:
    case LaunchFormat::mpich_hostfile: return require(lines == hosts.size() + comments);
    case LaunchFormat::slurm_nodelist: {
      const auto names = expand_host_list(std::string_view(text).substr(0, text.size() - 1));
      require(names.has_value() && names->size() == hosts.size());
      for (std::size_t i = 0; i < hosts.size(); ++i) require((*names)[i] == hosts[i].name);
      return;
    }
    case LaunchFormat::ray:
      if (!facts.task) return require(lines == hosts.size() + 1);
      [[fallthrough]];
    case LaunchFormat::torchrun: {
      require(lines == 1);
      const std::vector<std::string> words = shell_words(std::string_view(text).substr(0, text.size() - 1));
      for (std::size_t i = format == LaunchFormat::ray ? 2 : 1; i < words.size(); ++i) require(words[i].starts_with("--"));
      return;
    }
    default: return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const LaunchFacts facts = facts_from(std::string_view(reinterpret_cast<const char*>(data), size));
  const Result<std::vector<Rank>> members = members_of(facts);
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  require_sane(members);
  require_sane(ranks);
  require(members || !ranks);
  std::vector<RankedHost> hosts;
  if (ranks) hosts = hosts_of(*ranks, facts);
  for (const LaunchFormatFacts& form : launch_formats()) check_form(form.format, facts, members ? *members : std::vector<Rank>(), hosts);
  return 0;
}
