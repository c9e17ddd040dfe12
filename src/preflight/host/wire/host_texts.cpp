#include "preflight/host/wire/host_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Calls `use(line)` for each line, trimmed.
template <class Use>
void for_each_host_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(trim(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trim(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.empty() || text.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

// That with the lowest metric, of those that lead somewhere.
class DefaultRoute {
 public:
  void take(std::string_view interface, std::optional<std::uint64_t> flags, std::optional<std::uint64_t> metric) {
    constexpr std::uint64_t refusing = 0x200;  // RTF_REJECT, of `unreachable default`
    if (!flags || !metric || (*flags & refusing) != 0 || *metric >= lowest_) return;
    lowest_ = *metric;
    interface_ = interface;
  }
  // It becomes a part of a path.
  std::string interface() const {
    return interface_.find('/') == std::string::npos && interface_ != "." && interface_ != ".." ? interface_ : std::string();
  }

 private:
  std::string interface_;
  std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
};

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::string parse_os_release(std::string_view text) {
  std::string pretty;
  std::string name;
  std::string version;
  for_each_host_line(text, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view value = without_quotes(trim(line.substr(equals + 1)));
    const std::string_view key = line.substr(0, equals);
    if (key == "PRETTY_NAME") pretty = value;
    if (key == "NAME") name = value;
    if (key == "VERSION_ID") version = value;
  });
  if (!pretty.empty()) return pretty;
  return name.empty() || version.empty() ? name : name + " " + version;
}

std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view row) {
  std::optional<std::uint64_t> bytes;
  for_each_host_line(text, [&](std::string_view line) {
    if (!line.starts_with(row) || line.size() == row.size() || line[row.size()] != ':') return;
    const std::vector<std::string_view> words = words_of_line(line.substr(row.size() + 1));
    if (words.size() != 2 || words[1] != "kB") return;
    const auto kilobytes = parse_decimal<std::uint64_t>(words[0], 0, std::numeric_limits<std::uint64_t>::max() / 1024);
    if (kilobytes) bytes = *kilobytes * 1024;
  });
  return bytes;
}

std::optional<ProcessLimit> parse_process_limit(std::string_view text, std::string_view row) {
  std::optional<ProcessLimit> found;
  for_each_host_line(text, [&](std::string_view line) {
    if (!line.starts_with(row)) return;
    const std::vector<std::string_view> words = words_of_line(line.substr(row.size()));
    if (words.size() < 2) return;
    ProcessLimit limit;
    for (const auto& [word, out] : {std::pair(words[0], &limit.soft), std::pair(words[1], &limit.hard)}) {
      if (word == "unlimited") continue;
      *out = parse_decimal<std::uint64_t>(word);
      if (!*out) return;
    }
    found = limit;
  });
  return found;
}

std::string parse_status_row(std::string_view text, std::string_view name) {
  std::string found;
  for_each_host_line(text, [&](std::string_view line) {
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') found = trim(line.substr(name.size() + 1));
  });
  return found;
}

std::optional<std::uint64_t> parse_processor_list(std::string_view text) {
  constexpr std::uint64_t most = 1'000'000;
  std::uint64_t count = 0;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_decimal<std::uint64_t>(part.substr(0, dash), 0, most);
    const auto last = dash == std::string_view::npos ? first : parse_decimal<std::uint64_t>(part.substr(dash + 1), 0, most);
    if (!first || !last || *last < *first || count > most) return std::nullopt;
    count += *last - *first + 1;
  }
  return count;
}

std::optional<std::uint64_t> parse_load(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos || word.size() != point + 3) return std::nullopt;
  const auto whole = parse_decimal<std::uint64_t>(word.substr(0, point), 0, 1'000'000'000);
  const auto hundredths = parse_decimal<std::uint64_t>(word.substr(point + 1));
  if (!whole || !hundredths) return std::nullopt;
  return *whole * 100 + *hundredths;
}

std::string parse_default_interface(std::string_view text) {
  DefaultRoute route;
  for_each_host_line(text, [&](std::string_view line) {
    // Iface Destination Gateway Flags RefCnt Use Metric Mask
    const std::vector<std::string_view> words = words_of_line(line);
    if (words.size() < 8 || hexadecimal(words[1]) != 0 || hexadecimal(words[7]) != 0) return;
    route.take(words[0], hexadecimal(words[3]), parse_decimal<std::uint64_t>(words[6]));
  });
  return route.interface();
}

std::string parse_default_interface_of_ipv6(std::string_view text) {
  DefaultRoute route;
  for_each_host_line(text, [&](std::string_view line) {
    // destination prefix source prefix gateway metric references use flags interface
    const std::vector<std::string_view> words = words_of_line(line);
    if (words.size() < 10 || words[0].find_first_not_of('0') != std::string_view::npos || hexadecimal(words[1]) != 0) return;
    route.take(words[9], hexadecimal(words[8]), hexadecimal(words[5]));
  });
  return route.interface();
}

std::optional<std::string> parse_cgroup_folder(std::string_view text, std::string_view controller) {
  std::optional<std::string> folder;
  for_each_host_line(text, [&](std::string_view line) {
    // 4:cpu,cpuacct:/path of v1, 0::/path of v2
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::vector<std::string_view> controllers = split(line.substr(first + 1, second - first - 1), ',');
    if (std::find(controllers.begin(), controllers.end(), controller) == controllers.end()) return;
    const std::string_view path = line.substr(second + 1);
    // A folder outside of what this container sees begins with /..
    if (path.starts_with('/') && path.find("..") == std::string_view::npos) folder = path;
  });
  return folder;
}

std::optional<std::uint64_t> parse_processor_quota(std::string_view text) {
  const std::vector<std::string_view> words = words_of_line(trim(text));
  if (words.size() != 2) return std::nullopt;
  const auto quota = parse_decimal<std::uint64_t>(words[0], 1, 1'000'000'000'000);
  const auto period = parse_decimal<std::uint64_t>(words[1], 1, 1'000'000'000);
  if (!quota || !period) return std::nullopt;
  return *quota * 100 / *period;
}

std::set<std::uint64_t> parse_listening_inodes(std::string_view text, std::uint16_t port) {
  std::set<std::uint64_t> inodes;
  for_each_host_line(text, [&](std::string_view line) {
    // sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode
    const std::vector<std::string_view> words = words_of_line(line);
    if (words.size() < 10 || words[3] != "0A") return;
    const std::size_t colon = words[1].rfind(':');
    if (colon == std::string_view::npos || hexadecimal(words[1].substr(colon + 1)) != port) return;
    const auto inode = parse_decimal<std::uint64_t>(words[9]);
    if (inode && *inode != 0) inodes.insert(*inode);
  });
  return inodes;
}

std::map<std::string, std::uint64_t> parse_ras_counts(std::string_view text) {
  std::map<std::string, std::uint64_t> counts;
  for_each_host_line(text, [&](std::string_view line) {
    for (const std::string_view name : {"ue", "ce", "de"}) {
      if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
      if (const auto count = parse_decimal<std::uint64_t>(trim(line.substr(name.size() + 1)))) counts[std::string(name)] = *count;
    }
  });
  return counts;
}

std::map<char, std::uint64_t> parse_bad_pages(std::string_view text) {
  std::map<char, std::uint64_t> pages;
  for_each_host_line(text, [&](std::string_view line) {
    // page : size : flag
    const std::vector<std::string_view> parts = split(line, ':');
    const std::string_view flag = parts.size() == 3 ? trim(parts[2]) : std::string_view();
    if (flag == "R" || flag == "P" || flag == "F") ++pages[flag.front()];
  });
  return pages;
}

}  // namespace rollcall
