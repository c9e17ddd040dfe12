// Proxy URLs: every form, refused texts, and that no failure shows the text.
#include "base/proxy_url.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class ProxyForm {
 public:
  std::string text;
  std::string shown;
  std::string user;
  std::string password;
};

}  // namespace

TEST_CASE("a proxy's URL in each form that programs take") {
  const ProxyForm form = GENERATE(values<ProxyForm>({
      {"http://proxy:3128", "http://proxy:3128", "", ""},
      {"proxy:3128", "http://proxy:3128", "", ""},
      {"proxy", "http://proxy:80", "", ""},
      {"HTTP://PROXY.Example:3128/", "http://proxy.example:3128", "", ""},
      {"https://proxy", "https://proxy:443", "", ""},
      {"https://proxy:80", "https://proxy:80", "", ""},
      {"http://proxy:443", "http://proxy:443", "", ""},
      {"socks5://proxy", "socks5://proxy:1080", "", ""},
      {"socks5h://proxy:80/", "socks5h://proxy:80", "", ""},
      {"socks5://[fd00::1]:443", "socks5://[fd00::1]:443", "", ""},
      {"http://[::1]", "http://[::1]:80", "", ""},
      {"http://user:pass@proxy:1", "http://proxy:1", "user", "pass"},
      {"user:pass@proxy:1", "http://proxy:1", "user", "pass"},
      {"http://user@proxy:1", "http://proxy:1", "user", ""},
      {"http://user:@proxy:1", "http://proxy:1", "user", ""},
      {"http://a%40b:p%3Aq%2F%25@proxy:1", "http://proxy:1", "a@b", "p:q/%"},
      {"http://u:p:q@proxy:1", "http://proxy:1", "u", "p:q"},
      {"http://u:p@q@proxy:1", "http://proxy:1", "u", "p@q"},
      {"socks5://a%3Ab:p@proxy:1", "socks5://proxy:1", "a:b", "p"},
      {"http://proxy:", "http://proxy:80", "", ""},
  }));
  INFO(form.text);
  const ProxyUrl url = value_of(ProxyUrl::parse(form.text, "HTTPS_PROXY"));
  CHECK(url.shown() == form.shown);
  CHECK(url.user == form.user);
  CHECK(url.password.reveal() == form.password);
  CHECK(url.has_credentials() == !form.user.empty());
  CHECK(url.from == "HTTPS_PROXY");
}

TEST_CASE("an invalid proxy URL is refused with its source, never with the text, which may contain a password") {
  const auto [text, part] = GENERATE(table<std::string, std::string>({
      {"", "its host or port is malformed"},
      {"http://", "its host or port is malformed"},
      {"ftp://hush@p:1", "its scheme is not"},
      {"socks4://p:1", "its scheme is not"},
      {"://p", "its scheme is not"},
      {"http://p:hush", "its host or port is malformed"},
      {"http://p:0", "its host or port is malformed"},
      {"http://p:65536", "its host or port is malformed"},
      {"http://user:hu/sh@p:1", "its host or port is malformed"},
      {"http://p:1/hush", "there is more behind its port"},
      {"http://p:1/?hush", "there is more behind its port"},
      {"http://p:1#hush", "there is more behind its port"},
      {"http://fd00::1:3128", "its host or port is malformed"},
      {"http://[fd00::1", "its host or port is malformed"},
      {"http://:hush@p:1", "it has a password without a user"},
      {"http://@p:1", "it has a password without a user"},
      {"http://u%3Ax:hush@p:1", "its user has a colon"},
      {"http://u:hush%4@p:1", "its password has a '%' without"},
      {"http://u%zz:hush@p:1", "its user has a '%' without"},
      {"http://u:hush%0d%0aX@p:1", "its password has a control character"},
      {"http://u%00:hush@p:1", "its user has a control character"},
      {"http://u:" + std::string(256, 'h') + "@p:1", "its password is longer than 255 bytes"},
      {"http://u:hush@p\r\nX: y", "a blank or a control character"},
      {"http://u:hush @p", "a blank or a control character"},
      {"http://p\xc3\xbc:1", "its host or port is malformed"},
  }));
  INFO(text);
  const Result<ProxyUrl> url = ProxyUrl::parse(text, "all_proxy");
  check_failure(url, Errc::invalid_argument, part);
  CHECK_THAT(url.error().message(), Catch::StartsWith("all_proxy names no proxy") && !Catch::Contains("hush") && !Catch::Contains("hhh"));
}
