// The commands of --verdict-from.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "rollcall/host_checks.hpp"

namespace rollcall {
namespace {

constexpr std::string_view nagios_prefix = "nagios:";
constexpr std::size_t max_command_bytes = 4096;
constexpr std::size_t max_source_name_bytes = 64;

bool is_of_name(char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-' || c == '+'; }

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
    std::string name;
    std::copy_if(word.begin(), word.end(), std::back_inserter(name), is_of_name);
    if (!name.empty()) return name.substr(0, max_source_name_bytes);
  }
  return "command";
}

}  // namespace

Result<VerdictSource> VerdictSource::parse(std::string_view text) {
  const auto refused = [](std::string_view why) { return Failure(Errc::invalid_argument, fmt::format("a command for a verdict {}", why)); };
  VerdictSource source;
  source.is_nagios = text.starts_with(nagios_prefix);
  if (source.is_nagios) text.remove_prefix(nagios_prefix.size());
  if (trim(text).empty()) return refused("is empty");
  if (text.size() > max_command_bytes) return refused(fmt::format("has more than {} bytes", max_command_bytes));
  if (text.find('\0') != std::string_view::npos) return refused("has a zero byte");
  source.command = text;
  source.name = name_of_command(text);
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
  return sources;
}

}  // namespace rollcall
