// Fuzz target: answers of a proxy, to CONNECT or SOCKS5 by the first byte, in pieces whose sizes the second one chooses. Stored data is
// limited, no failure shows the password, and a tunnel is opened at most once.
#include <optional>

#include "check.hpp"
#include "net/dial/wire/connect_answer.hpp"
#include "net/dial/wire/socks5.hpp"

namespace {

using namespace rollcall;

void require_no_password(const Failure& failure) { require(failure.message().find("hush-hush") == std::string::npos); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const ProxyUrl proxy = *ProxyUrl::parse("http://me:hush-hush@proxy:3128", "HTTPS_PROXY");
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = data[1] % 64 + std::size_t{1};
  ConnectAnswer answer;
  Socks5 socks(proxy, data[0] % 4 == 1 ? "fd00::1" : "tpu.example.com", 443);
  std::size_t sent = 0;
  while (!text.empty() && !answer.is_whole() && !socks.is_open()) {
    const std::string_view next = text.substr(0, piece);
    text.remove_prefix(next.size());
    if (data[0] % 2 == 0) {
      const Result<void> taken = answer.put(next);
      require_sane(taken);
      if (!taken) return 0;
    } else {
      const Result<Secret<std::string>> said = socks.put(next);
      require_sane(said);
      if (!said) {
        require_no_password(said.error());
        return 0;
      }
      sent += said->reveal().size();
      require(sent < 1024);
    }
  }
  if (!answer.is_whole()) return 0;
  const Result<void> verdict = answer.verdict(proxy, "tpu.example.com:443");
  require_sane(verdict);
  require(verdict.has_value() == (answer.status() / 100 == 2));
  if (!verdict) require_no_password(verdict.error());
  return 0;
}
