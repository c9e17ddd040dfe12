// Decision: CLI11 splits the words into options and values; names, checks and messages are the table's. So the parser, the
// help and the completions cannot disagree, and an error reads the same whichever part found it.
#include "command/arguments/parse_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::tools {
namespace {

Failure usage(std::string what, std::string hint = {}) {
  return Failure(Errc::invalid_argument, std::move(what)).with_hint(std::move(hint));
}

std::string see_help(const CommandRow* command) {
  return command ? fmt::format("see rollcall {} --help", command->name) : "see rollcall --help";
}

// A proxy's URL in the wrong place is not quoted: there is a password in it.
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
  if (command) return usage(fmt::format("unexpected argument {}", quoted(word, 128)), see_help(command));
  for (const CommandRow& row : commands()) known.push_back(row.name);
  if (const auto meant = nearest(word, known))
    return usage(fmt::format("unknown command {}", quoted(word, 64)), fmt::format("did you mean rollcall {}?", *meant));
  // A target where a command belongs.
  if (word.find(':') != std::string_view::npos)
    return usage(fmt::format("unknown command {}", quoted(word, 64)), fmt::format("did you mean rollcall spec {}?", printable(word, 128)));
  return usage(fmt::format("unknown command {}", quoted(word, 64)), "see rollcall --help");
}

Result<void> check_choice(const OptionRow& row, const std::string& value) {
  if (row.choices.empty() || std::find(row.choices.begin(), row.choices.end(), value) != row.choices.end()) return Result<void>();
  const auto meant = nearest(value, row.choices);
  return usage(fmt::format("{} is not accepted; accepted are {}", quoted(value, 64), fmt::join(row.choices, ", ")),
               meant ? fmt::format("did you mean {}?", *meant) : std::string());
}

Result<void> check_restarts(const Arguments& arguments) {
  const char* idle = nullptr;
  if (arguments.max_restarts) idle = "--max-restarts";
  if (arguments.grace) idle = "--grace";
  if (idle && !arguments.restarts()) return usage(fmt::format("{} needs --restart-on lost or failed", idle));
  if (arguments.min_members > 0 && !arguments.restarts_on_lost) return usage("--min-members needs --restart-on lost");
  if (arguments.last_call && arguments.min_members == 0) return usage("--last-call needs --min-members N");
  if (arguments.members > 0 && arguments.min_members > arguments.members) return usage("--min-members is more than --members");
  return {};
}

class Parser {
 public:
  Parser() : app_("rollcall") {
    prepare(app_);
    app_.require_subcommand(0, 1);
    app_.fallthrough(false);
  }

