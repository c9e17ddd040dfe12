#include "net/name_lookup.hpp"

#include <ares.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <asio/posix/stream_descriptor.hpp>
#include <cstring>
#include <map>
#include <utility>

#include "core/text.hpp"

namespace rollcall {
namespace {

using asio::posix::stream_descriptor;

constexpr std::size_t max_addresses = 32;  // more are not tried
constexpr int first_try_ms = 2000;
constexpr int tries = 3;

// One descriptor of c-ares. It belongs to c-ares; ours is a loan that must be given back before c-ares closes it.
class Watch {
 public:
  Watch(const asio::any_io_executor& executor, int descriptor) : loan(executor) {
    std::error_code ignored;  // without a loan nothing is heard and the look-up times out
    loan.assign(descriptor, ignored);
  }
  ~Watch() { release(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void release() noexcept {
    if (loan.is_open()) loan.release();
  }
  stream_descriptor loan;
  bool wants_read = false;
  bool wants_write = false;
  bool is_reading = false;
  bool is_writing = false;
};

}  // namespace

std::optional<std::vector<asio::ip::address>> known_addresses(const std::string& host) {
  std::error_code error;
  const asio::ip::address literal = asio::ip::make_address(host, error);
  if (!error) return std::vector<asio::ip::address>{literal};
  std::string_view name = host;
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view local = "localhost";
  if (name.size() < local.size()) return std::nullopt;
  const std::size_t before = name.size() - local.size();
  if (!equals_ignoring_case(name.substr(before), local) || (before > 0 && name[before - 1] != '.')) return std::nullopt;
  return std::vector<asio::ip::address>{asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
}

// Shared with the handlers of its descriptors. c-ares may call back from within any of its functions; the callbacks only take
// notes, and every entry into c-ares ends in settle(), which acts on them.
class NameLookup::State : public std::enable_shared_from_this<NameLookup::State> {
 public:
  State(asio::any_io_executor executor, TimerQueue& timers, std::string host, Waiter& done)
      : executor_(std::move(executor)), timers_(timers), host_(std::move(host)), done_(&done) {}
  ~State() { close_channel(); }

  void start(const std::vector<std::string>& servers) {
    ares_options options{};
    options.timeout = first_try_ms;
    options.tries = tries;
    options.sock_state_cb = [](void* self, ares_socket_t descriptor, int readable, int writable) {
      static_cast<State*>(self)->on_descriptor(descriptor, readable != 0, writable != 0);
    };
    options.sock_state_cb_data = this;
    status_ = ares_init_options(&channel_, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    if (status_ != ARES_SUCCESS) {
      channel_ = nullptr;
      return finish();
    }
    if (!servers.empty()) {
      std::string list;
      for (const std::string& server : servers) list += (list.empty() ? "" : ",") + server;
      if (ares_set_servers_ports_csv(channel_, list.c_str()) != ARES_SUCCESS) {
        refused_servers_ = list;
        return finish();
      }
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        channel_, host_.c_str(), nullptr, &hints,
        [](void* self, int status, int, ares_addrinfo* found) { static_cast<State*>(self)->on_answer(status, found); }, this);
    settle();
  }

  void abandon() noexcept {
    done_ = nullptr;
    is_over_ = true;
    close_channel();
  }

  bool is_over() const noexcept { return is_over_; }
  Result<std::vector<asio::ip::address>> take_result();

 private:
  void on_answer(int status, ares_addrinfo* found) {
    status_ = status;
    has_answer_ = true;
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

  void on_descriptor(ares_socket_t descriptor, bool wants_read, bool wants_write) {
    if (!wants_read && !wants_write) {
      const auto known = watches_.find(descriptor);
      if (known == watches_.end()) return;
      known->second->release();
      watches_.erase(known);
      return;
    }
    std::shared_ptr<Watch>& watch = watches_[descriptor];
    if (!watch) watch = std::make_shared<Watch>(executor_, descriptor);
    watch->wants_read = wants_read;
    watch->wants_write = wants_write;
  }

  // Starts the waits that are missing. Not done in the callback above: c-ares uses the descriptor at once after it.
  void watch_all() {
    for (const auto& entry : watches_) {
      const std::shared_ptr<Watch>& watch = entry.second;
      if (watch->wants_read && !std::exchange(watch->is_reading, true)) {
        watch->loan.async_wait(stream_descriptor::wait_read, [self = shared_from_this(), kept = watch](std::error_code error) {
          kept->is_reading = false;
          if (!error && kept->loan.is_open()) self->process(kept->loan.native_handle(), ARES_SOCKET_BAD);
        });
      }
      if (watch->wants_write && !std::exchange(watch->is_writing, true)) {
        watch->loan.async_wait(stream_descriptor::wait_write, [self = shared_from_this(), kept = watch](std::error_code error) {
          kept->is_writing = false;
          if (!error && kept->loan.is_open()) self->process(ARES_SOCKET_BAD, kept->loan.native_handle());
        });
      }
    }
  }

  void process(ares_socket_t readable, ares_socket_t writable) {
    if (is_over_) return;
    ares_process_fd(channel_, readable, writable);
    settle();
  }

  void settle() {
    if (has_answer_) return finish();
    watch_all();
    timeval longest{};
    longest.tv_sec = first_try_ms / 1000;
    timeval storage{};
    const timeval* const next = ares_timeout(channel_, &longest, &storage);
    const Duration wait = std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec);
    // c-ares reads the machine's clock itself and rounds down: a timer set for "now" would spin.
    const auto ring = [](void* self) noexcept { static_cast<State*>(self)->process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); };
    timer_.set(timers_, timers_.now() + std::max<Duration>(wait, std::chrono::milliseconds(1)), ring, this);
  }

  void finish() {
    is_over_ = true;
    close_channel();
    if (done_) std::exchange(done_, nullptr)->wake();
  }

  void close_channel() noexcept {
    timer_.cancel();
    if (!channel_) return;
    const int status = status_;
    ares_destroy(std::exchange(channel_, nullptr));  // calls on_answer() if there was none, and gives all descriptors back
    status_ = status;
    watches_.clear();
  }

  asio::any_io_executor executor_;
  TimerQueue& timers_;
  std::string host_;
  Waiter* done_;
  Timer timer_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::shared_ptr<Watch>> watches_;
  std::vector<asio::ip::address> addresses_;
  std::string refused_servers_;
  int status_ = ARES_SUCCESS;
  bool has_answer_ = false;
  bool is_over_ = false;
};

Result<std::vector<asio::ip::address>> NameLookup::State::take_result() {
  if (!refused_servers_.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("the list of name servers {} has the wrong form", quoted(refused_servers_)))
        .with_hint("write each as IP or IP:PORT, IPv6 addresses in brackets");
  }
  if (status_ == ARES_SUCCESS && !addresses_.empty()) return std::move(addresses_);
  Errc code = Errc::unreachable;
  std::string why = ares_strerror(status_);
  switch (status_) {
    case ARES_SUCCESS:
    case ARES_ENODATA:
      code = Errc::unknown_host;
      why = "the name has no address";
      break;
    case ARES_ENOTFOUND:
    case ARES_ENONAME:
      code = Errc::unknown_host;
      why = "there is no such name";
      break;
    case ARES_EBADNAME:
    case ARES_EBADQUERY:
      code = Errc::unknown_host;
      why = "this is no valid host name";
      break;
    case ARES_ETIMEOUT:
      code = Errc::resolve_timeout;
      why = "no name server answered";
      break;
    default: break;
  }
  return Failure(code, fmt::format("could not look up {}: {}", quoted(host_), why)).with_phase(Phase::resolve);
}

NameLookup::NameLookup(asio::any_io_executor executor, TimerQueue& timers, std::string host, const std::vector<std::string>& servers,
                       Waiter& done)
    : state_(std::make_shared<State>(std::move(executor), timers, std::move(host), done)) {
  state_->start(servers);
}

NameLookup::~NameLookup() { state_->abandon(); }
bool NameLookup::is_over() const noexcept { return state_->is_over(); }
Result<std::vector<asio::ip::address>> NameLookup::take_result() { return state_->take_result(); }

}  // namespace rollcall
