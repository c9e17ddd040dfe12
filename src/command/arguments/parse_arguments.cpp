// Decision: one table has the options' names, checks and help; a reader of 100 lines (command_words.hpp) splits the words by it. So the
// parser, the help and the completions cannot disagree. CLI11 was used for the splitting alone, and took most of a command's start.
#include "command/arguments/parse_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/value_readers.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/command_words.hpp"
#include "command/arguments/targets.hpp"
#include "command/arguments/texts.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::command {
namespace {

Failure usage(std::string what, std::string hint = {}) {
  return Failure(Errc::invalid_argument, std::move(what)).with_hint(std::move(hint));
}

std::string see_help(const CommandRow* command) {
  return command ? fmt::format("see rollcall help {}", command->name) : "see rollcall --help";
}

// Does not quote a proxy's URL that stands in the wrong place: it may contain a password.
bool has_user_information(std::string_view word) {
  const std::size_t at = word.find("://");
  return at != std::string_view::npos && word.find('@', at) != std::string_view::npos;
}

Failure misplaced_url() { return usage("a URL with a user or a password stands where none belongs", "a proxy is named by --proxy URL"); }

Failure unknown_word(const CommandRow* command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  if (has_user_information(word.starts_with("--") ? name : word)) return misplaced_url();
  std::vector<std::string_view> known;
  if (word.starts_with("-")) {
    known = {"--help", "--version"};
    for (const CommandRow& row : commands()) {
      if (command && command != &row) continue;
      for (const OptionRow& option : row.options) known.push_back(option.name);
    }
    const auto meant = nearest(name, known);
    if (meant == name)
      return usage(fmt::format("{} belongs behind the command", name),
                   fmt::format("try rollcall {} {}", command ? command->name : "spec", name));
    return usage(fmt::format("unknown option {}", quoted(name, 64)), meant ? fmt::format("did you mean {}?", *meant) : see_help(command));
  }
  if (command) return usage(fmt::format("unexpected argument {}", quoted_target(word, 128)), see_help(command));
  for (const CommandRow& row : commands()) known.push_back(row.name);
  if (const auto meant = nearest(word, known))
    return usage(fmt::format("unknown command {}", quoted_target(word, 64)), fmt::format("did you mean rollcall {}?", *meant));
  if (word == "version") return usage(fmt::format("unknown command {}", quoted_target(word, 64)), "did you mean rollcall --version?");
  // A target in the place of a command.
  if (word.find(':') != std::string_view::npos && target_text(word) == printable(word))
    return usage(fmt::format("unknown command {}", quoted_target(word, 64)),
                 fmt::format("did you mean rollcall spec {}?", printable(word, 128)));
  return usage(fmt::format("unknown command {}", quoted_target(word, 64)), "see rollcall --help");
}

Result<void> check_choice(const OptionRow& row, const std::string& value) {
  if (row.choices.empty()) return Result<void>();
  const Result<std::size_t> choice = choice_among(value, row.choices);
  if (choice) return Result<void>();
  if (row.name == "--format" && value.find_first_of("./") != std::string::npos)
    return usage(fmt::format("{} is no form of the output", quoted(value, 64)),
                 fmt::format("-o names a form, such as json; write to a file by > {}", printable(value, 64)));
  return choice.error();
}

Result<void> check_restarts(const Arguments& arguments) {
  const char* idle = nullptr;
  if (arguments.max_restarts) idle = "--max-restarts";
  if (arguments.grace) idle = "--grace";
  if (idle && !arguments.restarts()) return usage(fmt::format("{} needs --restart-on lost or failed", idle));
  if (arguments.min_members > 0 && !arguments.restarts_on_lost) return usage("--min-members needs --restart-on lost");
  if (arguments.preflights && arguments.restarts())
    return usage("--preflight cannot be used with --restart-on: a task that comes later could not be checked with those that run");
  if (!arguments.verdict_from.empty() && !arguments.preflights) return usage("--verdict-from needs --preflight");
  if (arguments.preflight_port && !arguments.preflights) return usage("--preflight-port needs --preflight");
  if (arguments.barrier_port && !arguments.waits_at_barrier) return usage("--barrier-port needs --barrier");
  if (!arguments.secret_file.empty() && !arguments.waits_at_barrier && !arguments.preflights)
    return usage("--secret-file needs --barrier or --preflight");
  if (arguments.waits_at_barrier && arguments.members > 0 && arguments.min_members > 0 && arguments.min_members <= arguments.members / 2)
    return usage("with --barrier --min-members must be more than half of --members: two parts could start without each other");
  if (arguments.last_call && arguments.min_members == 0) return usage("--last-call needs --min-members N");
  if (arguments.members > 0 && arguments.min_members > arguments.members) return usage("--min-members is more than --members");
  return {};
}

class Parser {
 public:
  explicit Parser(std::string default_target) : default_target_(std::move(default_target)) {}

