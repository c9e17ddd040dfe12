// The token of another identity provider, from the source that an external_account names.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>

#include "auth/wire/credential_file.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// Read before each exchange: the token is short-lived.
class SubjectTokenSource {
 public:
  virtual ~SubjectTokenSource() = default;
  /// May suspend; cancellable. Errors: why there is no token; they name the source.
  virtual asio::awaitable<Result<Secret<std::string>>> subject_token(Call& call) = 0;
  /// "the file /run/token". Never a secret.
  virtual std::string describe() const = 0;
};

std::unique_ptr<SubjectTokenSource> subject_token_file(FileSource source);
std::unique_ptr<SubjectTokenSource> subject_token_url(UrlSource source);
/// The account gives the program the purpose of its token.
std::unique_ptr<SubjectTokenSource> subject_token_executable(ExecutableSource source, const ExternalAccount& account);
std::unique_ptr<SubjectTokenSource> subject_token_aws(AwsSource source, const ExternalAccount& account);

}  // namespace rollcall
