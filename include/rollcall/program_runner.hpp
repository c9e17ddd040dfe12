// The seam for running another program that hands out a credential: its words, what it is given, and how much of its output is taken.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
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

  /// The first one names the program: a path if it has a slash, else it is looked up in PATH's absolute folders. No shell reads them.
  std::vector<std::string> words;
  /// Added to this process's environment, instead of variables of the same names; of two with one name the later counts.
  std::vector<std::pair<std::string, std::string>> variables;
  /// Left out of the environment. ROLLCALL_ACCESS_TOKEN always is.
  std::vector<std::string> removed_variables;
  /// The program gets this process's standard input, and stays in its process group so that it may read from the terminal. Else there is
  /// nothing to read, and it leads a process group of its own.
  bool is_interactive = false;
  /// Its standard error is this process's. Else the end of it is kept for a message.
  bool shows_errors = false;
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
  std::string errors;          ///< the end of its standard error, at most 4 kB: foreign text, which may hold secrets
};

/// Runs programs. All calls are made on one serial executor.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  /// Suspends until the program has ended; what it has left behind may go on. Success, whatever its exit code is. Cancellable. A program
  /// that is late, prints too much or is cancelled gets SIGTERM, and SIGKILL two seconds later or as soon as it has ended: its process
  /// group, or it alone when it is interactive.
  /// Errors: not_found (no such program), permission_denied (it cannot be executed), invalid_argument (no words, a zero byte, a variable's
  /// name that cannot be one), response_timeout (it is late), limit_exceeded (its output), cancelled, refused_by_policy (programs are
  /// not run here), failed_precondition (it could not be started, or its end was not told).
  virtual asio::awaitable<Result<ProgramOutput>> run(ProgramRequest request) = 0;
};

/// The machine's own programs. They inherit descriptors 0 to 2 alone, no signal is blocked or ignored, and no SIGCHLD handler is needed or
/// disturbed. Time-outs are by the machine's clock.
std::shared_ptr<ProgramRunner> system_programs();
/// Runs none: every call fails with refused_by_policy, saying `why` ("ROLLCALL_EXEC_PLUGINS is never").
std::shared_ptr<ProgramRunner> forbidden_programs(std::string why);

}  // namespace rollcall
