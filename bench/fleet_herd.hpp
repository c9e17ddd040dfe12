// Many clients of a service in one process, by epoll, plain or with TLS. Received events are timed, not kept.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"

namespace bench {

[[noreturn]] inline void die(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

class HerdMember {
 public:
  int socket = -1;
  SSL* tls = nullptr;
  bool is_shaking = false;  // handshakes, for TLS: the request is sent after it
  std::string request;
  std::string text;        // received, but not parsed yet
  std::size_t missing = 0;  // of a body
  std::string body;        // what has come of it, for Herd::converse()
  double first = 0;        // when the first event, or the whole answer, was received
  double wanted = 0;       // when the awaited event was received
  double retry = 1;        // seconds, from the service: it reconnects after a random part of them
  double back_at = 0;      // when to connect again; 0: it is connected
  int times = 0;           // it was connected, or tried to connect
};

class Herd {
 public:
  enum class Reads { events, bodies };

  Herd(int size, std::uint16_t port, bool is_tls, Reads reads = Reads::events)
      : members_(static_cast<std::size_t>(size)), port_(port), reads_(reads),
        context_(is_tls ? SSL_CTX_new(TLS_client_method()) : nullptr) {
    if (context_) SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  }
  ~Herd() {
    for (HerdMember& one : members_) drop(one);
    if (context_) SSL_CTX_free(context_);
    ::close(epoll_);
  }
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;

  /// Connects the clients from `begin` up to `end`, and each sends this.
  void connect(const std::string& request, std::size_t begin, std::size_t end, int receive_buffer = 0) {
    for (std::size_t i = begin; i < end; ++i) {
      members_[i].request = request;
      connect(members_[i], i, receive_buffer);
      if (context_ && i % 64 == 63) read_some(0);  // handshakes overlap with the next connections, on both sides
    }
  }
  void connect(const std::string& request) { connect(request, 0, members_.size()); }
  /// From now on the clients from `begin` on do not read any more.
  void stop_reading(std::size_t begin) {
    for (std::size_t i = begin; i < members_.size(); ++i) epoll_ctl(epoll_, EPOLL_CTL_DEL, members_[i].socket, nullptr);
    readers_ = begin;
  }
  void send_all(const std::string& request) {
    for (HerdMember& one : members_) send(one, request);
  }
  /// From now on a client that has a whole body sends what this returns, unless that is empty; its `wanted` may be set.
  void converse(std::function<std::string(std::size_t i, HerdMember& one, double now)> reply) { reply_ = std::move(reply); }
  /// Sets the type of the event that run() waits for; earlier events do not count.
  void await_event(std::string type) {
    wanted_ = std::move(type);
    for (HerdMember& one : members_) one.first = one.wanted = 0;
  }
  /// Clients that are sent away reconnect from now on.
  void comes_back() { comes_back_ = true; }

  /// Reads until all readers have the awaited event.
  void run(double HerdMember::* until, double patience) {
    const double end = wall_seconds() + patience;
    while (done(until) < readers_) {
      if (wall_seconds() > end) die(fmt::format("{} of {} have the event", done(until), readers_));
      read_some();
    }
  }
  /// Reads for that long.
  void run_for(double seconds) {
    for (const double end = wall_seconds() + seconds; wall_seconds() < end;) read_some();
  }
  std::vector<double> times(double HerdMember::* what) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < readers_; ++i) all.push_back(members_[i].*what);
    std::sort(all.begin(), all.end());
    return all;
  }
  /// The delay of each reader after the first one, over all events that nine tenths of them got; sorted.
  std::vector<double> delays() const {
    std::vector<double> all;
    for (const auto& [id, times] : sent_) {
      if (times.size() < readers_ * 9 / 10) continue;
      const double first = *std::min_element(times.begin(), times.end());
      for (const double at : times) all.push_back(at - first);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::size_t events() const noexcept { return events_; }
  /// The lines of one answer that begin with this, joined.
  std::string fetch(const std::string& request, const std::string& begin) {
    keeps_ = true;
    connect(request);
    run(&HerdMember::first, 20);
    std::string found;
    for (std::size_t at = 0; (at = body_.find("\n" + begin, at)) != std::string::npos;) {
      const std::size_t end = body_.find('\n', ++at);
      found += (found.empty() ? "" : " · ") + body_.substr(at + begin.size(), end - at - begin.size());
    }
    return found;
  }

 private:
  void connect(HerdMember& one, std::size_t i, int receive_buffer) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    one.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // A new address each time: a port that the server remembers as just closed takes a second, for which all others would wait.
    sockaddr_in from = to;
    from.sin_port = 0;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (static_cast<std::uint32_t>(++one.times) << 8U) + static_cast<std::uint32_t>(i % 250));
    const int yes = 1;
    setsockopt(one.socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (::bind(one.socket, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) die(fmt::format("binding connection {}", i));
    if (receive_buffer) setsockopt(one.socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (one.socket < 0 || ::connect(one.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      if (!comes_back_) die(fmt::format("connection {}: {}", i, std::strerror(errno)));
      return come_back(one);
    }
    one.back_at = 0;
    if (!context_) send(one, one.request);
    fcntl(one.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, one.socket, &event);
    if (!context_) return;
    one.tls = SSL_new(context_);
    if (SSL_set_fd(one.tls, one.socket) != 1) die("no memory for TLS");
    SSL_set_connect_state(one.tls);
    one.is_shaking = true;
    shake(one);
  }
  void shake(HerdMember& one) {
    const int done = SSL_do_handshake(one.tls);
    if (done == 1) {
      one.is_shaking = false;
      send(one, one.request);
    } else if (SSL_get_error(one.tls, done) != SSL_ERROR_WANT_READ) {
      if (!comes_back_) die(fmt::format("the handshake of connection {}", &one - members_.data()));
      come_back(one);
    }
  }
  static void send(HerdMember& one, const std::string& request) {
    const auto size = static_cast<int>(request.size());
    if (one.tls ? SSL_write(one.tls, request.data(), size) != size
                : ::send(one.socket, request.data(), request.size(), MSG_NOSIGNAL) != size)
      die("send");
  }
  static void drop(HerdMember& one) {
    if (one.tls) SSL_free(one.tls);
    if (one.socket >= 0) ::close(one.socket);
    one.tls = nullptr;
    one.is_shaking = false;
    one.socket = -1;
  }
  void come_back(HerdMember& one) {
    drop(one);
    one.text.clear();
    one.back_at = wall_seconds() + one.retry * static_cast<double>(std::rand()) / RAND_MAX;
    are_away_ = true;
  }

  void read_some() { read_some(are_away_ ? 2 : 100); }
  void read_some(int patience_ms) {
    epoll_event events[256];
    const int count = epoll_wait(epoll_, events, 256, patience_ms);
    const double now = wall_seconds();
    for (int i = 0; i < count; ++i) take(members_[events[i].data.u64], now);
    if (!are_away_) return;
    are_away_ = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      HerdMember& one = members_[i];
      if (one.back_at != 0 && one.back_at <= now) connect(one, i, 0);
      are_away_ |= one.back_at != 0;
    }
  }
  // Bytes; 0: the end; -1: nothing now.
  static long receive(HerdMember& one, char* to, std::size_t size) {
    if (!one.tls) {
      const ssize_t count = recv(one.socket, to, size, 0);
      return count < 0 && errno != EAGAIN ? 0 : count;
    }
    const int count = SSL_read(one.tls, to, static_cast<int>(size));
    if (count > 0) return count;
    return SSL_get_error(one.tls, count) == SSL_ERROR_WANT_READ ? -1 : 0;
  }
  void take(HerdMember& one, double now) {
    if (one.is_shaking) shake(one);
    if (one.is_shaking || one.socket < 0) return;
    char piece[16384];
    for (;;) {
      const long size = receive(one, piece, sizeof piece);
      if (size < 0) break;
      if (size == 0) {
        if (!comes_back_) die("the service closed a connection: " + one.text.substr(0, 300));
        return come_back(one);
      }
      one.text.append(piece, static_cast<std::size_t>(size));
    }
    reads_ == Reads::events ? take_events(one, now) : take_body(one, now);
  }
  void take_events(HerdMember& one, double now) {
    std::size_t from = 0;
    for (std::size_t end = 0; (end = one.text.find("\n\n", from)) != std::string::npos; from = end + 2)
      note(one, std::string_view(one.text).substr(from, end - from), now);
    one.text.erase(0, from);
  }
  void note(HerdMember& one, std::string_view event, double now) {
    const std::string_view type = value(event, "event: ");
    const std::string_view retry = value(event, "retry: ");
    if (!retry.empty()) one.retry = std::strtod(std::string(retry).c_str(), nullptr) / 1000;
    if (type.empty()) return;
    if (one.first == 0) one.first = now;
    if (one.wanted == 0 && type == wanted_) one.wanted = now;
    if (type == "beat") return;
    ++events_;
    const bool is_reader = &one < members_.data() + readers_;
    if (is_reader) sent_[std::string(value(event, "id: "))].push_back(now);
  }
  static std::string_view value(std::string_view event, std::string_view key) {
    const std::size_t at = event.find(key);
    if (at == std::string_view::npos) return {};
    return event.substr(at + key.size(), event.find('\n', at) - at - key.size());
  }
  void take_body(HerdMember& one, double now) {
    if (one.missing == 0) {
      const std::size_t head = one.text.find("\r\n\r\n");
      const std::size_t length = one.text.find("Content-Length: ");
      if (head == std::string::npos) return;
      if (one.text.compare(9, 3, "200") != 0 || length > head) die("an answer: " + one.text.substr(0, 300));
      one.missing = std::strtoul(one.text.c_str() + length + 16, nullptr, 10);
      one.text.erase(0, head + 4);
    }
    if (keeps_) body_ += one.text;
    if (reply_) one.body += one.text;
    one.missing -= std::min(one.missing, one.text.size());
    one.text.clear();
    if (one.missing > 0) return;
    one.first = now;
    if (!reply_) return;
    const std::string next = reply_(static_cast<std::size_t>(&one - members_.data()), one, now);
    one.body.clear();
    if (!next.empty()) send(one, next);
  }
  std::size_t done(double HerdMember::* what) const {
    return static_cast<std::size_t>(std::count_if(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(readers_),
                                                  [what](const HerdMember& one) { return one.*what > 0; }));
  }

  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::vector<HerdMember> members_;
  std::size_t readers_ = members_.size();
  std::uint16_t port_;
  Reads reads_;
  SSL_CTX* context_;
  std::string wanted_;
  bool comes_back_ = false;
  bool are_away_ = false;
  bool keeps_ = false;
  std::string body_;
  std::function<std::string(std::size_t, HerdMember&, double)> reply_;
  std::size_t events_ = 0;
  std::map<std::string, std::vector<double>> sent_;  // when, by the event's id
};

}  // namespace bench
