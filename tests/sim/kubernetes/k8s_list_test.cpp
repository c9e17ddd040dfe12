// Lists of the simulated Kubernetes API: pages, selectors, versions, rights.
#include "sim/kubernetes/k8s_options.hpp"
#include "sim/kubernetes/k8s_support.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

using Names = std::vector<std::string>;

TEST_CASE("k8s: pages follow each other") {
  const auto cloud = kube_cloud(R"({"name": "a-{i}", "count": 5}, {"name": "elsewhere", "namespace": "other"})");
  const Reply first = ask_kube(*cloud, pods_of("?limit=2"));
  CHECK(names_of_items(first) == Names{"a-0", "a-1"});
  const auto metadata = json_of(first).at("metadata");
  CHECK(metadata.at("remainingItemCount") == 3);
  const std::string token(metadata.at("continue").as_string());
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?limit=3&continue=" + token))) == Names{"a-2", "a-3", "a-4"});
  const auto last = json_of(ask_kube(*cloud, pods_of("?limit=3&continue=" + token))).at("metadata").as_object();
  CHECK_FALSE(last.contains("continue"));
  CHECK_FALSE(last.contains("remainingItemCount"));
  CHECK(ask_kube(*cloud, pods_of("?limit=2&resourceVersion=5&continue=" + token)).status == 400);
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?limit=2&resourceVersion=0"))).size() == 5);
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?limit=-1"))).size() == 5);
  // A token with another selector is accepted and gives a wrong answer.
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?labelSelector=x%3Dy&continue=" + token))).empty());
  // For all namespaces the key contains the namespace.
  const Reply all = ask_kube(*cloud, "/api/v1/pods?limit=1", 0, "admin");
  const auto parsed = parse_continue(std::string(json_of(all).at("metadata").at("continue").as_string()));
  REQUIRE(parsed);
  CHECK(parsed->start == std::string("other/elsewhere\0", 16));
}

TEST_CASE("k8s: a page with a selector has no count of the remaining items, and the last may be empty") {
  const auto cloud = kube_cloud(R"({"name": "a-{i}", "count": 2, "labels": {"app": "x"}}, {"name": "b"})");
  const auto metadata = json_of(ask_kube(*cloud, pods_of("?limit=2&labelSelector=app%3Dx"))).at("metadata").as_object();
  CHECK_FALSE(metadata.contains("remainingItemCount"));
  REQUIRE(metadata.contains("continue"));
  const std::string token(metadata.at("continue").as_string());
  const Reply next = ask_kube(*cloud, pods_of("?limit=2&labelSelector=app%3Dx&continue=" + token));
  CHECK(names_of_items(next).empty());
  CHECK_FALSE(json_of(next).at("metadata").as_object().contains("continue"));
}

TEST_CASE("k8s: all pages have the version of the first one") {
  const auto cloud = kube_cloud(R"({"name": "a-{i}", "count": 3}, {"name": "b", "created_at": 5})");
  const std::string token(json_of(ask_kube(*cloud, pods_of("?limit=2"))).at("metadata").at("continue").as_string());
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?continue=" + token), 10)) == Names{"a-2"});
  CHECK(names_of_items(ask_kube(*cloud, pods_of(), 10)) == Names{"a-0", "a-1", "a-2", "b"});
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?resourceVersion=1003&resourceVersionMatch=Exact"), 10)).size() == 3);
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?resourceVersion=1003"), 10)).size() == 4);
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?resourceVersion=1003&limit=9"), 10)).size() == 3);
  // A future version that is reached in time.
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?resourceVersion=1004"), 4)).size() == 4);
  CHECK(ask_kube(*cloud, pods_of("?resourceVersion=1004"), 1).status == 504);
}

