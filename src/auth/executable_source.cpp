// A program that prints the token of another identity provider. It is run only if the user has allowed programs.
#include <fmt/format.h>

#include "auth/subject_token.hpp"
#include "auth/wire/subject_token.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "programs/helpful_lines.hpp"
#include "rollcall/program_runner.hpp"

namespace rollcall {
namespace {

constexpr const char* permission = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";
constexpr std::size_t max_output = 512 * 1024;

class TokenOfProgram final : public SubjectTokenSource {
 public:
  TokenOfProgram(ExecutableSource source, const ExternalAccount& account) : source_(std::move(source)) {
    for (const std::string_view word : split(source_.command, ' ')) {
      if (!trim(word).empty()) program_.words.emplace_back(trim(word));
    }
    program_.max_output_bytes = max_output;
    program_.timeout = source_.timeout;
    program_.variables = {{"GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE", account.audience},
                          {"GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE", account.subject_token_type},
                          {"GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE", "0"},
                          {"GOOGLE_EXTERNAL_ACCOUNT_REVOKE", "0"}};
    if (account.impersonation_url)
      program_.variables.emplace_back("GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL", impersonated_account(*account.impersonation_url));
    if (!source_.output_file.empty()) program_.variables.emplace_back("GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE", source_.output_file);
  }
  std::string describe() const override {
    return "the program " + (program_.words.empty() ? std::string("of the credential_source") : path_text(program_.words.front()));
  }

  asio::awaitable<Result<Secret<std::string>>> subject_token(Call& call) override {
    Runtime::Impl& impl = impl_of(call);
    if (impl.environment->get(permission) != "1") {
      co_return Failure(Errc::refused_by_policy, fmt::format("{} is to be run for a token, and {} is not 1", describe(), permission))
          .with_hint(fmt::format("if you trust the credential file, set {}=1", permission));
    }
    std::optional<Secret<std::string>> kept = co_await kept_token(call);
    if (kept) co_return std::move(*kept);
    Result<ProgramOutput> output = co_await impl.programs->run(program_);
    if (!output) {
      Failure failure = output.error();
      failure.with_what(fmt::format("{}: {}", describe(), failure.what()));
      co_return failure;
    }
    if (output->exit_code != 0 || output->signal != 0) co_return ended(*output);
    Result<ExecutableReply> reply = parse_executable_reply("the output of " + describe(), output->output.reveal());
    if (!reply) co_return reply.error();
    if (reply->expires_at && *reply->expires_at <= impl.time->wall_now()) {
      co_return Failure(Errc::unauthenticated, describe() + " gave a token that has expired").with_hint("check this machine's clock");
    }
    co_return std::move(reply->token);
  }

 private:
  // The reason in its reply, else the lines of its errors that help; its arguments, which may contain secrets, are not quoted.
  Failure ended(const ProgramOutput& output) const {
    const std::string end = output.signal != 0 ? fmt::format("signal {}", output.signal) : fmt::format("exit code {}", output.exit_code);
    std::string what = fmt::format("{} ended with {}", describe(), end);
    const Result<ExecutableReply> reply = parse_executable_reply("its reply", output.output.reveal());
    const bool has_reason = !reply && reply.error().code() == Errc::unauthenticated;
    const std::string said = has_reason ? std::string(reply.error().what()) : helpful_lines(output.errors);
    if (!said.empty()) what += ": " + said;
    return Failure(Errc::unauthenticated, std::move(what))
        .with_hint("run the command of the file's credential_source by hand to see what it says");
  }

  // The output file of an earlier run, if its token is still valid.
  asio::awaitable<std::optional<Secret<std::string>>> kept_token(Call& call) const {
    if (source_.output_file.empty()) co_return std::nullopt;
    Result<std::string> text = co_await read_file(call, source_.output_file, max_output);
    if (!text) co_return std::nullopt;
    warn_of_open_file(call, source_.output_file);
    Result<ExecutableReply> reply = parse_executable_reply("the output file", *text);
    wipe(text->data(), text->size());
    if (!reply || !reply->expires_at || *reply->expires_at <= impl_of(call).time->wall_now()) co_return std::nullopt;
    co_return std::move(reply->token);
  }

  const ExecutableSource source_;
  ProgramRequest program_;
};

}  // namespace

std::unique_ptr<SubjectTokenSource> subject_token_executable(ExecutableSource source, const ExternalAccount& account) {
  return std::make_unique<TokenOfProgram>(std::move(source), account);
}

}  // namespace rollcall
