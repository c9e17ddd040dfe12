// A program that prints the token of another identity provider.
#include "auth/subject_token.hpp"

namespace rollcall {
namespace {

class TokenOfProgram final : public SubjectTokenSource {
 public:
  explicit TokenOfProgram(ExecutableSource source) : source_(std::move(source)) {}
  std::string describe() const override { return "the program of the credential_source"; }
  asio::awaitable<Result<Secret<std::string>>> subject_token(Call&) override {
    co_return Failure(Errc::unimplemented, "an executable as the source of an identity is not supported yet");
  }

 private:
  const ExecutableSource source_;
};

}  // namespace

std::unique_ptr<SubjectTokenSource> subject_token_executable(ExecutableSource source, const ExternalAccount&) {
  return std::make_unique<TokenOfProgram>(std::move(source));
}

}  // namespace rollcall
