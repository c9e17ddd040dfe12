// The interface for running another program that returns a credential: its arguments, its environment, and the limits of its output.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class ProgramRequest {
 public:
  ProgramRequest() {}
  explicit ProgramRequest(std::vector<std::string> command_words) : words(std::move(command_words)) {}

  /// The first word names the program: a path if it has a slash, else it is looked up in PATH's absolute folders. No shell is used.
  std::vector<std::string> words;
  /// Added to this process's environment, and replaces variables of the same names; of two entries with one name the later is used.
  std::vector<std::pair<std::string, std::string>> variables;
  /// Removed from the environment. ROLLCALL_ACCESS_TOKEN always is.
  std::vector<std::string> removed_variables;
  /// The program gets this process's standard input, and stays in its process group so that it may read from the terminal. Otherwise its
  /// input is empty, and it leads a process group of its own.
  bool is_interactive = false;
  /// Its standard error is this process's. Otherwise its beginning and end are kept for a message.
  bool shows_errors = false;
  /// Called while run() goes on, each time that standard error has grown, with its beginning and end so far; may be empty.
  std::function<void(const std::string& errors)> on_errors;
  std::size_t max_output_bytes = 1 << 20;
  Duration timeout = std::chrono::seconds(30);
};

/// How a program ended.
class ProgramOutput {
 public:
  ProgramOutput() {}
  int exit_code = 0;           ///< 0 when a signal ended it
  int signal = 0;              ///< that ended it; 0: none
  Secret<std::string> output;  ///< its standard output
  std::string errors;  ///< its standard error, the first and the last 4 kB: foreign text, which may contain secrets
};

/// Runs programs. All calls are made on one serial executor.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  /// Suspends until the program has ended; its child processes may still run. Success, with any exit code. Cancellable. A program that
  /// exceeds its time or output limit or is cancelled gets SIGTERM, and SIGKILL two seconds later or as soon as it has ended: its process
  /// group, or only the program when it is interactive. Errors: not_found (no such program), permission_denied (it cannot be executed),
  /// invalid_argument (no words, a zero byte, an invalid variable name), response_timeout (it is late), limit_exceeded (its output),
  /// cancelled, refused_by_policy (programs are not run here), failed_precondition (it could not be started, or its exit status is not
  /// available).
  virtual asio::awaitable<Result<ProgramOutput>> run(ProgramRequest request) = 0;
};

/// The machine's own programs. They inherit descriptors 0 to 2 only, no signal is blocked or ignored, and no SIGCHLD handler is needed or
/// changed. Time-outs use the machine's clock.
std::shared_ptr<ProgramRunner> system_programs();
/// Runs none: every call fails with refused_by_policy, saying `why` ("ROLLCALL_EXEC_PLUGINS is never").
std::shared_ptr<ProgramRunner> forbidden_programs(std::string why);

}  // namespace rollcall
