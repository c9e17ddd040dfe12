#include "command/arguments/target_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace rollcall::tools {
namespace {

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

// The message is for a person who gave the file's name on the command line: usage, whatever the reason.
Failure unreadable(const std::string& name, int error) {
  return Failure(Errc::invalid_argument, fmt::format("cannot read the targets from {}: {}", quoted(name), std::strerror(error)));
}

}  // namespace

Result<std::vector<ListedTarget>> parse_target_list(std::string_view text, std::string_view name) {
  text = without_byte_order_mark(text);
  std::vector<ListedTarget> targets;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(without_comment(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.empty()) continue;
    const auto fault = [&](std::string_view what) {
      return Failure(Errc::invalid_argument, fmt::format("{}:{}: {}", printable(name), number, what));
    };
    if (line.find('\0') != std::string_view::npos) return fault("a zero byte: this is no text file");
    if (line.find_first_of(" \t") != std::string_view::npos)
      return fault(fmt::format("one target a line, but there is a blank in {}", quoted(line, 128)));
    if (targets.size() == max_targets) return fault(fmt::format("more than {} targets", max_targets));
    targets.emplace_back(std::string(line), fmt::format("{}:{}", printable(name), number));
  }
  return targets;
}

Result<std::vector<ListedTarget>> read_target_list(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : path;
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable(name, errno);
  std::string text;
  Result<std::vector<ListedTarget>> result = Failure(Errc::invalid_argument, "");
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + 65536);
    const ssize_t count = ::read(fd, text.data() + before, 65536);
    const int error = errno;
    text.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && error == EINTR) continue;
    if (count < 0) {
      result = unreadable(name, error);
      break;
    }
    if (text.size() > max_target_list_bytes) {
      result = Failure(Errc::invalid_argument,
                       fmt::format("{} holds more than {} MiB of targets", printable(name), max_target_list_bytes >> 20));
      break;
    }
    if (count == 0) {
      result = parse_target_list(text, name);
      break;
    }
  }
  if (!is_stdin) ::close(fd);
  return result;
}

}  // namespace rollcall::tools
