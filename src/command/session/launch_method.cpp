// `launch`: a cluster in the form of a framework or launcher.
#include "base/base64.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/session/methods.hpp"
#include "json/json_text.hpp"

namespace rollcall::serve {
namespace {

Result<std::string> environment_member(LaunchFormat format, const LaunchFacts& facts) {
  const Result<EnvironmentVariables> variables = launch_environment(format, facts);
  if (!variables) return variables.error();
  std::string out = "{\"environment\":{";
  for (const auto& [name, value] : *variables) append_json_field(out, name, value);
  return out + "}}";
}

Result<std::string> text_member(LaunchFormat format, const LaunchFacts& facts) {
  const Result<std::string> text = render_launch(format, facts);
  if (!text) return text.error();
  std::string out = "{";
  if (facts_of(format).is_binary) {
    append_json_field(out, "base64", base64_encode(*text));
  } else {
    out.reserve(text->size() + text->size() / 4 + 64);
    append_json_field(out, "text", *text);
  }
  return out + "}";
}

// The form, and whether it is printed as environment.
class Wanted {
 public:
  explicit Wanted(const Question& question) : format(question.launch_format), is_environment(question.wants_environment) {}
  LaunchFormat format;
  bool is_environment;
};

Result<std::string> write_contract(Wanted wanted, const LaunchFacts& facts) {
  return wanted.is_environment ? environment_member(wanted.format, facts) : text_member(wanted.format, facts);
}

Answer write_given(Asking asking, Wanted wanted, LaunchFacts facts) {
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return write_contract(wanted, facts);
}

Answer write_found(Asking asking, Wanted wanted, LaunchFacts facts, std::vector<command::ClusterPart> parts,
                   std::shared_ptr<ClusterResolver> together, CallOptions options) {
  const Result<LaunchFacts> found =
      co_await command::ask_cluster_and_facts(std::move(facts), wanted.format, std::move(parts), std::move(together), std::move(options));
  if (!found) co_return found.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return write_contract(wanted, *found);
}

}  // namespace

Result<Answer> begin_launch(Asking asking, Question& question) {
  if (question.targets.empty() != question.has_cluster)
    return Failure(Errc::invalid_argument, "give either targets or cluster").with_hint("a given cluster needs no request");
  if (question.has_cluster) return write_given(asking, Wanted(question), std::move(question.launch));
  Result<std::vector<command::ClusterPart>> parts = command::make_parts(asking.runtime(), Asking::listed(question), asking.arguments());
  if (!parts) return parts.error();
  std::shared_ptr<ClusterResolver> together = command::put_together(asking.runtime(), *parts);
  return write_found(asking, Wanted(question), std::move(question.launch), std::move(*parts), std::move(together),
                     asking.call_options(question));
}

}  // namespace rollcall::serve
