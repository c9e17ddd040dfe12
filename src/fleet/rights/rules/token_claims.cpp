#include "fleet/rights/rules/token_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

Failure refused_claim(std::string_view why) { return Failure(Errc::unauthenticated, fmt::format("the token {}", why)); }

WallTime time_of(std::int64_t seconds) {
  return saturating_sum(WallTime(), Duration(std::chrono::seconds(std::min(seconds, std::int64_t{9'000'000'000}))));
}

bool is_made_of(std::string_view text, std::string_view marks, std::size_t max) {
  return !text.empty() && text.size() <= max &&
         std::all_of(text.begin(), text.end(), [marks](char c) { return is_alnum(c) || marks.find(c) != std::string_view::npos; });
}

}  // namespace

Result<void> check_claims(const JsonWebToken& token, std::string_view audience, Duration max, WallTime now) {
  if (std::find(token.audiences.begin(), token.audiences.end(), audience) == token.audiences.end())
    return refused_claim(token.audiences.empty() ? "is for no audience (aud)" : "is for another audience (aud)");
  if (!token.expires) return refused_claim("has no end (exp)");
  const WallTime end = time_of(*token.expires);
  if (now >= end + clock_grace) return refused_claim("has expired (exp)");
  if (end > now + max + clock_grace) return refused_claim("is valid for too long (exp)");
  if (token.not_before && time_of(*token.not_before) > now + clock_grace) return refused_claim("is not valid yet (nbf)");
  if (token.issued_at && time_of(*token.issued_at) > now + clock_grace) return refused_claim("is issued in the future (iat)");
  return {};
}

Result<std::string> service_account_name(std::string_view subject) {
  constexpr std::string_view prefix = "system:serviceaccount:";
  const std::vector<std::string_view> parts = split(subject.substr(std::min(prefix.size(), subject.size())), ':');
  const bool is_account =
      subject.starts_with(prefix) && parts.size() == 2 && is_made_of(parts[0], "-", 63) && is_made_of(parts[1], "-.", 253);
  if (!is_account) return refused_claim("is not a service account's (sub)");
  return fmt::format("{}/{}", parts[0], parts[1]);
}

Result<std::string> google_account_name(const JsonWebToken& token, const std::vector<std::string>& projects) {
  constexpr std::string_view of_accounts = ".iam.gserviceaccount.com";
  const std::size_t at = token.email.find('@');
  if (token.email.empty()) return refused_claim("names no account (email); ask the metadata server for format=full");
  const bool is_address = at != std::string::npos && is_made_of(std::string_view(token.email).substr(0, at), "-._%+", 64) &&
                          is_made_of(std::string_view(token.email).substr(at + 1), "-.", 190);
  if (!is_address) return refused_claim("names an account that is no address (email)");
  if (!token.is_email_verified) return refused_claim("names an account that is not verified (email_verified)");
  std::string project = token.instance_project;
  if (project.empty() && token.email.ends_with(of_accounts))
    project = token.email.substr(at + 1, token.email.size() - at - 1 - std::min(of_accounts.size(), token.email.size() - at - 1));
  if (!is_made_of(project, "-:.", 100))
    return refused_claim("names no project: it is neither an instance's (format=full) nor of an account of a project's own");
  if (std::find(projects.begin(), projects.end(), project) == projects.end()) return refused_claim("is of a project that is not listed");
  return fmt::format("{}/{}", project, token.email);
}

}  // namespace rollcall::fleet
