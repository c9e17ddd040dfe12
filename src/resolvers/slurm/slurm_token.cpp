#include "resolvers/slurm/slurm_token.hpp"

#include <fmt/format.h>

#include "auth/refreshed_credentials.hpp"
#include "base/field_text.hpp"
#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "programs/helpful_lines.hpp"
#include "resolvers/slurm/wire/slurm_token.hpp"
#include "rollcall/call.hpp"

namespace rollcall {
namespace {

constexpr const char* jwt_variable = "SLURM_JWT";
constexpr std::size_t max_token_text = 64 * 1024;

// Slurm wants the user's name beside the token, and answers the same to a wrong one, a wrong signature and an ended token.
Result<AccessToken> usable_token(Result<SlurmToken> token, const std::string& source, const std::string& login, WallTime now) {
  if (!token) return token.error();
  if (token->end && *token->end <= now) {
    return Failure(Errc::unauthenticated, fmt::format("{} ended on {} ({} ago)", source, format_rfc3339(*token->end),
                                                      coarse_duration_text(saturating_difference(now, *token->end))))
        .with_hint(
            "make a new one: scontrol token lifespan=SECONDS; or name a file or a program that is renewed (token_file=, token_command=)");
  }
  if (login.empty() && token->user.empty())
    return Failure(Errc::unauthenticated, source + " names no user").with_hint("say whose it is: login=NAME");
  AccessToken result(std::move(token->value));
  result.expires_at = token->end;
  return result;
}

Result<void> add_headers(HttpRequest& request, const AccessToken& token, const std::string& login) {
  std::string user = login;
  if (user.empty()) {
    const Result<SlurmToken> parsed = parse_slurm_token("the token", token.value.reveal());
    if (parsed) user = parsed->user;
  }
  request.headers.set("X-SLURM-USER-NAME", user);
  request.headers.set("X-SLURM-USER-TOKEN", token.value.reveal());
  return {};
}

class SlurmTokenOfText final : public Credentials {
 public:
  SlurmTokenOfText(std::string path, std::string login) : path_(std::move(path)), login_(std::move(login)) {}
  asio::awaitable<Result<AccessToken>> token(Call& call) override {
    Runtime::Impl& impl = impl_of(call);
    std::string text;
    if (path_.empty()) {
      text = impl.environment->get(jwt_variable).value_or("");
      if (text.empty()) {
        co_return Failure(Errc::unauthenticated, "slurmrestd wants a token, and SLURM_JWT is not set")
            .with_hint("export $(scontrol token), or name a file or a program: token_file=, token_command=scontrol+token");
      }
    } else {
      Result<std::string> content = co_await read_file(call, path_, max_token_text);
      if (!content) {
        Failure failure = content.error();
        failure.with_what("token file: " + failure.what());
        co_return failure;
      }
      warn_of_open_file(call, path_);
      text = std::move(*content);
    }
    Result<SlurmToken> parsed = parse_slurm_token(describe(), text);
    wipe(text.data(), text.size());
    co_return usable_token(std::move(parsed), describe(), login_, impl.time->wall_now());
  }
  Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource&) const override {
    return add_headers(request, token, login_);
  }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return path_.empty() ? "the token in SLURM_JWT" : "the token in " + path_text(path_); }

 private:
  std::string path_;  // empty: the variable
  std::string login_;
};

class SlurmTokenOfProgram final : public RefreshedCredentials {
 public:
  SlurmTokenOfProgram(std::vector<std::string> words, std::string login) : login_(std::move(login)) {
    program_.words = std::move(words);
    program_.removed_variables = {jwt_variable};  // with it scontrol token makes no other
    program_.max_output_bytes = max_token_text;
  }
  Result<void> authorize(HttpRequest& request, const AccessToken& token, const TimeSource&) const override {
    return add_headers(request, token, login_);
  }
  std::string describe() const override { return "the token of " + quoted_path(program_.words.front(), 80); }

 private:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    Runtime::Impl& impl = impl_of(call);
    ProgramRequest request = program_;
    const Result<ProgramOutput> output = co_await impl.programs->run(std::move(request));
    if (!output) {
      Failure failure = output.error();
      failure.with_what(fmt::format("{}: {}", describe(), failure.what()));
      if (failure.code() == Errc::not_found || failure.code() == Errc::permission_denied) failure.with_code(Errc::unauthenticated);
      co_return failure;
    }
    if (output->exit_code != 0 || output->signal != 0) {
      const std::string words = helpful_lines(output->errors);
      co_return Failure(Errc::unauthenticated,
                        fmt::format("{}: it ended with {} {}{}", describe(), output->signal != 0 ? "signal" : "exit code",
                                    output->signal != 0 ? output->signal : output->exit_code, words.empty() ? "" : ": " + words))
          .with_hint("run it by itself to see what it says");
    }
    Result<SlurmToken> parsed = parse_slurm_token("the output of " + quoted_path(program_.words.front(), 80), output->output.reveal());
    co_return usable_token(std::move(parsed), describe(), login_, impl.time->wall_now());
  }

  ProgramRequest program_;
  std::string login_;
};

}  // namespace

std::shared_ptr<Credentials> slurm_credentials(const SlurmJobOptions& options) {
  if (!options.token_command().empty()) return std::make_shared<SlurmTokenOfProgram>(options.token_command(), options.login());
  if (options.token_file().empty() && options.restd().starts_with("unix:")) return nullptr;
  return std::make_shared<SlurmTokenOfText>(options.token_file(), options.login());
}

}  // namespace rollcall