TEST_CASE("k8s: label selectors") {
  const auto names = [](const std::string& selector) {
    static const auto cloud =
        kube_cloud(R"({"name": "a", "labels": {"app": "x", "n": "3"}}, {"name": "b", "labels": {"app": "y"}}, {"name": "c"})");
    const Reply reply = ask_kube(*cloud, pods_of("?labelSelector=" + selector));
    INFO(reply.body);
    CHECK(reply.status == 200);
    return names_of_items(reply);
  };
  CHECK(names("app%3Dx") == Names{"a"});
  CHECK(names("app%3D%3Dx") == Names{"a"});
  CHECK(names("app!%3Dx") == Names{"b", "c"});
  CHECK(names("app%20in%20(x,y)") == Names{"a", "b"});
  CHECK(names("app%20notin%20(x)") == Names{"b", "c"});
  CHECK(names("app") == Names{"a", "b"});
  CHECK(names("!app") == Names{"c"});
  CHECK(names("app,!n") == Names{"b"});
  CHECK(names("n%3E2") == Names{"a"});
  CHECK(names("n%3C3").empty());
  CHECK(names("app%3D").empty());
  CHECK(names("").size() == 3);
}

TEST_CASE("k8s: faults of a label selector are reported with the server's text") {
  const auto wrong = [](std::string_view text) {
    const auto parsed = parse_label_selector(text);
    return parsed ? std::string("none") : parsed.error().what();
  };
  CHECK(wrong("a in (b") == "unable to parse requirement: found '', expected: ',' or ')'");
  CHECK(wrong("a in b") == "unable to parse requirement: found 'b' expected: '('");
  CHECK(wrong("a b") == "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  CHECK(wrong("a=b c") == "found 'c', expected: ',' or 'end of string'");
  CHECK(wrong("a,") == "found '', expected: identifier after ','");
  CHECK(wrong("=a") == "found '=', expected: !, identifier, or 'end of string'");
  CHECK(wrong("a>b") ==
        "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer");
  CHECK(wrong("-a").starts_with("unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of"));
  CHECK(wrong("a=b/c").starts_with("unable to parse requirement: values[0][a]: Invalid value: \"b/c\": a valid label must be"));
  CHECK(wrong("a in (,x),in notin (in),!b") == "none");
  CHECK(wrong("a in ()") == "none");
}

TEST_CASE("k8s: field selectors") {
  const auto cloud =
      kube_cloud(R"({"name": "a-{i}", "count": 2, "node": "n-{i}"}, {"name": "b", "phase": "Pending", "waiting": "Unschedulable"})");
  const auto names = [&](const std::string& selector) { return names_of_items(ask_kube(*cloud, pods_of("?fieldSelector=" + selector))); };
  CHECK(names("status.phase%3DRunning") == Names{"a-0", "a-1"});
  CHECK(names("status.phase!%3DRunning") == Names{"b"});
  CHECK(names("spec.nodeName%3Dn-1,metadata.namespace%3D%3Dtrain") == Names{"a-1"});
  CHECK(names("spec.nodeName%3D") == Names{"b"});
  CHECK(names("spec.hostNetwork%3Dfalse").size() == 3);
  CHECK(names("metadata.name%3Db") == Names{"b"});
  CHECK(ask_kube(*cloud, pods_of("?fieldSelector=status.phase%20in%20(Running)")).status == 400);
}

TEST_CASE("k8s: faults of a field selector are reported with the server's text, for the first term in text order") {
  const auto wrong = [](std::string_view text) {
    const auto parsed = parse_field_selector(text);
    return parsed ? std::string("none") : parsed.error().what();
  };
  CHECK(wrong("a=b=c") == "invalid field selector: unescaped character in value: 61");
  CHECK(wrong("a==b==c") == "invalid field selector: unescaped character in value: 61");
  CHECK(wrong("x=y\\f") == "invalid field selector: invalid escape sequence: \\f");
  CHECK(wrong("x=y\\é") == "invalid field selector: invalid escape sequence: \\é");
  CHECK(wrong("x=y\\") == "invalid field selector: invalid escape sequence: \\");
  CHECK(wrong("status.podIPRunning,\\spec.nodeName") ==
        "invalid selector: 'status.podIPRunning,\\spec.nodeName'; can't understand '\\spec.nodeName'");
  CHECK(wrong("z=1\\q,a=x=y") == "invalid field selector: unescaped character in value: 61");
  CHECK(wrong("a=b\\,c,b\\,c=d,b=!c,") == "none");
  const auto cloud = kube_cloud(R"({"name": "a"})");
  CHECK(json_of(ask_kube(*cloud, pods_of("?fieldSelector=z%3D1,b%3D1"))).at("message") == "field label not supported: b");
}

TEST_CASE("k8s: faults of a continue token are reported with the server's text") {
  const auto wrong = [](std::string_view token) {
    const auto parsed = parse_continue(token);
    return parsed ? std::string("none") : parsed.error().what();
  };
  const std::string start = "invalid continue token: continue key is not valid: ";
  CHECK(wrong("x") == start + "illegal base64 data at input byte 0");
  CHECK(wrong("bm90x") == start + "illegal base64 data at input byte 4");
  CHECK(wrong("e30=") == start + "illegal base64 data at input byte 3");
  CHECK(wrong("bm9$") == start + "illegal base64 data at input byte 3");
  CHECK(wrong("e30") == start + "server cannot recognize this encoded version \"\"");
  CHECK(wrong("bm90") == start + "invalid character 'o' in literal null (expecting 'u')");
}

TEST_CASE("k8s: a flag is false when absent, 0 or false in any case, as in Python's str(False)") {
  const auto cloud = kube_cloud(R"({"name": "a"})");
  for (const std::string no : {"False", "FALSE", "false", "0"}) {
    CAPTURE(no);
    const Reply list = ask_kube(*cloud, pods_of("?watch=" + no), 0, "lister");
    REQUIRE(list.status == 200);
    CHECK_FALSE(list.more.has_value());
    CHECK(names_of_items(list) == Names{"a"});
    CHECK_THAT(ask_kube(*cloud, pods_of("?resourceVersionMatch=Exact&watch=" + no)).body,
               Catch::Contains("resourceVersionMatch is forbidden unless resourceVersion is provided"));
    CHECK_THAT(ask_kube(*cloud, pods_of("?sendInitialEvents=true&watch=" + no)).body, Catch::Contains("forbidden for list"));
  }
  CHECK(cloud->counts().at("pods.list") == 12);
  for (const char* const yes : {"?watch", "?watch=", "?watch=maybe", "?watch=True"}) {
    CAPTURE(yes);
    CHECK(ask_kube(*cloud, pods_of(yes)).more.has_value());
  }
}

TEST_CASE("k8s: a client's texts are quoted as in Go, and never break the JSON") {
  CHECK(go_quoted("é😀'`") == "\"é😀'`\"");
  CHECK(go_quoted("\xff\xe2\x80") == R"("\xff\xe2\x80")");
  CHECK(go_quoted("\a\b\f\v\x01\x7f") == R"("\a\b\f\v\x01\x7f")");
  CHECK(go_quoted("\u2028\u00a0\u200b\U000e0001\u3000\ue000") == R"("\u2028\u00a0\u200b\U000e0001\u3000\ue000")");
  const auto cloud = kube_cloud(R"({"name": "a"})");
  const Reply limit = ask_kube(*cloud, pods_of("?limit=%ff"));
  CHECK(json_of(limit).at("message") == R"(strconv.ParseInt: parsing "\xff": invalid syntax)");
  const Reply unknown = ask_kube(*cloud, pods_of("?fieldSelector=%ff%3Db"));
  CHECK_THAT(unknown.body, Catch::Contains(R"(not supported: \ufffd")"));
  const Reply absent = ask_kube(*cloud, pods_of("/%ff%E2%80%A8"));
  CHECK(json_of(absent).at("message") == R"(pods "\xff\u2028" not found)");
  CHECK_THAT(absent.body, Catch::Contains(R"("name":"\ufffd\u2028")"));
  Request pretty = kube_request(pods_of("/%ff"));
  pretty.headers.add("User-Agent", "curl/8");
  CHECK(json_of(ask_kube_request(*cloud, pretty)).at("code") == 404);
}

TEST_CASE("k8s: malformed pairs of the query are dropped, as in Go") {
  const auto cloud = kube_cloud(R"({"name": "a"})");
  for (const char* const query : {"?labelSelector=%zz", "?labelSelector=a;b", "?labelSelector=b%", "?fieldSelector=%4", "?limit=;",
                                  "?watch=%", "?wat;ch=1&limit=%2"}) {
    CAPTURE(query);
    const Reply reply = ask_kube(*cloud, pods_of(query), 0, "lister");
    REQUIRE(reply.status == 200);
    CHECK(names_of_items(reply) == Names{"a"});
  }
}

TEST_CASE("k8s: the rights of callers") {
  const auto cloud = kube_cloud(R"({"name": "a"})");
  CHECK(ask_kube(*cloud, pods_of()).status == 200);
  CHECK(ask_kube(*cloud, pods_of("", "other")).status == 403);
  CHECK(ask_kube(*cloud, pods_of("?watch=1"), 0, "lister").status == 403);
  CHECK(ask_kube(*cloud, "/api/v1/pods", 0, "admin").status == 200);
  CHECK(ask_kube(*cloud, "/version", 0, "").status == 200);
  CHECK(ask_kube(*cloud, "/api", 0, "").status == 403);
  for (const char* const path : {"/api", "/api/", "/apis", "/api/v1", "/api/v1/"}) CHECK(ask_kube(*cloud, path).status == 200);
  CHECK(json_of(ask_kube(*cloud, "/api/v1/")).at("resources").as_array().size() == 6);
  const auto open = cloud_of(R"({"kubernetes": {"pods": [{"name": "a"}]}})");
  CHECK(ask_kube(*open, "/api/v1/pods", 0, "any").status == 200);
  CHECK(ask_kube(*open, "/api/v1/pods", 0, "").status == 403);
  const auto closed = cloud_of(R"({"kubernetes": {"anonymous": false}})");
  CHECK(ask_kube(*closed, "/api/v1/pods", 0, "").status == 401);
  CHECK(ask_kube(*cloud_of("{}"), "/api/v1/pods").status == 404);  // no cluster: Google's page
  CHECK(ask_kube(*cloud, "/api/v1/namespaces", 0, "admin").body.find("\"empty\"") != std::string::npos);
}

TEST_CASE("k8s: faults and counts") {
  const auto cloud = kube_cloud(R"({"name": "a-{i}", "count": 3})", "", R"("faults": [
    {"match": {"route": "pods.list", "query": {"continue": "*"}}, "status": 410, "times": 1},
    {"match": {"route": "pods.get"}, "status": 429, "times": 1},
    {"match": {"route": "pods.get"}, "status": 503, "retry_delay": "2s", "times": 1},
    {"match": {"route": "pods.get"}, "fault": "expired_token", "times": 1}])");
  const std::string token(json_of(ask_kube(*cloud, pods_of("?limit=1"))).at("metadata").at("continue").as_string());
  const Reply gone = ask_kube(*cloud, pods_of("?continue=" + token));
  CHECK(gone.status == 410);
  const std::string again(json_of(gone).at("metadata").at("continue").as_string());
  CHECK(names_of_items(ask_kube(*cloud, pods_of("?continue=" + again))) == Names{"a-1", "a-2"});
  const Reply busy = ask_kube(*cloud, pods_of("/a-0"));
  CHECK(busy.status == 429);
  CHECK(busy.body == Captured("429-in-flight-limit").body);
  CHECK(header(busy, "Retry-After") == "1");
  const Reply down = ask_kube(*cloud, pods_of("/a-0"));
  CHECK(json_of(down).at("details").at("retryAfterSeconds") == 2);
  CHECK(ask_kube(*cloud, pods_of("/a-0")).status == 401);
  CHECK(ask_kube(*cloud, pods_of("/a-0")).status == 401);
  CHECK(cloud->counts().at("pods.list") == 3);
  CHECK(cloud->counts().at("pods.get") == 4);
}

}  // namespace rollcall::sim