  Result<CommandLine> parse(std::vector<std::string> words) {
    const auto first = std::find_if(words.begin(), words.end(), [](const std::string& word) { return !word.starts_with("-"); });
    if (first != words.end()) line_.command = find_command(*first);
    if (!line_.command) return refuse_or_help(split_words(words, {}), first == words.end() ? std::string() : *first);
    line_.arguments.timeout = line_.command->default_timeout;
    const auto before = static_cast<std::size_t>(first - words.begin());
    if (line_.command->takes_program) take_program(words, before + 1);
    const std::span<const std::string> all(words);
    const CommandWords early = split_words(all.first(before), {});
    CommandWords given = split_words(all.subspan(before + 1), line_.command->options);
    given.unknown.insert(given.unknown.begin(), early.unknown.begin(), early.unknown.end());
    given.wants_help = given.wants_help || early.wants_help;
    given.wants_version = given.wants_version || early.wants_version;
    if (given.with_value.empty()) given.with_value = early.with_value;
    return read(std::move(given));
  }

 private:
  // No known command is given.
  Result<CommandLine> refuse_or_help(const CommandWords& given, const std::string& word) {
    if (!given.with_value.empty()) return takes_no_value(given.with_value);
    const bool is_asking = given.wants_help || given.wants_version;
    if (is_asking && !word.empty()) return unknown_word(nullptr, word);
    if (is_asking) return help_or_version(given);
    if (!given.unknown.empty()) return unknown_word(nullptr, given.unknown.front());
    if (!word.empty()) return unknown_word(nullptr, word);
    return usage("no command", "try rollcall status kubernetes:NAMESPACE/KIND/NAME, or see rollcall --help");
  }

  Failure takes_no_value(std::string_view name) const { return usage(fmt::format("{} takes no value", name), see_help(line_.command)); }

  Result<CommandLine> help_or_version(const CommandWords& given) {
    line_.request = given.wants_version && !given.wants_help ? Request::version : Request::help;
    return std::move(line_);
  }

  Result<CommandLine> read(CommandWords given) {
    if (!given.with_value.empty()) return takes_no_value(given.with_value);
    if (given.wants_help || given.wants_version) return help_or_version(given);
    if (const OptionRow* const row = given.without_value)
      return usage(fmt::format("{} needs a value: {} {}", row->name, row->name, row->value), see_help(line_.command));
    line_.arguments.positionals = std::move(given.positionals);
    const Result<void> applied = apply(given.options);
    if (!applied) return applied.error();
    if (!given.unknown.empty()) return unknown_word(line_.command, given.unknown.front());
    return check();
  }

  // The words behind -- belong to the program.
  void take_program(std::vector<std::string>& words, std::size_t from) {
    const auto end = std::find(words.begin() + static_cast<std::ptrdiff_t>(from), words.end(), "--");
    if (end == words.end()) return;
    line_.arguments.program.assign(end + 1, words.end());
    has_program_mark_ = true;
    words.erase(end, words.end());
  }

  // In the table's order. Of an option that is not repeatable the last value counts.
  Result<void> apply(const std::vector<GivenOption>& options) {
    for (const OptionRow& row : line_.command->options) {
      const GivenOption* last = nullptr;
      for (const GivenOption& one : options) {
        if (one.row != &row) continue;
        if (row.is_repeatable && last) {
          if (const Result<void> applied = apply(*last); !applied) return applied;
        }
        last = &one;
      }
      if (!last) continue;
      if (const Result<void> applied = apply(*last); !applied) return applied;
    }
    return Result<void>();
  }

  Result<void> apply(const GivenOption& given) {
    const OptionRow& row = *given.row;
    if (row.name != "--proxy" && row.value != "CMD" && has_user_information(given.value))
      return usage(fmt::format("{}: a URL with a user or a password is no value of it", row.name));
    const Result<void> result = apply_option(row, given.value, line_.arguments);
    if (result) return result;
    const Failure failure = result.error();
    return usage(fmt::format("{}: {}", row.name, failure.what()), failure.hint());
  }

  Result<CommandLine> check() {
    take_default_target();
    const std::vector<std::string>& words = line_.arguments.positionals;
    if (std::any_of(words.begin(), words.end(), has_user_information)) return misplaced_url();
    const Result<void> identified = check_identity(line_.arguments);
    if (!identified) return identified.error();
    if (line_.arguments.is_quiet && line_.arguments.is_verbose) return usage("--quiet and --verbose exclude each other");
    give_token_to_kubernetes();
    return check_positionals();
  }

  void take_default_target() {
    Arguments& arguments = line_.arguments;
    if (!line_.command->takes_targets || !arguments.positionals.empty() || !arguments.target_files.empty() || default_target_.empty())
      return;
    arguments.positionals.push_back(default_target_);
    arguments.has_default_target = true;
  }

