#include "net/dns/name_lookup.hpp"

#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ip.hpp"
#include "net/dns/ares_question.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_addresses = 32;  // further addresses are not tried

}  // namespace

std::optional<std::vector<asio::ip::address>> known_addresses(const std::string& host) {
  std::error_code error;
  const asio::ip::address literal = asio::ip::make_address(host, error);
  if (!error) return std::vector<asio::ip::address>{literal};
  if (!is_localhost(host)) return std::nullopt;
  return std::vector<asio::ip::address>{asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
}

class NameLookup::State final : public AresQuestion {
 public:
  State(asio::any_io_executor executor, TimerQueue& timers, std::string host, AsyncEvent& done)
      : AresQuestion(std::move(executor), timers, done), host_(std::move(host)) {}
  ~State() override { close_channel(); }

  Result<std::vector<asio::ip::address>> take_result() {
    if (status() == ARES_SUCCESS && !addresses_.empty()) return std::move(addresses_);
    return failure(host_);
  }

 private:
  void ask(ares_channel channel) override {
    ares_addrinfo_hints hints{};
    hints.ai_family = skips_ipv6() ? AF_INET : AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        channel, host_.c_str(), nullptr, &hints,
        [](void* self, int status, int, ares_addrinfo* found) { static_cast<State*>(self)->on_answer(status, found); }, this);
  }

  void on_answer(int status, ares_addrinfo* found) {
    note_answer(status);
    for (const ares_addrinfo_node* node = found ? found->nodes : nullptr; node && addresses_.size() < max_addresses; node = node->ai_next) {
      asio::ip::address address;
      if (node->ai_family == AF_INET) {
        sockaddr_in from{};
        std::memcpy(&from, node->ai_addr, sizeof from);
        address = asio::ip::address_v4(ntohl(from.sin_addr.s_addr));
      } else if (node->ai_family == AF_INET6) {
        sockaddr_in6 from{};
        std::memcpy(&from, node->ai_addr, sizeof from);
        asio::ip::address_v6::bytes_type bytes;
        std::memcpy(bytes.data(), &from.sin6_addr, bytes.size());
        address = asio::ip::address_v6(bytes, from.sin6_scope_id);
      } else {
        continue;
      }
      if (std::find(addresses_.begin(), addresses_.end(), address) == addresses_.end()) addresses_.push_back(address);
    }
    if (found) ares_freeaddrinfo(found);
  }

  std::string host_;
  std::vector<asio::ip::address> addresses_;
};

NameLookup::NameLookup(asio::any_io_executor executor, TimerQueue& timers, std::string host, const std::vector<std::string>& servers,
                       AsyncEvent& done)
    : state_(std::make_shared<State>(std::move(executor), timers, std::move(host), done)) {
  state_->start(servers);
}

NameLookup::~NameLookup() { state_->abandon(); }
bool NameLookup::is_over() const noexcept { return state_->is_over(); }
bool NameLookup::has_run_out_of_descriptors() const noexcept { return state_->has_run_out_of_descriptors(); }
std::string NameLookup::asked() const { return state_->asked(); }
std::string NameLookup::hint() const { return state_->hint(); }
Result<std::vector<asio::ip::address>> NameLookup::take_result() { return state_->take_result(); }

}  // namespace rollcall
