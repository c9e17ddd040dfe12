// Who can sign in at the simulated cloud, as a simulation file says: users, service accounts, identity providers, a machine of AWS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// A user, a service account, or the identities of a provider. What its kind does not have is empty.
struct SignInIdentity {
  std::string name;                                 // whom tokens speak of: an address, or what the provider's identities are called
  std::optional<std::vector<std::string>> missing;  // permissions; none: as the whole section says
  // of a user
  std::string client_id;      // empty: any
  std::string client_secret;  // empty: any
  std::string refresh_token;
  std::optional<Duration> revoked_at;
  // of a service account
  std::optional<std::vector<std::string>> actors;  // who may act as it; none: everybody
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
  std::vector<std::string> missing;  // permissions that nobody has, unless an identity says otherwise
  // Of a list that is not given every member is taken to be there.
  std::optional<std::vector<SignInIdentity>> users;
  std::optional<std::vector<SignInIdentity>> service_accounts;
  std::optional<std::vector<SignInIdentity>> providers;
  std::optional<AwsMachine> aws;  // none: there is no such machine
};

}  // namespace rollcall::sim
