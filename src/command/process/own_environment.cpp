#include "command/process/own_environment.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include "programs/child_start.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::command {
namespace {

constexpr std::string_view token_variable = "ROLLCALL_ACCESS_TOKEN";

std::optional<Secret<std::string>>& taken_token() {
  static std::optional<Secret<std::string>> token;
  return token;
}

class OwnEnvironment final : public Environment {
 public:
  std::optional<std::string> get(std::string_view name) const override {
    if (name == token_variable && taken_token()) return std::string(taken_token()->reveal());
    return process_->get(name);
  }
  std::vector<std::string> names() const override { return process_->names(); }

 private:
  const std::shared_ptr<const Environment> process_ = process_environment();
};

}  // namespace

void take_secrets() {
  const char* const token = std::getenv(token_variable.data());
  if (token) taken_token().emplace(std::string(token));
  forget_secrets();
}

void forget_taken_secrets() noexcept { taken_token().reset(); }

std::shared_ptr<const Environment> own_environment() { return std::make_shared<OwnEnvironment>(); }

}  // namespace rollcall::command
