// Starting another program: found, its environment made, and either become or spawned. It gets nothing of ours: descriptors 0 to 2,
// signals as usual, none blocked.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Why it could not be started, and the exit code that says so: 126 (found, but cannot be executed), 127 (not found).
class ProgramFailure {
 public:
  ProgramFailure() {}
  ProgramFailure(int exit_code, std::string why) : code(exit_code), what(std::move(why)) {}
  int code = 0;
  std::string what;
};

class Program {
 public:
  Program() {}
  /// `words` is not empty.
  explicit Program(std::vector<std::string> command_words, std::vector<LaunchFormat> forms_of = {})
      : words(std::move(command_words)), forms(std::move(forms_of)) {}
  std::vector<std::string> words;
  std::vector<LaunchFormat> forms;       ///< it is told of its cluster in these
  std::vector<std::string> environment;  ///< `NAME=value`
  std::string path;                      ///< see find()

  /// Looks where execvp would, so that a misspelling is told before the wait. Sets `path`. Code 0: found.
  ProgramFailure find();
  /// This process's environment with `variables`, without what else its forms may set, and without what this command set for itself.
  void set_environment(const EnvironmentVariables& variables);
  /// Becomes the program. Returns only if that fails.
  ProgramFailure become();
  /// Starts it as a child in this process group. Code 0: `child` is set.
  ProgramFailure spawn(pid_t& child);

 private:
  ProgramFailure failure_of(int error) const;
};

}  // namespace rollcall::command
