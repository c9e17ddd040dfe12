#include "command/arguments/targets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/path_text.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "command/arguments/refused_words.hpp"
#include "command/arguments/target_trust.hpp"
#include "command/terminal/console.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/target.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/union_resolver.hpp"

namespace rollcall::command {
namespace {

constexpr std::string_view token_key = "token_file";

Failure at(const ListedTarget& target, Failure failure) {
  std::string what = target.where.empty() ? failure.what() : fmt::format("{}: {}", target.where, failure.what());
  failure.with_what(std::move(what));
  return failure;
}

// Warns of targets that --token-file does not apply to: a token is not sent to another service.
void warn_of_unused_token(const std::vector<ListedTarget>& targets) {
  for (const ListedTarget& target : targets) {
    const bool is_without = takes_token_file(target.text) && target.text.find("token_file=") == std::string::npos;
    if (!is_without) continue;
    return complain(
        fmt::format("--token-file is not for {}, beside targets of other services: name its token by token_file=FILE in the target",
                    target_text(target.text)));
  }
}

// Rejects a target that is given twice: its members would be counted twice, and a wait would wait for machines that do not exist.
Result<void> check_each_is_new(const std::vector<ListedTarget>& targets) {
  std::unordered_map<std::string_view, const ListedTarget*> known;
  known.reserve(targets.size());
  for (const ListedTarget& target : targets) {
    const auto [first, is_new] = known.emplace(target.text, &target);
    if (is_new) continue;
    const std::string& before = first->second->where;
    return at(target, Failure(Errc::invalid_argument, fmt::format("{} is named already{}", quoted_target(target.text, 128),
                                                                  before.empty() ? std::string() : fmt::format(", by {}", before)))
                          .with_hint("each target counts once: leave one out"));
  }
  return {};
}

}  // namespace

const TargetScheme* scheme_of(std::string_view text) noexcept { return find_scheme(text.substr(0, text.find(':'))); }

bool is_of_fixed_list(std::string_view text) {
  const TargetScheme* const scheme = scheme_of(text);
  if (!scheme || !scheme->is_fixed || !scheme->is_followed) return scheme && scheme->is_fixed;
  const Result<Target> target = Target::parse(text);
  return !target || !scheme->is_followed(*target);
}

bool has_key(const TargetScheme& scheme, std::string_view key) noexcept {
  return std::any_of(scheme.keys.begin(), scheme.keys.end(), [key](const TargetKey& known) { return known.name == key; });
}

bool takes_token_file(std::string_view text) noexcept {
  const TargetScheme* const scheme = scheme_of(text);
  return scheme && text.find(':') != std::string_view::npos && has_key(*scheme, token_key);
}

Result<std::vector<ListedTarget>> collect_targets(const Arguments& arguments) {
  std::vector<ListedTarget> targets;
  for (const std::string& text : arguments.positionals) targets.emplace_back(text, std::string());
  for (const std::string& file : arguments.target_files) {
    Result<std::vector<ListedTarget>> listed = read_target_list(file);
    if (!listed) return listed.error();
    for (const ListedTarget& target : *listed) {
      if (const Result<void> fine = check_trusted(target.text); !fine) return at(target, fine.error());
    }
    std::move(listed->begin(), listed->end(), std::back_inserter(targets));
  }
  if (targets.size() > max_targets)
    return Failure(Errc::invalid_argument, fmt::format("{} targets: more than {}", targets.size(), max_targets));
  if (targets.empty()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{} lists no target", path_text(fmt::format("{}", fmt::join(arguments.target_files, ", ")))));
  }
  if (const Result<void> fine = check_each_is_new(targets); !fine) return fine.error();
  if (!arguments.token_file.empty()) warn_of_unused_token(targets);
  return targets;
}

std::string empty_cluster_text(const Arguments& arguments) {
  const std::vector<std::string>& targets = arguments.positionals;
  for (const std::string& target : targets) {
    const TargetScheme* const scheme = scheme_of(target);
    const bool is_unset = scheme && !scheme->variable.empty() && !process_environment()->get(scheme->variable);
    if (is_unset) return fmt::format("the cluster has no tasks: {} is not set", scheme->variable);
  }
  return "the cluster has no tasks";
}

namespace {

void fill_defaults(Target& target, const Arguments& arguments) {
  const TargetScheme* const scheme = find_scheme(target.scheme);
  if (!scheme) return;
  const auto fill = [&](std::string_view key, const std::string& value) {
    if (value.empty() || target.get(key)) return;
    if (has_key(*scheme, key)) target.options.emplace_back(std::string(key), std::vector<std::string>{value});
  };
  if (!target.body.starts_with("projects/")) {  // a full resource name has both
    fill("project", arguments.project);
    if (!target.get("region")) fill("zone", arguments.zone);
  }
  if (arguments.api) fill("api", std::string(to_string(*arguments.api)));
  fill(token_key, arguments.target_token_file);
}

}  // namespace

Result<std::string> with_defaults(const std::string& text, const Arguments& arguments) {
  Result<Target> target = Target::parse(text);
  if (!target) return target.error();
  const std::size_t given = target->options.size();
  fill_defaults(*target, arguments);
  return target->options.size() > given ? target->to_text() : text;
}

Result<std::shared_ptr<ClusterResolver>> make_listed(const Runtime& runtime, const ListedTarget& target, const Arguments& arguments) {
  const Result<void> scheme = check_scheme(target.text);
  if (!scheme) return at(target, scheme.error());
  Result<Target> parsed = Target::parse(target.text);
  if (!parsed) return at(target, parsed.error());
  fill_defaults(*parsed, arguments);
  Result<std::shared_ptr<ClusterResolver>> made = make_resolver(runtime, *parsed);
  if (!made) return at(target, made.error());
  return made;
}

Result<std::vector<ClusterPart>> make_parts(const Runtime& runtime, const std::vector<ListedTarget>& targets, const Arguments& arguments) {
  std::vector<ClusterPart> parts;
  for (const ListedTarget& target : targets) {
    Result<std::shared_ptr<ClusterResolver>> made = make_listed(runtime, target, arguments);
    if (!made) return made.error();
    parts.emplace_back(target.text, std::move(*made));
  }
  return parts;
}

std::shared_ptr<ClusterResolver> put_together(const Runtime& runtime, const std::vector<ClusterPart>& parts) {
  if (parts.size() == 1) return parts.front().resolver;
  std::vector<std::shared_ptr<ClusterResolver>> resolvers;
  for (const ClusterPart& part : parts) resolvers.push_back(part.resolver);
  return make_union_resolver(runtime, std::move(resolvers));
}

Result<std::shared_ptr<ClusterResolver>> make_together(const Runtime& runtime, const std::vector<ListedTarget>& targets,
                                                       const Arguments& arguments) {
  const Result<std::vector<ClusterPart>> parts = make_parts(runtime, targets, arguments);
  if (!parts) return parts.error();
  return put_together(runtime, *parts);
}

namespace {

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

// The user gave the file's name on the command line, so every reason is wrong usage.
Failure unreadable(const std::string& name, int error) {
  return Failure(Errc::invalid_argument, fmt::format("cannot read the targets from {}: {}", quoted_path(name), std::strerror(error)));
}

}  // namespace

Result<std::vector<ListedTarget>> parse_target_list(std::string_view text, std::string_view name) {
  text = without_byte_order_mark(text);
  const std::string before_number = path_text(name) + ":";
  std::vector<ListedTarget> targets;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(without_comment(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.empty()) continue;
    const auto fault = [&](std::string_view what) {
      return Failure(Errc::invalid_argument, fmt::format("{}{}: {}", before_number, number, what));
    };
    const bool is_plain = is_ascii_from(' ' + 1, line);
    if (!is_plain && line.find('\0') != std::string_view::npos) return fault("a zero byte: this is no text file");
    if (!is_plain && line.find_first_of(" \t") != std::string_view::npos)
      return fault(fmt::format("one target a line, but there is a blank in {}", quoted_target(line, 128)));
    if (looks_secret(line) && line.find(':') == std::string_view::npos) return fault("a token or a key, by its looks, and not a target");
    if (targets.size() == max_targets) return fault(fmt::format("more than {} targets", max_targets));
    targets.emplace_back(std::string(line), before_number + std::to_string(number));
  }
  return targets;
}

Result<std::vector<ListedTarget>> read_target_list(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : path;
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable(name, errno);
  std::string text;
  Result<std::vector<ListedTarget>> result = Failure(Errc::invalid_argument, "");
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + 65536);
    const ssize_t count = ::read(fd, text.data() + before, 65536);
    const int error = errno;
    text.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && error == EINTR) continue;
    if (count < 0) {
      result = unreadable(name, error);
      break;
    }
    if (text.size() > max_target_list_bytes) {
      result = Failure(Errc::invalid_argument,
                       fmt::format("{} holds more than {} MiB of targets", path_text(name), max_target_list_bytes >> 20));
      break;
    }
    if (count == 0) {
      result = parse_target_list(text, name);
      break;
    }
  }
  if (!is_stdin) ::close(fd);
  return result;
}

