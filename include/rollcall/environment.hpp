// Environment variables and files, passed in so that a test can bring its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// Access to environment variables. Implementations return std::nullopt for an unset variable; a variable set to the empty string is set.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual std::optional<std::string> get(std::string_view name) const = 0;
  /// The names of all variables that are set, in no particular order; for variables whose names are not known beforehand, such as Volcano's
  /// VC_TASK_HOSTS. Unless overridden: none.
  virtual std::vector<std::string> names() const;
  /// Sets a variable; only a resolver that is configured to do so does it (SlurmOptions::auto_set_gpu). Unless overridden, nothing can be
  /// set. Errors: failed_precondition.
  [[nodiscard]] virtual Result<void> set(const std::string& name, const std::string& value) const;
};

/// The process's own environment, read at every call. It cannot be set: see writable_process_environment().
std::shared_ptr<const Environment> process_environment();
/// The process's own environment, for programs that let a resolver change it. Setting a variable while another thread calls getenv() is a
/// data race, in any code of that thread: use it where the process has one thread, or no other thread reads variables.
std::shared_ptr<const Environment> writable_process_environment();
/// A fixed set of variables; every other one is unset.
std::shared_ptr<const Environment> fixed_environment(std::map<std::string, std::string, std::less<>> variables);

/// Read access to files.
class Files {
 public:
  virtual ~Files() = default;
  /// The whole content. Errors: not_found, permission_denied, limit_exceeded (over `max_bytes`), invalid_argument
  /// (a directory, a device). The failure's target is the path.
  virtual Result<std::string> read(const std::string& path, std::size_t max_bytes) const = 0;
  /// True if users other than the owner can read the file, so that a secret in it needs a warning; absent: not known, or the user cannot
  /// change it, since the file belongs to another user or was mounted into a container.
  virtual std::optional<bool> is_open_to_others(const std::string& path) const;
};

/// The real file system.
std::shared_ptr<const Files> file_system();
/// A fixed set of files by exact path. Their readers are not known.
std::shared_ptr<const Files> fixed_files(std::map<std::string, std::string, std::less<>> contents);

}  // namespace rollcall