  // Only where no other target could use the token.
  void give_token_to_kubernetes() {
    Arguments& arguments = line_.arguments;
    const std::vector<std::string>& targets = arguments.positionals;
    if (!line_.command->takes_targets || targets.empty() || !arguments.target_files.empty()) return;
    if (std::all_of(targets.begin(), targets.end(), takes_token_file)) arguments.token_file.swap(arguments.target_token_file);
  }

  Result<CommandLine> check_positionals() {
    const CommandRow& command = *line_.command;
    std::vector<std::string>& words = line_.arguments.positionals;
    if (command.positional.ends_with("...")) {
      if (words.empty() && line_.arguments.target_files.empty())
        return usage(
            "no target",
            fmt::format(
                "name it, such as kubernetes:NAMESPACE/KIND/NAME, slurm:job/ID or tpu:NAME, or set ROLLCALL_TARGET; see rollcall {} --help",
                command.name));
      if (line_.arguments.is_partial && line_.arguments.lookup == TpuLookup::list) {
        return usage("--partial asks each target on its own, --lookup list asks for all at once: they exclude each other");
      }
      if (command.takes_program && line_.arguments.program.empty())
        return usage("no program to start", fmt::format("write it behind --: rollcall {} {} -- CMD", command.name,
                                                        printable(words.empty() ? "TARGET" : words.front(), 80)));
      if (command.takes_program && !line_.arguments.checks.empty() && !line_.arguments.preflights)
        return usage("--checks needs --preflight");
      const Result<void> sensible = check_restarts(line_.arguments);
      if (!sensible) return sensible.error();
      return std::move(line_);
    }
    if (has_program_mark_ && line_.arguments.program.empty() && command.positional.find("CMD") != std::string_view::npos)
      return usage("no program to start", fmt::format("write it behind --: rollcall {} {} -- CMD; or leave -- out", command.name,
                                                      printable(words.empty() ? "FILE" : words.front(), 80)));
    const std::size_t wanted = command.positional.empty() ? 0 : 1;
    if (words.size() < wanted && !command.positional.starts_with('['))
      return usage(fmt::format("{} is missing", command.positional.substr(0, command.positional.find(' '))), see_help(&command));
    if (words.size() > wanted) return unknown_word(&command, words[wanted]);
    if (line_.arguments.svg_file == "-" && line_.arguments.format == Format::json) {
      return usage("--svg - and --format json both want standard output: they exclude each other");
    }
    return std::move(line_);
  }

  std::string default_target_;
  bool has_program_mark_ = false;  // `--` is given
  CommandLine line_;
};

}  // namespace

Result<void> apply_option(const OptionRow& row, const std::string& value, Arguments& arguments) {
  Result<void> accepted = check_choice(row, value);
  if (row.completes == Completes::file) accepted = check_path("the value", value);
  return accepted || row.value.empty() ? row.apply(arguments, value) : accepted;
}

Result<void> check_identity(const Arguments& arguments) {
  if (arguments.client_certificate.empty() && !arguments.client_key.empty()) return usage("--client-key needs --client-certificate FILE");
  if (arguments.client_certificate.empty()) return {};
  const Result<void> fine = check_client_certificate(arguments.client_certificate, arguments.client_key);
  if (!fine) return usage("--client-certificate: " + fine.error().what(), fine.error().hint());
  return {};
}

Result<CommandLine> parse_arguments(std::vector<std::string> words, std::string default_target) {
  const bool asks_for_help = !words.empty() && words.front() == "help";
  if (asks_for_help) {
    words.erase(words.begin());
    const auto is_name = [](const std::string& word) { return !word.starts_with("-"); };
    if (std::count_if(words.begin(), words.end(), is_name) > 1)
      return usage("help explains one command or topic at a time",
                   fmt::format("try rollcall help {}", printable(*std::find_if(words.begin(), words.end(), is_name), 64)));
    if (words.size() == 1 && words.front() == "help") words.clear();
    const std::vector<std::string_view> topics = help_topics();
    if (words.size() == 1 && std::find(topics.begin(), topics.end(), words.front()) != topics.end()) {
      CommandLine line;
      line.request = Request::topic;
      line.topic = std::move(words.front());
      return line;
    }
    const auto meant = words.size() == 1 && !find_command(words.front()) ? nearest(words.front(), topics) : std::nullopt;
    if (meant)
      return usage(fmt::format("unknown topic {}", quoted(words.front(), 64)), fmt::format("did you mean rollcall help {}?", *meant));
    words.emplace_back("--help");
  }
  Parser parser(std::move(default_target));
  Result<CommandLine> line = parser.parse(words);
  if (asks_for_help && line && line->command && line->request == Request::help) line->request = Request::full_help;
  return line;
}

}  // namespace rollcall::command
