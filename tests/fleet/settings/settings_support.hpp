// Settings of a service from a file, and their faults.
#pragma once

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "rollcall/fleet_settings.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

using SettingsFiles = std::map<std::string, std::string, std::less<>>;

inline Result<FleetServiceOptions> settings_of(const std::string& text, SettingsFiles files = {}) {
  files["/etc/rollcall/fleet.yaml"] = text;
  return read_fleet_settings("/etc/rollcall/fleet.yaml", *fixed_files(std::move(files)));
}

inline std::vector<std::string> faults_of(const std::string& text, SettingsFiles files = {}) {
  INFO(text);
  const Result<FleetServiceOptions> options = settings_of(text, std::move(files));
  REQUIRE(options.has_error());
  const Failure failure = options.error();
  CHECK(failure.code() == Errc::invalid_argument);
  std::vector<std::string> faults;
  for (const std::string_view line : split(failure.what(), '\n')) {
    CHECK(line.starts_with("/etc/rollcall/fleet.yaml:"));
    faults.emplace_back(line.substr(25));
  }
  return faults;
}

// Checks that there is one fault, which begins with `place` and contains `what`.
inline void check_fault(const std::string& text, const std::string& place, const std::string& what, SettingsFiles files = {}) {
  INFO(text);
  const std::vector<std::string> faults = faults_of(text, std::move(files));
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults.front(), Catch::StartsWith(place + ": "));
  CHECK_THAT(faults.front(), Catch::Contains(what));
}

inline std::string kubeconfig_of(const std::string& context) {
  return "apiVersion: v1\ncurrent-context: " + context + "\ncontexts: [{name: " + context +
         ", context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: \"https://kube.example\"}}]\n";
}

inline SettingsFiles tls_files() {
  static const CertifiedKey own(CertificateRequest({"DNS:fleet.example"}));
  static const CertifiedKey other(CertificateRequest({"DNS:other.example"}));
  return {{"/etc/rollcall/tls.crt", own.pem()},
          {"/etc/rollcall/tls.key", own.key_pem()},
          {"/etc/rollcall/other.key", other.key_pem()},
          {"/etc/rollcall/clients.crt", other.pem()},
          {"/etc/rollcall/words", "no PEM"},
          {"/etc/rollcall/kube", kubeconfig_of("gke-prod")}};
}

}  // namespace rollcall::testing
