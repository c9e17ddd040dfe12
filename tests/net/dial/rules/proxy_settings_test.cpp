// The environment's proxy variables.
#include "rollcall/proxy_settings.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace rollcall;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

class ProxyEnvironment {
 public:
  Variables variables;
  std::string url;
  std::string from;
  std::string exceptions = "";
};

}  // namespace

TEST_CASE("a proxy is taken from the environment: lower case first, https before all, empty is unset") {
  const ProxyEnvironment e = GENERATE(values<ProxyEnvironment>({
      {{}, "", ""},
      {{{"NO_PROXY", "*"}}, "", ""},
      {{{"HTTPS_PROXY", "http://a"}}, "http://a", "HTTPS_PROXY"},
      {{{"https_proxy", "http://a"}}, "http://a", "https_proxy"},
      {{{"https_proxy", "http://a"}, {"HTTPS_PROXY", "http://b"}}, "http://a", "https_proxy"},
      {{{"https_proxy", ""}, {"HTTPS_PROXY", "http://b"}}, "http://b", "HTTPS_PROXY"},
      {{{"ALL_PROXY", "socks5h://a"}}, "socks5h://a", "ALL_PROXY"},
      {{{"all_proxy", "socks5h://a"}, {"ALL_PROXY", "b"}}, "socks5h://a", "all_proxy"},
      {{{"all_proxy", "socks5h://a"}, {"HTTPS_PROXY", "b"}}, "b", "HTTPS_PROXY"},
      {{{"HTTPS_PROXY", "a"}, {"NO_PROXY", "x"}}, "a", "HTTPS_PROXY", "x"},
      {{{"HTTPS_PROXY", "a"}, {"NO_PROXY", "x"}, {"no_proxy", "y"}}, "a", "HTTPS_PROXY", "y"},
      {{{"HTTPS_PROXY", "a"}, {"NO_PROXY", "x"}, {"no_proxy", ""}}, "a", "HTTPS_PROXY", "x"},
      // For plain http, which uses no proxy; and in a CGI program HTTP_PROXY is the value of a client's Proxy header.
      {{{"HTTP_PROXY", "http://evil"}}, "", ""},
      {{{"http_proxy", "http://a"}}, "", ""},
      {{{"HTTP_PROXY", "http://evil"}, {"REQUEST_METHOD", "GET"}}, "", ""},
  }));
  const ProxySettings settings = ProxySettings::from_environment(*fixed_environment(e.variables));
  CHECK(settings.url.reveal() == e.url);
  CHECK(settings.exceptions == e.exceptions);
  if (!e.url.empty()) CHECK(settings.from == e.from);
}

TEST_CASE("a proxy that is given keeps the environment's exceptions, and its name") {
  const auto environment = fixed_environment({{"HTTPS_PROXY", "http://a"}, {"NO_PROXY", "x"}});
  const ProxySettings settings = ProxySettings::given("http://b", "--proxy", *environment);
  CHECK(settings.url.reveal() == "http://b");
  CHECK(settings.exceptions == "x");
  CHECK(settings.from == "--proxy");
}