namespace {

bool is_scheme_char(char c) { return is_alnum(c) || c == '-' || c == '_'; }

constexpr std::string_view some_targets =
    "targets begin with their scheme, such as kubernetes:NAMESPACE/KIND/NAME, slurm:job/ID or tpu:NAME; see rollcall help targets";

Failure bad_scheme(std::string_view text, const std::string& what, const std::string& meant) {
  const Failure failure(Errc::invalid_argument, fmt::format("{} {}", quoted_target(text, 128), what));
  const std::string shown = target_text(meant, 160);
  if (shown != printable(meant, 160)) return failure;  // no hint if a part of the target is masked
  return Failure(failure).with_hint(fmt::format("did you mean {}?", shown));
}

}  // namespace

Result<void> check_scheme(std::string_view text) {
  if (text.empty()) return Failure(Errc::invalid_argument, "a target is empty").with_hint(std::string(some_targets));
  std::size_t size = 0;
  while (size < text.size() && is_scheme_char(text[size])) ++size;
  const bool has_scheme = size > 0 && size < text.size() && text[size] == ':';
  const std::string_view scheme = text.substr(0, size);
  const std::string_view rest = has_scheme ? text.substr(size + 1) : std::string_view();
  const std::vector<const TargetScheme*> schemes = target_schemes();
  const TargetScheme* const row = has_scheme ? find_scheme(scheme) : nullptr;
  const std::string plain = row ? without_slashes(*row, rest) : std::string();
  if (!plain.empty()) return bad_scheme(text, "has // behind its scheme", plain);
  if (row) return Result<void>();
  std::vector<std::string_view> names;
  for (const TargetScheme* known : schemes) {
    if (text == known->name) return bad_scheme(text, "lacks its colon", std::string(known->example));
    names.push_back(known->name);
  }
  const std::string meant_whole = meant_target(text);
  if (!meant_whole.empty()) return bad_scheme(text, "has no scheme", meant_whole);
  if (!has_scheme)
    return Failure(Errc::invalid_argument, fmt::format("{} has no scheme", quoted_target(text, 128))).with_hint(std::string(some_targets));
  if (scheme == "grpc" && rest.starts_with("//")) return bad_scheme(text, "has no scheme of a target", fmt::format("tpu:{}", text));
  if (const auto meant = meant_scheme(scheme))
    return bad_scheme(text, fmt::format("has an unknown scheme, {}", quoted_target(scheme, 64)), fmt::format("{}:{}", *meant, rest));
  return Failure(Errc::invalid_argument, fmt::format("{} has an unknown scheme, {}", quoted_target(text, 128), quoted_target(scheme, 64)))
      .with_hint(fmt::format("targets begin with {}:", fmt::join(names, ":, ")));
}

}  // namespace rollcall::command
