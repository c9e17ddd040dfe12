// Checks of files and variables. Sends no request.
#include <fmt/format.h>

#include <iterator>

#include "auth/application_default.hpp"
#include "auth/unused_identities.hpp"
#include "base/path_text.hpp"
#include "base/proxy_url.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "doctor/doctor_checks.hpp"
#include "google/gcloud_way.hpp"
#include "rollcall/proxy_settings.hpp"

namespace rollcall {
namespace {

DoctorCheck check_proxy(const ProxySettings& settings, const Environment& environment) {
  const ProxySettings of_variables = ProxySettings::from_environment(environment);
  if (settings.url.empty() && !of_variables.url.empty()) {
    return DoctorCheck("proxy", CheckOutcome::pass,
                       fmt::format("none: {} says so, although {} names one", settings.from, of_variables.from));
  }
  if (settings.url.empty()) return DoctorCheck("proxy", CheckOutcome::pass, "no variable names one");
  const Result<ProxyUrl> proxy = ProxyUrl::parse(settings.url.reveal(), settings.from);
  if (!proxy) return failed_check("proxy", proxy.error());
  std::string found = fmt::format("{}, from {}", proxy->shown(), settings.from);
  if (proxy->has_credentials()) found += ", with a user and a password";
  if (!settings.exceptions.empty()) found += fmt::format("; not for {}", printable(settings.exceptions, 120));
  return DoctorCheck("proxy", CheckOutcome::pass, std::move(found));
}

DoctorCheck check_credentials(const CredentialFacts& facts) {
  if (!facts.missing.empty()) {
    return skipped_check("credentials",
                         fmt::format("none found: {}; the metadata server is asked for a token", fmt::join(facts.missing, ", ")));
  }
  std::string found = facts.kind;
  if (!facts.path.empty()) found += ", " + path_text(facts.path);
  if (!facts.named_by.empty()) found += fmt::format(" ({})", facts.named_by);
  if (!facts.account.empty()) found += ", of " + facts.account;
  return DoctorCheck("credentials", CheckOutcome::pass, std::move(found));
}

DoctorCheck check_quota_project(const CredentialFacts& facts) {
  if (!facts.quota_project.empty()) {
    return DoctorCheck("quota project", CheckOutcome::pass,
                       fmt::format("{}, from {}", printable(facts.quota_project), facts.quota_project_from));
  }
  if (facts.kind == "authorized_user") {
    return DoctorCheck("quota project", CheckOutcome::warning, "none is named, and some services refuse a user's requests without one",
                       "gcloud auth application-default set-quota-project PROJECT, or set GOOGLE_CLOUD_QUOTA_PROJECT");
  }
  return DoctorCheck("quota project", CheckOutcome::pass, "none is named");
}

void check_files(Call& call, const std::vector<std::string>& paths, DoctorChecks& checks) {
  Runtime::Impl& impl = impl_of(call);
  for (const std::string& path : paths) {
    const std::string writers = other_writers(call, path);
    if (!writers.empty()) {
      checks.emplace_back("file mode", CheckOutcome::warning,
                          fmt::format("{} decides which programs and servers are used, and {}", path_text(path), writers),
                          "chown it to yourself and chmod go-w it, and the folders that it lies in");
    }
    const std::optional<bool> is_open = impl.files->is_open_to_others(path);
    if (!is_open) continue;
    impl.warned_of.insert(path);  // reported once only
    if (*is_open) {
      checks.emplace_back("file mode", CheckOutcome::warning,
                          path_text(path) + " can be read by others on this machine, and may have secrets in it", "chmod go-rwx it");
    } else if (writers.empty()) {
      checks.emplace_back("file mode", CheckOutcome::pass, path_text(path) + " can be read by its owner alone");
    }
  }
}

// gcloud's settings for the network and the identity: those that are used, and those that are not.
void check_gcloud(Runtime::Impl& impl, DoctorChecks& checks) {
  const std::vector<std::string> followed = followed_gcloud_settings(impl);
  const std::vector<UnfollowedSetting> unfollowed = unfollowed_gcloud_settings(impl);
  if (followed.empty() && unfollowed.empty()) return;
  std::string found = fmt::format("{}", fmt::join(followed, "; "));
  for (const UnfollowedSetting& one : unfollowed)
    found += fmt::format("{}not followed: {} ({})", found.empty() ? "" : "; ", one.setting, one.why);
  checks.emplace_back("gcloud", unfollowed.empty() ? CheckOutcome::pass : CheckOutcome::warning, std::move(found));
}

// Variables that configure an identity other than the one in use.
void check_identities(const Runtime::Impl& impl, const CredentialFacts& facts, DoctorChecks& checks) {
  const Environment& environment = *impl.environment;
  constexpr std::string_view named = "GOOGLE_APPLICATION_CREDENTIALS";
  std::vector<std::string> unused;
  const bool is_by_name = facts.named_by.find(named) != std::string::npos;
  if (!facts.is_from_metadata && !is_by_name && !environment.get(named).value_or("").empty()) unused.emplace_back(named);
  if (!facts.path.empty()) {
    const Result<CredentialFile> file = read_credential_file(*impl.files, facts.path);
    if (file) {
      std::vector<std::string> of_file = unused_variables_of(environment, *file);
      std::move(of_file.begin(), of_file.end(), std::back_inserter(unused));
    }
  }
  if (!is_by_name) {
    std::vector<std::string> others = unused_google_variables(environment, facts.path);
    std::move(others.begin(), others.end(), std::back_inserter(unused));
  }
  if (unused.empty()) return;
  checks.emplace_back("identity", CheckOutcome::warning,
                      unused_identity_text(unused, facts.path.empty() ? facts.kind + (facts.named_by.empty() ? "" : " " + facts.named_by)
                                                                      : path_text(facts.path)),
                      "unset what is not meant, or name the credentials that are in GOOGLE_APPLICATION_CREDENTIALS");
}

}  // namespace

DoctorAnswer check_surroundings(Call& call, DoctorPlanHandle plan) {
  DoctorChecks checks;
  if (!plan->surroundings) co_return checks;
  const Result<AutoChoice> found = co_await plan->surroundings->try_choose(call.options());
  if (!found && found.error().code() == Errc::cancelled) co_return found.error();
  if (found) {
    checks.push_back(DoctorCheck("cluster here", CheckOutcome::pass, fmt::format("{}: {}", to_string(found->place), found->reason),
                                 "rollcall doctor auto: looks at this cluster; what follows is of Google Cloud"));
  } else {
    checks.push_back(skipped_check("cluster here", found.error().what()));
  }
  co_return checks;
}

DoctorAnswer check_settings(Call& call, DoctorPlanHandle plan) {
  Runtime::Impl& impl = impl_of(call);
  DoctorChecks checks;
  checks.push_back(check_proxy(impl.proxy, *impl.environment));
  if (plan->resolver) {
    Result<DoctorChecks> server = co_await check_server(call);
    if (!server) co_return server.error();
    std::move(server->begin(), server->end(), std::back_inserter(checks));
  }
  if (!plan->subject) {
    checks.push_back(skipped_check("credentials", no_google_credentials));
    co_return checks;
  }
  if (!plan->google()) {
    check_files(call, plan->subject->files(*impl.environment), checks);
    Result<DoctorChecks> settings = co_await plan->subject->check_settings(call);
    if (!settings) co_return settings.error();
    std::move(settings->begin(), settings->end(), std::back_inserter(checks));
    co_return checks;
  }
  const auto find_facts = [&impl] { return impl.credentials->facts(*impl.environment, *impl.files); };
  const Result<CredentialFacts::Pointer> facts = co_await read_when_there(call, find_facts);
  checks.push_back(facts ? check_credentials(**facts) : failed_check("credentials", facts.error()));
  if (facts) check_identities(impl, **facts, checks);
  check_gcloud(impl, checks);
  if (!facts) co_return checks;
  std::vector<std::string> paths;
  if (!(*facts)->path.empty()) paths.push_back((*facts)->path);
  check_files(call, paths, checks);
  checks.push_back(check_quota_project(**facts));
  co_return checks;
}

}  // namespace rollcall
