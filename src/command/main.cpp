// The command's entry: wires parsing to the commands.
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/kubectl_words.hpp"
#include "command/arguments/refused_words.hpp"
#include "command/arguments/target_trust.hpp"
#include "command/arguments/texts.hpp"
#include "command/process/library_files.hpp"
#include "command/process/own_environment.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "programs/child_start.hpp"
#include "rollcall/environment.hpp"

namespace rollcall::command {
namespace {

int print(std::string_view text) { return write_result(text) ? exit_answered : exit_failed; }

std::size_t help_width() {
  if (::isatty(STDOUT_FILENO) != 1) return usual_width;
  return static_cast<std::size_t>(std::clamp(terminal_width(STDOUT_FILENO), 40, 100));
}

// The target of the command; empty: none or several.
std::string target_of(const CommandLine& line) {
  const std::vector<std::string>& words = line.arguments.positionals;
  return line.command->takes_targets && words.size() == 1 && line.arguments.target_files.empty()
             ? target_text(words.front(), std::string::npos)
             : std::string();
}

// The default output of sim --background is evaluated by a shell.
bool is_for_shell(const RefusedWords& words) {
  const bool is_sim = words.command() && words.command()->name == "sim";
  return is_sim && words.value_of("--background") && words.value_of("--env-format").value_or("shell") == "shell";
}

// Reports a parse error in the output format that the words ask for.
int refuse_words(const RefusedWords& words, const Failure& failure) {
  if (words.value_of("--log") == "json") speak_json();
  if (words.value_of("--format") == "json") answer_in_json(std::string());
  const bool is_exec = words.command() && words.command()->ends_as_program;
  const int code = refuse(failure, is_exec ? exec_code(exit_usage) : exit_usage);
  return is_for_shell(words) ? end_shell(code) : code;
}

int run(const std::vector<std::string>& words) {
  Result<CommandLine> parsed = parse_arguments(words, process_environment()->get("ROLLCALL_TARGET").value_or(std::string()));
  if (!parsed) return refuse_words(RefusedWords(words), parsed.error());
  const CommandRow* command = parsed->command;
  if (parsed->request == Request::version) return print(fmt::format("rollcall {}\n{}", version(), linked_versions()));
  if (parsed->request == Request::help) return print(command ? command_help(*command, help_width()) : program_help(help_width()));
  if (parsed->request == Request::full_help) return print(full_command_help(*command, help_width()));
  if (parsed->request == Request::topic) return print(topic_help(parsed->topic, help_width()));
  const bool is_exec = command->ends_as_program;
  if (parsed->arguments.log == LogForm::json) speak_json();
  if (parsed->arguments.format == Format::json) answer_in_json(target_of(*parsed));
  if (const Result<void> fine = check_files_of_libraries(); !fine) {
    const int code = refuse(fine.error(), exit_usage);
    return is_exec ? exec_code(code) : code;
  }
  if (!parsed->arguments.has_default_target) return command->run(std::move(parsed->arguments));
  if (const Result<void> fine = check_trusted(parsed->arguments.positionals.front()); !fine) {
    Failure failure = fine.error();
    failure.with_what("ROLLCALL_TARGET: " + failure.what());
    return refuse_words(RefusedWords(words), failure);
  }
  // The user did not type it, so the message names the variable.
  const std::string whence = fmt::format("the target is {}, of ROLLCALL_TARGET", target_text(parsed->arguments.positionals.front()));
  const bool is_reported = parsed->arguments.is_verbose;
  if (is_reported) complain(whence);
  const int code = command->run(std::move(parsed->arguments));
  if (!is_reported && says_failed(code, is_exec)) complain(whence);
  return code;
}

// Before the constructors of libraries: gRPC's opens a descriptor, which would become standard input where that is closed.
[[gnu::constructor(101)]] void prepare_first() { prepare_descriptors(); }

}  // namespace
}  // namespace rollcall::command

int main(int argc, char** argv) {
  using namespace rollcall::command;
  rollcall::remember_ignored_signals();
  take_secrets();
  rollcall::unblock_signals();  // a mask inherited from the parent would block Ctrl-C and SIGCHLD
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);  // the end of the process frees its memory faster
  rollcall::quiet_grpc();  // gRPC's errors are in this command's own messages
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (argc == 0 || !is_kubectl_plugin(argv[0])) return run(words);
    const rollcall::Result<std::vector<std::string>> own = kubectl_words(words);
    return own ? run(*own) : refuse_words(RefusedWords(words), own.error());
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_failed;
  }
}
