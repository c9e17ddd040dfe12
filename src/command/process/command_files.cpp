#include "command/process/command_files.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/text.hpp"
#include "command/terminal/read_once.hpp"

namespace rollcall::tools {

bool is_open_to_all(const std::string& path) {
  if (path.starts_with("/run/secrets/") || path.starts_with("/var/run/secrets/")) return false;
  struct stat status{};
  const bool is_ours = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (!is_ours || (status.st_mode & S_IROTH) == 0) return false;
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), ::free);
  std::string folder = real ? real.get() : "";
  for (std::size_t end = folder.rfind('/'); end != std::string::npos && end > 0; end = folder.rfind('/')) {
    folder.resize(end);
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

CommandFiles::CommandFiles(Duration timeout, std::function<bool(const std::string&)> is_secret,
                           std::function<void(const std::string&)> warn)
    : files_(file_system()), timeout_(timeout), is_secret_(std::move(is_secret)), warn_(std::move(warn)) {}

Result<std::string> CommandFiles::read(const std::string& path, std::size_t max_bytes) const {
  if (const auto known = read_.find(path); known != read_.end()) return std::string(known->second.reveal());
  struct stat status{};
  if (path.find('\0') == std::string::npos && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) {
    Result<std::string> text = read_once(path, max_bytes, timeout_);
    if (text) read_.emplace(path, Secret<std::string>(*text));
    return text;
  }
  Result<std::string> text = files_->read(path, max_bytes);
  if (text && (status.st_mode & S_IROTH) != 0 && is_secret_(path) && is_open_to_all(path) && warned_.insert(path).second)
    warn_(fmt::format("warning: {} holds a secret and can be read by everybody on this machine: chmod go-r it", quoted(path)));
  return text;
}

}  // namespace rollcall::tools
