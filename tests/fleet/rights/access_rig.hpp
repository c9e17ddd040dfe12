// Access with issuers that the test plays: Google's keys, and an API server.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "fleet/rights/access.hpp"
#include "fleet/rights/forger.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

inline FleetClients google_clients() {
  FleetClients clients;
  clients.method = FleetClients::Method::google;
  clients.audience = "rollcall";
  clients.projects = {"p"};
  return clients;
}
inline FleetClients kubernetes_clients(bool reviews = false) {
  FleetClients clients;
  clients.method = FleetClients::Method::kubernetes;
  clients.audience = "rollcall";
  clients.kubeconfig = "/config";
  clients.reviews = reviews;
  return clients;
}
inline FleetServiceOptions service_for(std::vector<FleetClients> clients) {
  FleetServiceOptions options;
  options.clients = std::move(clients);
  return options;
}

class AccessRig : public TestRuntime {
 public:
  static constexpr std::string_view kubeconfig = R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
    "clusters":[{"name":"k","cluster":{"server":"https://kube.example"}}],"users":[{"name":"u","user":{"token":"own-token"}}]})";

  explicit AccessRig(const FleetServiceOptions& options)
      : TestRuntime({}, {}, static_token(Secret<std::string>("cloud-token")), {{"/config", std::string(kubeconfig)}}) {
    transport->respond = [this](const HttpRequest& request) { return respond(request); };
    access = value_of(fleet::make_access(runtime, options));
  }

  ServerRequest showing(const std::string& authorization) const {
    ServerRequest request;
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    return request;
  }
  Result<fleet::Identity> identify(const ServerRequest& request) { return run(access->identify(request)); }
  /// `AS:NAME`, or `CODE: what`.
  std::string who(const std::string& token) {
    const Result<fleet::Identity> found = identify(showing("Bearer " + token));
    if (found) return found->text;
    if (token.size() > 12) CHECK(found.error().message().find(token.substr(token.size() - 12)) == std::string::npos);
    return fmt::format("{}: {}", to_string(found.error().code()), found.error().what());
  }
  std::int64_t now() const { return std::chrono::floor<std::chrono::seconds>(time->wall_now().time_since_epoch()).count(); }
  void pass(Duration by) {
    const SteadyTime end = time->now() + by;
    for (auto next = time->next_alarm(); next && *next < end; next = time->next_alarm()) {
      time->advance_to(*next);
      poll();
    }
    time->advance_to(end);
    poll();
  }
  int asked(std::string_view path) const {
    int count = 0;
    for (const HttpRequest& request : transport->requests) count += request.url.target == path ? 1 : 0;
    return count;
  }

  /// Claims of a Google token, valid for an hour from now on.
  std::string google_claims(const std::string& more = {}) const {
    return fmt::format(
        R"({{"iss":"https://accounts.google.com","aud":"rollcall","iat":{},"exp":{},"email":"a@p.iam.gserviceaccount.com","email_verified":true{}}})",
        now(), now() + 3600, more);
  }
  std::string account_claims(const std::string& issuer = "https://cluster", const std::string& more = {}) const {
    return fmt::format(R"({{"iss":"{}","aud":["rollcall"],"iat":{},"exp":{},"sub":"system:serviceaccount:train:default"{}}})", issuer,
                       now(), now() + 3600, more);
  }

  std::string keys;                     ///< entries of both issuers' key sets
  std::string review = R"({"authenticated":true,"audiences":["rollcall"],"user":{"username":"system:serviceaccount:train:default"}})";
  int key_status = 200;
  int review_status = 201;
  Duration after{0};
  std::shared_ptr<fleet::Access> access;

 private:
  ScriptedTransport::Answer respond(const HttpRequest& request) const {
    const bool is_google = request.url.host == "www.googleapis.com";
    const bool is_kube = request.url.host == "kube.example";
    CHECK((is_google || is_kube));
    if (request.url.target == "/openid/v1/jwks") CHECK(request.headers.get("Accept") == "application/jwk-set+json");
    CHECK(request.bearer.reveal() == (is_kube ? "own-token" : ""));
    const std::string& path = request.url.target;
    HttpResponse reply = ScriptedTransport::reply(404);
    if (path == "/oauth2/v3/certs" || path == "/openid/v1/jwks") reply = ScriptedTransport::reply(key_status, R"({"keys":[)" + keys + "]}");
    // No request goes to the addresses in it.
    if (path == "/.well-known/openid-configuration")
      reply = ScriptedTransport::reply(key_status, R"({"issuer":"https://cluster","jwks_uri":"https://evil.example/keys"})");
    if (path == "/apis/authentication.k8s.io/v1/tokenreviews")
      reply = ScriptedTransport::reply(review_status, R"({"status":)" + review + "}");
    ScriptedTransport::Answer answer(Result<HttpResponse>(std::move(reply)));
    answer.after = after;
    return answer;
  }
};

}  // namespace rollcall::testing
