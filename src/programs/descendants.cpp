#include "programs/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "programs/child_ends.hpp"

namespace rollcall {
namespace {

// Reads the fields after the name, which may itself contain blanks and parentheses. [proc(5)]
constexpr std::size_t state_field = 0;
constexpr std::size_t parent_field = 1;
constexpr std::size_t threads_field = 17;
constexpr std::size_t began_field = 19;

Result<ProcessLine> read_process_line(std::string_view process) {
  const std::string path = fmt::format("/proc/{}/stat", process);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failure(Errc::not_found, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::array<char, 1024> text;
  const ssize_t size = ::read(fd, text.data(), text.size());
  ::close(fd);
  return parse_process_line(std::string_view(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size)));
}

std::map<pid_t, ProcessLine> read_processes() {
  std::map<pid_t, ProcessLine> found;
  DIR* const folder = ::opendir("/proc");
  if (!folder) return found;
  while (const dirent* const entry = ::readdir(folder)) {
    if (!is_digit(entry->d_name[0])) continue;
    const Result<ProcessLine> line = read_process_line(entry->d_name);
    if (line) found.emplace(line->id.pid, *line);  // otherwise it has ended meanwhile
  }
  ::closedir(folder);
  return found;
}

}  // namespace

Result<ProcessLine> parse_process_line(std::string_view line) {
  const auto malformed = [&line] { return Failure(Errc::malformed_response, fmt::format("no line of /proc: {}", quoted(line, 80))); };
  const std::size_t name_end = line.rfind(')');
  const std::size_t name_begin = line.find(" (");
  if (name_end == std::string_view::npos || name_begin == std::string_view::npos || line.size() < name_end + 2) return malformed();
  const std::vector<std::string_view> fields = split(line.substr(name_end + 2), ' ');
  if (fields.size() <= began_field) return malformed();
  const auto pid = parse_decimal<pid_t>(line.substr(0, name_begin));
  const auto parent = parse_decimal<pid_t>(fields[parent_field]);
  const auto threads = parse_decimal<int>(fields[threads_field]);
  const auto began = parse_decimal<std::uint64_t>(fields[began_field]);
  if (!pid || !parent || !threads || !began) return malformed();
  ProcessLine process;
  process.id = ProcessId(*pid, *began);
  process.parent = *parent;
  const bool has_ended = fields[state_field] == "Z" || fields[state_field] == "X";
  process.lives = !has_ended || *threads > 1;
  return process;
}

Result<void> adopt_orphans() {
  const Result<ProcessLine> own = read_process_line("self");
  if (!own || own->id.pid != ::getpid())
    return Failure(Errc::failed_precondition, "what a program has started cannot be found: /proc does not show this process");
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    return Failure(Errc::failed_precondition, fmt::format("orphans cannot be adopted: {}", std::strerror(errno)));
  return Result<void>();
}

std::vector<ProcessId> find_descendants(const std::set<ProcessId>& strangers) {
  const std::map<pid_t, ProcessLine> processes = read_processes();
  const pid_t self = ::getpid();
  const auto is_strange = [&](const ProcessLine& process) {
    return strangers.contains(process.id) || (process.parent == self && is_child_expected(process.id.pid));
  };
  std::map<pid_t, bool> known;  // whether it counts
  std::vector<ProcessId> found;
  for (const auto& [pid, process] : processes) {
    if (pid == self) continue;
    std::vector<pid_t> way;
    bool counts = false;
    for (pid_t at = pid; way.size() <= processes.size();) {
      const auto line = processes.find(at);
      const auto seen = known.find(at);
      if (seen != known.end()) counts = seen->second;
      if (seen != known.end() || line == processes.end() || is_strange(line->second)) break;
      way.push_back(at);
      counts = line->second.parent == self;
      if (counts) break;
      at = line->second.parent;
    }
    for (const pid_t one : way) known[one] = counts;
    if (counts && process.lives && !is_strange(process)) found.push_back(process.id);
  }
  return found;
}

}  // namespace rollcall