  Result<CommandLine> parse(std::vector<std::string> words) {
    // Only the command that is named needs its options.
    const auto first = std::find_if(words.begin(), words.end(), [](const std::string& word) { return !word.starts_with("-"); });
    if (first != words.end()) line_.command = find_command(*first);
    if (line_.command) line_.arguments.timeout = line_.command->default_timeout;
    if (line_.command) add(*line_.command);
    if (line_.command && line_.command->takes_program) take_program(words);
    if (first != words.end() && !line_.command) unknown_command_ = *first;
    for (const std::string& word : words) {
      if (word == "--") break;
      const std::string_view flag = flag_with_value(word);
      if (!flag.empty()) return usage(fmt::format("{} takes no value", flag), see_help(line_.command));  // CLI11 would take it
    }
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 takes them
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      if (wants_help_ || wants_version_) return finish();
      if (failure_) return *failure_;
      return explain(error);
    }
    if (wants_help_ || wants_version_) return finish();
    if (failure_) return *failure_;
    return check();
  }

 private:
  void prepare(CLI::App& app) {
    app.set_help_flag("");
    app.add_flag_callback("--help,-h", [this] { wants_help_ = true; });
    app.add_flag_callback("--version,-V", [this] { wants_version_ = true; });
    app.allow_extras(true);  // unknown words are ours to explain
  }

  void add(const CommandRow& command) {
    CLI::App& app = *app_.add_subcommand(std::string(command.name));
    prepare(app);
    app.add_option("words", line_.arguments.positionals);
    for (const OptionRow& row : command.options) {
      std::string names(row.name);
      if (row.letter) names += fmt::format(",-{}", row.letter);
      if (row.value.empty()) {
        app.add_flag_callback(names, [this, &row] { apply(row, {}); });
        continue;
      }
      CLI::Option* option = app.add_option(names, [this, &row](const CLI::results_t& values) {
        const std::size_t begin = row.is_repeatable ? 0 : values.size() - 1;  // the last one counts
        for (std::size_t i = begin; i < values.size(); ++i) apply(row, values[i]);
        return true;
      });
      option->type_size(1)->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }

  // What stands behind -- is not ours to read.
  void take_program(std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    if (end == words.end()) return;
    line_.arguments.program.assign(end + 1, words.end());
    words.erase(end, words.end());
  }

  // The name of the flag that `word` gives a value to; empty when it does not.
  std::string_view flag_with_value(std::string_view word) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view name = word.substr(0, equals);
    if (name == "--help" || name == "--version") return name;
    for (const OptionRow& row : line_.command ? line_.command->options : std::span<const OptionRow>()) {
      if (row.value.empty() && row.name == name) return row.name;
    }
    return {};
  }

  void apply(const OptionRow& row, const std::string& value) {
    if (failure_) return;
    const Result<void> result = apply_option(row, value, line_.arguments);
    if (result) return;
    const Failure failure = result.error();
    const bool is_quoted = row.name != "--proxy" && has_user_information(value);
    failure_ = is_quoted ? usage(fmt::format("{}: a URL with a user or a password is no value of it", row.name))
                         : usage(fmt::format("{}: {}", row.name, failure.what()), failure.hint());
  }

  Result<CommandLine> finish() {
    if (!unknown_command_.empty()) return unknown_word(nullptr, unknown_command_);
    line_.request = wants_version_ && !wants_help_ ? Request::version : Request::help;
    return std::move(line_);
  }

  Failure explain(const CLI::ParseError& error) const {
    // What is left are options without their value.
    for (const OptionRow& row : line_.command ? line_.command->options : std::span<const OptionRow>()) {
      const std::string_view message = error.what();
      const std::size_t at = message.find(row.name);
      const bool is_this =
          at != std::string_view::npos && (at + row.name.size() == message.size() || !is_alpha(message[at + row.name.size()]));
      if (is_this) {
        return usage(row.value.empty() ? fmt::format("{} takes no value", row.name)
                                       : fmt::format("{} needs a value: {} {}", row.name, row.name, row.value),
                     see_help(line_.command));
      }
    }
    return usage(printable(error.what()), see_help(line_.command));
  }

  Result<CommandLine> check() {
    std::vector<std::string> unknown = app_.remaining(true);
    std::erase(unknown, "--");
    if (!unknown.empty()) return unknown_word(line_.command, unknown.front());
    if (!line_.command) return usage("no command", "try rollcall spec tpu:NAME, or see rollcall --help");
    const std::vector<std::string>& words = line_.arguments.positionals;
    if (std::any_of(words.begin(), words.end(), has_user_information)) return misplaced_url();
    const Result<void> identified = check_identity(line_.arguments);
    if (!identified) return identified.error();
    return check_positionals();
  }

  Result<CommandLine> check_positionals() {
    const CommandRow& command = *line_.command;
    std::vector<std::string>& words = line_.arguments.positionals;
    if (command.positional.ends_with("...")) {
      if (words.empty() && line_.arguments.target_files.empty())
        return usage("no target", fmt::format("try rollcall {0} tpu:NAME, or see rollcall {0} --help", command.name));
      if (line_.arguments.is_partial && line_.arguments.lookup == TpuLookup::list) {
        return usage("--partial asks each target on its own, --lookup list asks for all at once: they exclude each other");
      }
      if (command.takes_program && line_.arguments.program.empty())
        return usage("no program to start", fmt::format("it stands behind --: rollcall {} {} -- CMD", command.name,
                                                        printable(words.empty() ? "TARGET" : words.front(), 80)));
      const Result<void> sensible = check_restarts(line_.arguments);
      if (!sensible) return sensible.error();
      return std::move(line_);
    }
    const std::size_t wanted = command.positional.empty() ? 0 : 1;
    if (words.size() < wanted && !command.positional.starts_with('['))
      return usage(fmt::format("{} is missing", command.positional), see_help(&command));
    if (words.size() > wanted) return unknown_word(&command, words[wanted]);
    if (line_.arguments.svg_file == "-" && line_.arguments.format == Format::json) {
      return usage("--svg - and --format json both want standard output: they exclude each other");
    }
    return std::move(line_);
  }

  CLI::App app_;
  CommandLine line_;
  std::string unknown_command_;
  bool wants_help_ = false;
  bool wants_version_ = false;
  std::optional<Failure> failure_;
};

}  // namespace

Result<void> apply_option(const OptionRow& row, const std::string& value, Arguments& arguments) {
  const Result<void> accepted = check_choice(row, value);
  return accepted || row.value.empty() ? row.apply(arguments, value) : accepted;
}

Result<void> check_identity(const Arguments& arguments) {
  if (arguments.client_certificate.empty() && !arguments.client_key.empty()) return usage("--client-key needs --client-certificate FILE");
  if (arguments.client_certificate.empty()) return {};
  const Result<void> fine = check_client_certificate(arguments.client_certificate, arguments.client_key);
  if (!fine) return usage("--client-certificate: " + fine.error().what(), fine.error().hint());
  return {};
}

Result<CommandLine> parse_arguments(std::vector<std::string> words) {
  const bool asks_for_help = !words.empty() && words.front() == "help";  // `help spec` is `spec --help`
  if (asks_for_help) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  Parser parser;
  return parser.parse(words);
}

}  // namespace rollcall::tools
