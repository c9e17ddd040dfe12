// The commands of --verdict-from.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "rollcall/host_checks.hpp"

namespace rollcall {
namespace {

constexpr std::string_view nagios_prefix = "nagios:";
constexpr std::string_view nvhcd_prefix = "nvhcd:";
constexpr std::string_view socket_scheme_of_nvhcd = "unix://";
constexpr std::size_t max_socket_path = 107;  // Linux has no longer ones
constexpr std::size_t max_command_bytes = 4096;
constexpr std::size_t max_source_name_bytes = 64;

bool is_of_name(char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-' || c == '+'; }
bool is_of_argument(char c) { return is_of_name(c) || c == '/' || c == ':' || c == '=' || c == '%' || c == ','; }

std::string only(bool (*is_kept)(char), std::string_view word) {
  std::string kept;
  std::copy_if(word.begin(), word.end(), std::back_inserter(kept), is_kept);
  return kept;
}

// A variable that is set for the command alone: `A=1 CMD`.
bool is_variable(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.find('/') > equals;
}

// `dcgmi` of `/usr/bin/dcgmi diag -r 1 -j`.
std::string name_of_command(std::string_view command) {
  for (std::string_view word : split(command, ' ')) {
    word = trim(word);
    if (word.empty() || is_variable(word)) continue;
    word.remove_prefix(word.rfind('/') + 1);  // npos + 1: there is none
    const std::string name = only(is_of_name, word);
    if (!name.empty()) return name.substr(0, max_source_name_bytes);
  }
  return "command";
}

// Those of a command but its name, as far as they may be shown.
std::vector<std::string> words_to_show(const VerdictSource& source, const std::string& name) {
  std::vector<std::string> words;
  const std::string shown = without_secrets(source.command);
  for (const std::string_view word : split(shown, ' ')) {
    const bool is_program = only(is_of_name, word.substr(word.rfind('/') + 1)) == name;
    if (!is_program && word.find("***") == std::string_view::npos) words.push_back(only(is_of_argument, word));
  }
  return words;
}

// `dcgmi diag` and `dcgmi health` of two commands of dcgmi: the words that the others of the same name have not. Else they are numbered.
void name_apart(std::vector<VerdictSource>& sources) {
  std::map<std::string, std::vector<VerdictSource*>> groups;
  for (VerdictSource& source : sources) groups[source.name].push_back(&source);
  std::set<std::string> taken;
  for (auto& [name, group] : groups) {
    if (group.size() == 1) taken.insert(name);
  }
  for (auto& [name, group] : groups) {
    if (group.size() == 1) continue;
    std::map<std::string, std::size_t> counts;
    for (const VerdictSource* const source : group) {
      const std::vector<std::string> words = words_to_show(*source, name);
      for (const std::string& word : std::set<std::string>(words.begin(), words.end())) ++counts[word];
    }
    for (VerdictSource* const source : group) {
      std::string apart = name;
      for (const std::string& word : words_to_show(*source, name)) {
        if (!word.empty() && counts[word] < group.size() && apart.size() + 1 + word.size() <= max_source_name_bytes) apart += " " + word;
      }
      source->name = apart;
      for (std::size_t number = 2; !taken.insert(source->name).second; ++number) source->name = fmt::format("{} #{}", apart, number);
    }
  }
}

Failure refused_source(std::string_view why) { return Failure(Errc::invalid_argument, fmt::format("a command for a verdict {}", why)); }

// `unix:///PATH ARGUMENT…`. As of NVRx, the first argument says that this is no prolog or epilog of Slurm.
Result<void> take_nvhcd(VerdictSource& source) {
  source.arguments = {"--no-slurm"};
  for (const std::string_view word : split(source.command, ' ')) {
    if (word.empty()) continue;
    if (!source.socket.empty()) {
      source.arguments.emplace_back(word);
      continue;
    }
    const std::string_view path =
        word.starts_with(socket_scheme_of_nvhcd) ? word.substr(socket_scheme_of_nvhcd.size()) : std::string_view();
    if (!path.starts_with('/') || path.size() > max_socket_path)
      return refused_source(
          fmt::format("has no socket behind {}: write nvhcd:unix:///PATH, with {} bytes at most as PATH", nvhcd_prefix, max_socket_path));
    source.socket = path;
  }
  source.name = "nvhcd";
  return {};
}

}  // namespace

Result<VerdictSource> VerdictSource::parse(std::string_view text) {
  VerdictSource source;
  source.is_nagios = text.starts_with(nagios_prefix);
  const bool is_nvhcd = text.starts_with(nvhcd_prefix);
  if (source.is_nagios) text.remove_prefix(nagios_prefix.size());
  if (is_nvhcd) text.remove_prefix(nvhcd_prefix.size());
  if (trim(text).empty()) return refused_source("is empty");
  if (text.size() > max_command_bytes) return refused_source(fmt::format("has more than {} bytes", max_command_bytes));
  if (text.find('\0') != std::string_view::npos) return refused_source("has a zero byte");
  source.command = text;
  source.name = name_of_command(text);
  if (is_nvhcd) {
    const Result<void> taken = take_nvhcd(source);
    if (!taken) return taken.error();
  }
  return source;
}

Result<std::vector<VerdictSource>> VerdictSource::parse_all(std::span<const std::string> texts) {
  if (texts.size() > max_sources)
    return Failure(Errc::invalid_argument, fmt::format("{} commands for verdicts are too many: at most {}", texts.size(), max_sources));
  std::vector<VerdictSource> sources;
  for (const std::string& text : texts) {
    Result<VerdictSource> source = parse(text);
    if (!source) return source.error();
    sources.push_back(std::move(*source));
  }
  name_apart(sources);
  return sources;
}

}  // namespace rollcall
