// The identity of a request to a Kubernetes API server: impersonation and tokens, sent exactly as given or not at all.
#include "base/base64.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// A kubeconfig at /k/config with the given user.
class PersonWorld : public TestRuntime {
 public:
  explicit PersonWorld(const std::string& user)
      : TestRuntime({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                    {{"/k/config",
                      "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'}}]\nusers: [{name: u, user: {" +
                          user + "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}}) {
    answer(200, list_json(""));
  }
};

std::string error_as(const std::string& user) {
  PersonWorld world(user);
  std::string reported = workers_of(world, KubernetesOptions());
  CHECK(world.transport->requests.empty());
  return reported;
}

}  // namespace

TEST_CASE("an impersonation that cannot be sent as it is, is refused: no other identity is asked for") {
  const auto refused = [](const std::string& user, const std::string& field, const std::string& why) {
    CAPTURE(user);
    const std::string reported = error_as(user);
    CHECK_THAT(reported, Contains("invalid_argument: the user 'u' (/k/config, line 3) has " + field + " that " + why));
    CHECK_THAT(reported, !Contains("X-Inj"));
  };
  const std::string control = "holds a line break or another control character";
  const std::string blank = "begins or ends with a blank";
  refused(R"(as: "alice\r\nX-Inj: 1")", "an as", control);
  refused(R"(as: "alice\n")", "an as", control);
  refused(R"(as: "al\0ice")", "an as", control);
  refused(R"(as: "\e[31malice")", "an as", control);
  refused(R"(as: " alice")", "an as", blank);
  refused(R"(as: "alice\t")", "an as", blank);
  refused(R"(as: alice, as-uid: "7\rX-Inj: 1")", "an as-uid", control);
  refused(R"(as: alice, as-groups: [fine, "dev\nX-Inj: 1"])", "one of as-groups", control);
  refused(R"(as: alice, as-groups: ["dev "])", "one of as-groups", blank);
  PersonWorld world(R"(token: t, as: "m\u00fcller a", as-groups: ["", "a b"])");
  CHECK(workers_of(world, KubernetesOptions()).empty());
  CHECK(world.transport->requests.at(0).headers.get("Impersonate-User") == "m\xc3\xbcller a");
}

TEST_CASE("a token of the caller replaces the kubeconfig's token and its source") {
  const auto with_token = [] {
    KubernetesOptions options;
    options.credentials(static_token(Secret<std::string>("mine")));
    return options;
  };
  for (const char* const user : {"exec: {command: gke-gcloud-auth-plugin}", "auth-provider: {name: gcp}", "username: a, password: hush",
                                 "token: old", "token: \"two\\nlines\"", "tokenFile: /nowhere"}) {
    CAPTURE(user);
    PersonWorld world(std::string(user) + ", as: boss");
    CHECK(workers_of(world, with_token()).empty());
    CHECK(world.transport->requests.at(0).bearer.reveal() == "mine");
    CHECK(world.transport->requests.at(0).headers.get("Impersonate-User") == "boss");
  }
  // The impersonation is not dropped with the exec plugin: that would change the identity.
  PersonWorld world("exec: {command: x}, as: boss, as-user-extra: {scopes: [view]}");
  CHECK(workers_of(world, with_token()).empty());
  CHECK(world.transport->requests.at(0).headers.get("Impersonate-Extra-scopes") == "view");
  CHECK(world.programs->requests.empty());
}

TEST_CASE("a key of as-user-extra that cannot be a header's name is percent-encoded, as client-go does") {
  PersonWorld world(R"(token: t, as: boss, as-user-extra: {"scopes.example/view": [a, b], "100%": ["c d"], "\u00e9\n:": [""]})");
  CHECK(workers_of(world, KubernetesOptions()).empty());
  std::vector<std::string> extra;
  world.transport->requests.at(0).headers.each([&extra](std::string_view name, std::string_view value) {
    if (name.starts_with("Impersonate-Extra-")) extra.push_back(fmt::format("{}={}", name.substr(18), value));
  });
  CHECK(extra == std::vector<std::string>{"scopes.example%2Fview=a", "scopes.example%2Fview=b", "100%25=c d", "%C3%A9%0A%3A="});
  CHECK_THAT(error_as(R"(as: boss, as-user-extra: {a: ["x\r\nX-Inj: 1"]})"), Contains("has one of as-user-extra that holds a line break"));
}

TEST_CASE("the Runtime's token goes to an API server that is given, but to no proxy on this machine, which has credentials of its own") {
  for (const std::string root : {"https://k.test:6443", "http://127.0.0.1:8001"}) {
    PersonWorld world("token: t");
    KubernetesOptions options;
    options.api_server(root);
    CHECK(workers_of(world, options).empty());
    CHECK(world.transport->requests.at(0).bearer.reveal() == (root.starts_with("https") ? "runtime-token" : ""));
  }
}

TEST_CASE("a name and a password are sent as client-go does, and what repeats them is hidden") {
  PersonWorld world("username: a, password: 'hush: hush', exec: {command: x}");
  CHECK(workers_of(world, KubernetesOptions()).empty());
  const HttpRequest& asked = world.transport->requests.at(0);
  CHECK(asked.headers.get("Authorization") == "Basic " + base64_encode("a:hush: hush"));
  CHECK(asked.bearer.empty());
  CHECK(world.programs->requests.empty());

  PersonWorld refused("username: admin, password: long-and-secret");
  const std::string encoded = base64_encode("admin:long-and-secret");
  refused.transport->answers.clear();
  refused.answer(403, status_json(403, "Forbidden", "not with " + encoded));
  const std::string reported = workers_of(refused, KubernetesOptions());
  CHECK_THAT(reported, Contains("not with ***") && !Contains(encoded));

  // In each spelling, and at each position that a message quotes.
  const std::string password = "hunter2-correct-horse-battery";
  const std::string login = "administrator:" + password;
  std::string percent;
  for (const char c : login) percent += fmt::format("%{:02x}", static_cast<int>(c));
  // Each with the position of the password: a name alone may occur in a valid answer.
  const std::vector<std::pair<std::string, std::size_t>> spellings = {
      {login, 14}, {password, 0}, {base64_encode(login), 20}, {base64_encode("Basic " + login), 28}, {percent, 14 * 3}};
  for (const auto& [spelling, begin] : spellings) {
    const std::vector<std::pair<int, std::string>> places = {
        {403, status_json(403, "Forbidden", "denied: " + spelling)},
        {403, status_json(403, spelling, "denied")},
        {400, "<html><title>" + spelling + "</title></html>"},
        {404, spelling},
        {200, R"({"kind":")" + spelling + R"(","items":[]})"},
        {200, R"({"kind":"PodList","items":[{"metadata":{"name":")" + spelling + R"("}}]})"},
        {200, R"({"kind":"PodList","items":[{"metadata":{"name":"a"},"status":{"podIP":")" + spelling + R"("}}]})"},
        {200, spelling},
    };
    for (const auto& [status, body] : places) {
      PersonWorld repeated("username: administrator, password: " + password);
      repeated.transport->answers.clear();
      for (int i = 0; i < 9; ++i) repeated.answer(status, body);
      const std::string message = workers_of(repeated, KubernetesOptions());
      CAPTURE(spelling, status, body, message);
      for (const std::string& text : {password, spelling.substr(status < 300 ? begin : 0)}) {
        for (std::size_t at = 0; at + 12 <= text.size(); ++at) CHECK(message.find(text.substr(at, 12)) == std::string::npos);
      }
    }
  }
  CHECK_THAT(error_as("username: a, password: hush, token: t"),
             Contains("invalid_argument: the user 'u' (/k/config, line 3) has a token, and a username") && !Contains("hush"));
  CHECK_THAT(error_as("username: a, password: hush, tokenFile: /t"), Contains("has a token, and a username") && !Contains("hush"));
  CHECK_THAT(error_as(R"(username: "a\nX-Inj", password: hush)"), Contains("control characters") && !Contains("X-Inj"));
  CHECK_THAT(error_as("username: 'a:b', password: hush"), Contains("a username with a colon in it") && !Contains("hush"));
  CHECK_THAT(error_as(R"(username: a, password: "hush\nX-Inj: 1")"), Contains("control characters") && !Contains("hush"));
  // A password without a name is ignored.
  PersonWorld alone("password: hush");
  CHECK(workers_of(alone, KubernetesOptions()).empty());
  CHECK_FALSE(alone.transport->requests.at(0).headers.get("Authorization"));
}
