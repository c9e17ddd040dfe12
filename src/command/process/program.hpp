// Starts another program: finds it, makes its environment, and either becomes it or spawns it. The program inherits only descriptors 0 to
// 2; its signals have their default actions, and none is blocked.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Why the program could not be started, and the exit code for it: 126 (found, but cannot be executed), 127 (not found).
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
  std::vector<LaunchFormat> forms;       ///< the forms in which it gets its cluster
  std::vector<std::string> environment;  ///< `NAME=value`
  std::string path;                      ///< see find()

  /// Looks where execvp would, so that a misspelled name is reported before the wait. Sets `path`. Code 0: found.
  ProgramFailure find();
  /// This process's environment with `variables`, without other variables that its forms may set, and without those that this command set
  /// for itself.
  void set_environment(const EnvironmentVariables& variables);
  /// Becomes the program. Returns only on failure.
  ProgramFailure become();
  /// Starts it as a child in this process group. Code 0: `child` is set.
  ProgramFailure spawn(pid_t& child);

 private:
  ProgramFailure failure_of(int error) const;
};

}  // namespace rollcall::command
