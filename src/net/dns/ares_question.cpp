#include "net/dns/ares_question.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <utility>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "net/dns/system_resolver.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {
namespace {

using asio::posix::stream_descriptor;

constexpr int first_try_ms = 2000;
constexpr int tries = 3;
constexpr int edns_bytes = 1200;  // glibc's value: answers of this size pass all networks without fragmentation

// `10.0.0.2, 10.0.0.3:5353`: at most three.
std::string servers_of(ares_channel channel) {
  constexpr int usual_port = 53;
  constexpr int max_named = 3;
  ares_addr_port_node* servers = nullptr;
  if (ares_get_servers_ports(channel, &servers) != ARES_SUCCESS) return {};
  std::string text;
  int named = 0;
  for (const ares_addr_port_node* one = servers; one; one = one->next) {
    std::array<char, INET6_ADDRSTRLEN> address{};
    const void* const bytes = one->family == AF_INET ? static_cast<const void*>(&one->addr.addr4) : &one->addr.addr6;
    if (!::inet_ntop(one->family, bytes, address.data(), address.size())) continue;
    if (++named > max_named) {
      text += ", …";
      break;
    }
    const bool has_usual_port = one->udp_port == 0 || one->udp_port == usual_port;
    const std::string_view host = address.data();
    text += text.empty() ? "" : ", ";
    text += has_usual_port           ? std::string(host)
            : one->family == AF_INET ? fmt::format("{}:{}", host, one->udp_port)
                                     : fmt::format("[{}]:{}", host, one->udp_port);
  }
  ares_free_data(servers);
  return text;
}

// Labels have at most 63 bytes. Some versions of c-ares report longer ones as out of memory.
bool has_too_long_label(std::string_view name) {
  constexpr std::size_t max = 63;
  for (;;) {
    const std::size_t dot = name.find('.');
    if (std::min(dot, name.size()) > max) return true;
    if (dot == std::string_view::npos) return false;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

// One descriptor of c-ares. c-ares owns it; it is borrowed here and must be released before c-ares closes it.
class AresQuestion::Watch {
 public:
  Watch(const asio::any_io_executor& executor, int descriptor) : loan(executor) {
    std::error_code ignored;  // without it there are no events and the look-up times out
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

AresQuestion::AresQuestion(asio::any_io_executor executor, TimerQueue& timers, AsyncEvent& done)
    : executor_(std::move(executor)), timers_(timers), done_(&done) {}
AresQuestion::~AresQuestion() { close_channel(); }

void AresQuestion::start(const std::vector<std::string>& servers) {
  if (servers.empty()) options_ = system_resolver_options();
  for (const std::string& server : servers) servers_ += (servers_.empty() ? "" : ",") + server;
  open_channel();
}

void AresQuestion::open_channel() {
  ares_options options{};
  options.timeout = options_.timeout ? static_cast<int>(std::chrono::milliseconds(*options_.timeout).count()) : first_try_ms;
  options.tries = options_.attempts.value_or(tries);
  options.sock_state_cb = [](void* self, ares_socket_t descriptor, int readable, int writable) {
    static_cast<AresQuestion*>(self)->on_descriptor(descriptor, readable != 0, writable != 0);
  };
  options.sock_state_cb_data = this;
  // HOSTALIASES names a file that c-ares would read synchronously: a pipe, or /dev/zero, would block the loop past the deadline.
  options.flags = ARES_FLAG_NOALIASES | (takes_any_answer_ ? ARES_FLAG_NOCHECKRESP : 0) | (options_.uses_tcp ? ARES_FLAG_USEVC : 0) |
                  (options_.uses_edns ? ARES_FLAG_EDNS : 0);
  options.ednspsz = edns_bytes;
  status_ = ares_init_options(&channel_, &options,
                              ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_EDNSPSZ);
  if (status_ != ARES_SUCCESS) {
    channel_ = nullptr;
    return finish();
  }
  // Unless TCP is configured, c-ares uses it for one reason only.
  const auto on_socket = [](ares_socket_t, int type, void* self) {
    auto& question = *static_cast<AresQuestion*>(self);
    if (type == SOCK_STREAM && !question.options_.uses_tcp) question.is_answer_cut_ = true;
    return 0;
  };
  ares_set_socket_configure_callback(channel_, on_socket, this);
  if (!servers_.empty() && ares_set_servers_ports_csv(channel_, servers_.c_str()) != ARES_SUCCESS) {
    are_servers_refused_ = true;
    return finish();
  }
  ask(channel_);
  settle();
}

void AresQuestion::abandon() noexcept {
  done_ = nullptr;
  is_over_ = true;
  close_channel();
}

void AresQuestion::on_descriptor(ares_socket_t descriptor, bool wants_read, bool wants_write) {
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

// Starts missing waits. Not done in the callback above: c-ares uses the descriptor at once after it.
void AresQuestion::watch_all() {
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

void AresQuestion::process(ares_socket_t readable, ares_socket_t writable) {
  if (is_over_) return;
  ares_process_fd(channel_, readable, writable);
  settle();
}

void AresQuestion::settle() {
  if (has_answer_) return judge();
  watch_all();
  timeval max{};
  max.tv_sec = first_try_ms / 1000;
  timeval storage{};
  const timeval* const next = ares_timeout(channel_, &max, &storage);
  const Duration wait = std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec);
  // c-ares reads the machine's clock itself and rounds down: a timer set for "now" would spin.
  const auto ring = [](void* self) noexcept { static_cast<AresQuestion*>(self)->process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); };
  timer_.set(timers_, saturating_sum(timers_.now(), std::max<Duration>(wait, std::chrono::milliseconds(1))), ring, this);
}

void AresQuestion::judge() {
  if (takes_any_answer_ && (status_ == ARES_ENOTFOUND || status_ == ARES_ENODATA)) {
    status_ = ARES_ESERVFAIL;  // of one search domain only; the answers of the other domains are not known
  } else if (status_ == ARES_ECONNREFUSED && !takes_any_answer_ && !are_descriptors_used_up()) {
    // c-ares skips servers that refuse or fail, as it should while there are others; but if none helps it does not report their answers.
    // One more round accepts any answer.
    takes_any_answer_ = true;
    has_answer_ = false;
    close_channel();
    return open_channel();
  }
  finish();
}

void AresQuestion::finish() {
  is_over_ = true;
  // c-ares does not report that it could not open a socket: check it now, before another socket of the process is closed.
  if (status_ != ARES_SUCCESS && channel_) asked_ = servers_of(channel_);
  has_run_out_of_descriptors_ = (status_ == ARES_ECONNREFUSED || status_ == ARES_EFILE) && are_descriptors_used_up();
  close_channel();
  if (done_) std::exchange(done_, nullptr)->wake();
}

void AresQuestion::close_channel() noexcept {
  timer_.cancel();
  if (!channel_) return;
  const int status = status_;
  ares_destroy(std::exchange(channel_, nullptr));  // calls back if there was no answer, and releases all descriptors
  status_ = status;
  watches_.clear();
}

std::string AresQuestion::asked() const { return channel_ ? servers_of(channel_) : asked_; }

std::string AresQuestion::hint() const {
  return advice(is_answer_cut_ || options_.uses_tcp
                    ? tcp_trouble() + ": let TCP to its port through"
                    : std::string("look whether that is right, and whether the name needs a VPN or a proxy"));
}

std::string AresQuestion::advice(std::string_view what) const {
  const std::string asked = this->asked();
  if (asked.empty()) return {};
  std::string text = fmt::format("asked {}, {}: {}", asked, servers_.empty() ? "by /etc/resolv.conf" : "as given", what);
  if (!options_.unfollowed.empty()) text += fmt::format("; its options {} are not followed", fmt::join(options_.unfollowed, ", "));
  return text;
}

std::string AresQuestion::tcp_trouble() const {
  return is_answer_cut_ ? "the name server cut its answer short (truncated: it is too long for UDP), and does not answer by TCP"
                        : "the name server does not answer by TCP, and use-vc in /etc/resolv.conf wants no UDP";
}

Failure AresQuestion::failure(std::string_view name) const {
  if (are_servers_refused_) {
    return Failure(Errc::invalid_argument, fmt::format("the list of name servers {} has the wrong form", quoted(servers_)))
        .with_hint("write each as IP or IP:PORT, IPv6 addresses in brackets");
  }
  Errc code = Errc::unreachable;
  std::string why = ares_strerror(status_);
  switch (status_ == ARES_ENOMEM && has_too_long_label(name) ? ARES_EBADNAME : status_) {
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
      return Failure(code, fmt::format("could not look up {}: this is no valid host name", quoted(name))).with_phase(Phase::resolve);
    case ARES_EBADRESP:  // newer versions of c-ares read the answer themselves
      return Failure(Errc::malformed_response, fmt::format("{}: the name server's answer cannot be read", quoted(name)))
          .with_phase(Phase::resolve)
          .with_hint(hint());
    case ARES_ESERVFAIL: why = "the name server failed (SERVFAIL)"; break;
    case ARES_ENOTIMP: why = "the name server cannot answer such questions (NOTIMP)"; break;
    case ARES_EREFUSED: why = "the name server refuses to answer (REFUSED)"; break;
    case ARES_ETIMEOUT:
      code = Errc::resolve_timeout;
      why = asked_.empty() ? "no name server answered" : fmt::format("no name server answered (asked {})", asked_);
      break;
    default: break;
  }
  const bool is_about_tcp = (is_answer_cut_ || options_.uses_tcp) && (status_ == ARES_ECONNREFUSED || status_ == ARES_ETIMEOUT);
  if (is_about_tcp) why = tcp_trouble();
  return Failure(code, fmt::format("could not look up {}: {}", quoted(name), why))
      .with_phase(Phase::resolve)
      .with_hint(is_about_tcp ? advice("let TCP to its port through") : hint());
}

}  // namespace rollcall
