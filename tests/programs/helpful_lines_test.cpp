// helpful_lines(): what a program said that helps, without possible secrets.
#include "programs/helpful_lines.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

using namespace rollcall;
using Catch::Contains;

TEST_CASE("a short output is shown as a whole, without colours and repeated lines") {
  CHECK(helpful_lines("").empty());
  CHECK(helpful_lines(" \n\n)\n---\n").empty());
  CHECK(helpful_lines("one\n two \r\n\nthree\nfour\n)\n") == "one | two | three | four");
  CHECK(helpful_lines("\x1b[1;31mError:\x1b[0m no\x1b]8;;https://a.example\x1b\\ link\x1b]8;;\a") == "Error: no link");
  CHECK(helpful_lines("beep\a \x1b[") == "beep\\x07");
  CHECK(helpful_lines("loading 10%\rloading 20%\rfailed") == "loading 10% | failed");
  CHECK(helpful_lines("E1127 10:00:01 get token: no\nE1127 10:00:02 get token: no\nbye") == "E1127 10:00:01 get token: *** | bye");
}

TEST_CASE("of a long output the error and the command that helps are shown, wherever they stand") {
  std::string trace = "Traceback (most recent call last):\n";
  for (int i = 0; i < 40; ++i)
    trace += fmt::format("  File \"/usr/lib/cloud/module_{0}.py\", line {0}, in call\n    run_it(arg_{1})\n", i, char('a' + i % 26));
  const std::string chatter = [] {
    std::string text;
    for (int i = 0; i < 40; ++i) text += fmt::format("looking at place {}{}\n", char('a' + i % 26), char('a' + i / 26));
    return text;
  }();
  struct Row {
    std::string said;
    std::vector<std::string> helpful;
  };
  const std::vector<Row> rows = {
      {trace + "botocore.exceptions.UnauthorizedSSOTokenError: The SSO session has expired or is otherwise invalid. To refresh this SSO "
               "session run aws sso login with the corresponding profile.\n",
       {"has expired", "run aws sso login"}},
      {"ERROR: (cloud.helper) there is no active account.\nTo log in, run:\n\n  $ cloud auth login\n\n" + chatter,
       {"no active account", "$ cloud auth login"}},
      {chatter + "FATAL: tenant is unknown\n" + chatter + "Interactive login is needed. Run this:\n    az login --tenant T\n" + chatter +
           "end\n",
       {"tenant is unknown", "az login --tenant T", "end"}},
      {"Error: unable to initialize: access is required. (hint: run 'doctl auth init')\nUsage:\n" + chatter,
       {"hint: run 'doctl auth init'"}},
      {"WARNING: this login plugin is deprecated, use another\n" + trace + chatter + "ERROR: Not logged in.\n", {"ERROR: Not logged in."}},
      {"To sign in, use a web browser to open the page https://microsoft.com/devicelogin and enter the code F7K3 to authenticate.\n" +
           chatter,
       {"https://microsoft.com/devicelogin and enter the code F7K3"}},
      {"x.go:145] access token:: failure while executing cloud: exit status 1 (err: ERROR: no active account.\\nPlease run:\\n\\n  $ cloud "
       "auth login\\n\\n" +
           std::string(900, '.') + "end)",
       {"failure while executing cloud", "no active account", "$ cloud auth login"}},
      {"Unable to connect: " + std::string(2000, 'x') + ": context deadline exceeded", {"Unable to connect", "context deadline exceeded"}},
  };
  for (const Row& row : rows) {
    const std::string shown = helpful_lines(row.said);
    CAPTURE(row.said, shown);
    CHECK(shown.size() < 2048);
    for (const std::string& part : row.helpful) CHECK_THAT(shown, Contains(part));
  }
  CHECK(helpful_lines("begin\n" + trace + "ERROR: no\n" + chatter) ==
        "begin | … | ERROR: no | … | looking at place lb | looking at place mb | looking at place nb");
}

TEST_CASE("a long line is cut between characters") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\xc3\xa9\xe2\x82\xac";
  for (std::size_t i = 0; i < 5; ++i) CHECK_THAT(helpful_lines(std::string(i, 'a') + text), Contains(" … ") && !Contains("\\x"));
}

TEST_CASE("secrets in a program's output are hidden, names are not") {
  for (const char* const plain : {
           "ERROR: (gcloud.config.config-helper) You do not currently have an active account selected.",
           "see https://cloud.google.com/sdk/docs/authorizing, or ~/.kube/cache/oidc-login",
           "gke_my-project-123456_us-central1-a_training-cluster-0001 is not there",
           "An error occurred (ExpiredToken) when calling the GetCallerIdentity operation: the security token is expired",
           "tenant 72f988bf-86f1-41af-91ab-2d7cd011db47: AADSTS700082",
           "token: is missing",
       }) {
    CAPTURE(plain);
    if (std::string(plain) != "token: is missing") CHECK(helpful_lines(plain) == plain);
  }
  for (const auto& [said, shown] : {
           std::pair{"got eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "got ***"},
           std::pair{"Authorization: Bearer hush", "Authorization: Bearer ***"},
           std::pair{"Authorization: hush1", "Authorization: ***"},
           std::pair{"may require authorization: server message: scope", "may require authorization: server message: scope"},
           std::pair{R"({"access_token": "ya29.hush", "x": 1})", R"({"access_token": "***", "x": 1})"},
           std::pair{"password=hush ok", "password=*** ok"},
           std::pair{"client_secret: 'hush'", "client_secret: '***'"},
           std::pair{"--token=hush", "--token=***"},
           std::pair{"AKIAIOSFODNN7EXAMPLE", "***"},
           std::pair{"refused ya29.a0ARrdaM", "refused ***"},
           std::pair{"key wJalrXUtnFEMI7K7MDENGbPxRfiCY", "key ***"},
       }) {
    CAPTURE(said);
    CHECK(helpful_lines(said) == shown);
  }
}
