// The command's entry: wires parsing to the commands.
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "command/arguments/parse_arguments.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "programs/child_start.hpp"

namespace rollcall::tools {
namespace {

int print(std::string_view text) { return write_result(text) ? exit_answered : exit_failed; }

// Seen before the words are understood: what is wrong with them is said in the same form.
bool wants_json(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto log = std::find(words.begin(), end, "--log");
  return std::find(words.begin(), end, "--log=json") != end || (log != end && log + 1 != end && log[1] == "json");
}

int run(std::vector<std::string> words) {
  if (wants_json(words)) speak_json();
  // Its other exit codes are the program's.
  const bool is_exec = !words.empty() && words.front() == "exec";
  Result<CommandLine> parsed = parse_arguments(std::move(words));
  if (!parsed) return refuse(parsed.error(), is_exec ? exit_exec_failed : exit_usage);
  const CommandRow* command = parsed->command;
  if (parsed->request == Request::version) return print(fmt::format("rollcall {}\n{}", version(), linked_versions()));
  if (parsed->request == Request::help) return print(command ? command_help(*command) : program_help());
  return command->run(std::move(parsed->arguments));
}

// Before the constructors of libraries: gRPC's opens a descriptor, which would be standard input where that is closed.
[[gnu::constructor(101)]] void prepare_first() { prepare_descriptors(); }

}  // namespace
}  // namespace rollcall::tools

int main(int argc, char** argv) {
  using namespace rollcall::tools;
  rollcall::remember_ignored_signals();
  rollcall::unblock_signals();  // a parent's mask would keep Ctrl-C and the ends of children from us
  rollcall::quiet_grpc();  // what gRPC has to say is in our own messages
  try {
    return run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_failed;
  }
}
