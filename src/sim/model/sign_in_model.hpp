// The identities of the simulated cloud from a simulation file: users, service accounts, identity providers, a machine of AWS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// A user, a service account, or a provider with all its identities. Fields that a kind does not have are empty.
struct SignInIdentity {
  std::string name;                                 // the name in tokens: an address, or the name of the provider's identities
  std::optional<std::vector<std::string>> missing;  // missing permissions; none: as in the whole section
  // of a user
  std::string client_id;      // empty: any
  std::string client_secret;  // empty: any
  std::string refresh_token;
  std::optional<Duration> revoked_at;
  // of a service account
  std::optional<std::vector<std::string>> actors;  // identities that may impersonate it; none: all
  // of a provider
  std::string audience;
  std::optional<std::vector<std::string>> subject_tokens;  // none: any
};

struct AwsMachine {
  std::string role = "simulated-role";
  std::string zone = "us-east-1a";
  std::string access_key_id = "AKIASIMULATED";
  std::string secret_access_key = "simulated-secret-access-key";
  std::string session_token = "simulated-session-token";
};

struct SignInModel {
  Duration lifetime = std::chrono::seconds(3599);
  std::vector<std::string> missing;  // permissions that every identity lacks, unless it has its own list
  // If a list is absent, every identity of that kind exists.
  std::optional<std::vector<SignInIdentity>> users;
  std::optional<std::vector<SignInIdentity>> service_accounts;
  std::optional<std::vector<SignInIdentity>> providers;
  std::optional<AwsMachine> aws;  // none: no such machine
};

}  // namespace rollcall::sim
