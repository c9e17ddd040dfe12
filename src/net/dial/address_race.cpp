#include "net/dial/address_race.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {

using asio::ip::tcp;

namespace {

// Before the connection is made, so that the other end hears of it, too.
std::error_code limit_segments(tcp::socket& socket, int max_segment) {
  if (max_segment == 0 || ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &max_segment, sizeof max_segment) == 0) return {};
  return std::error_code(errno, std::system_category());
}

}  // namespace

std::vector<tcp::endpoint> interleave_families(const std::vector<tcp::endpoint>& endpoints) {
  std::vector<tcp::endpoint> first;
  std::vector<tcp::endpoint> second;
  for (const tcp::endpoint& endpoint : endpoints) {
    const bool is_first_family = endpoint.protocol() == endpoints.front().protocol();
    (is_first_family ? first : second).push_back(endpoint);
  }
  std::vector<tcp::endpoint> mixed;
  mixed.reserve(endpoints.size());
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) mixed.push_back(first[i]);
    if (i < second.size()) mixed.push_back(second[i]);
  }
  return mixed;
}

// Shared with the handlers, which may still be queued when the race is over.
class AddressRace::State : public std::enable_shared_from_this<AddressRace::State> {
 public:
  State(asio::any_io_executor executor, TimerQueue& timers, std::vector<tcp::endpoint> endpoints, AsyncEvent& done, int max_segment)
      : executor_(std::move(executor)), timers_(timers), done_(&done), max_segment_(max_segment) {
    attempts_.reserve(endpoints.size());  // never reallocates: handlers refer to attempts by index, sockets stay in place
    for (tcp::endpoint& endpoint : endpoints) attempts_.emplace_back(std::move(endpoint), executor_);
  }

  void start_next() {
    while (started_ < attempts_.size()) {
      const std::size_t index = started_++;
      Attempt& attempt = attempts_[index];
      attempt.error = open_tcp(attempt.endpoint.protocol(), attempt.socket);
      if (!attempt.error) attempt.error = limit_segments(attempt.socket, max_segment_);
      if (attempt.error) continue;
      ++running_;
      attempt.socket.async_connect(attempt.endpoint,
                                   [self = shared_from_this(), index](std::error_code error) { self->on_end(index, error); });
      if (started_ < attempts_.size()) {
        timer_.set(
            timers_, saturating_sum(timers_.now(), connection_attempt_delay),
            [](void* self) noexcept { static_cast<State*>(self)->start_next(); }, this);
      }
      return;
    }
    if (running_ == 0) finish();
  }

  void abandon() noexcept {
    done_ = nullptr;
    is_over_ = true;
    timer_.cancel();
    close_losers();
  }

  bool is_over_ = false;
  std::optional<tcp::socket> winner_;

  std::string errors() const {
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, attempts_.size()); ++i) {
      const Attempt& attempt = attempts_[i];
      const bool is_v6 = attempt.endpoint.address().is_v6();
      text += fmt::format("{}{}{}{}:{}: {}", i == 0 ? "" : "; ", is_v6 ? "[" : "", attempt.endpoint.address().to_string(), is_v6 ? "]" : "",
                          attempt.endpoint.port(), attempt.error ? attempt.error.message() : "no answer");
    }
    if (attempts_.size() > shown) text += fmt::format("; and {} more addresses", attempts_.size() - shown);
    return text;
  }

  bool has_run_out_of_descriptors() const noexcept {
    return std::any_of(attempts_.begin(), attempts_.end(), [](const Attempt& attempt) { return is_out_of_descriptors(attempt.error); });
  }

 private:
  struct Attempt {
    Attempt(tcp::endpoint where, const asio::any_io_executor& executor) : endpoint(std::move(where)), socket(executor) {}
    tcp::endpoint endpoint;
    tcp::socket socket;
    std::error_code error;
  };

  void on_end(std::size_t index, std::error_code error) {
    if (is_over_) return;
    --running_;
    Attempt& attempt = attempts_[index];
    attempt.error = error;
    if (!error) {
      winner_.emplace(std::move(attempt.socket));
      finish();
      return;
    }
    std::error_code ignored;
    attempt.socket.close(ignored);
    timer_.cancel();
    start_next();
  }

  void finish() {
    is_over_ = true;
    timer_.cancel();
    close_losers();
    if (done_) done_->wake();
  }

  void close_losers() noexcept {
    std::error_code ignored;
    for (Attempt& attempt : attempts_) {
      if (attempt.socket.is_open()) attempt.socket.close(ignored);
    }
  }

  asio::any_io_executor executor_;
  TimerQueue& timers_;
  AsyncEvent* done_;
  const int max_segment_;
  Timer timer_;
  std::vector<Attempt> attempts_;
  std::size_t started_ = 0;
  std::size_t running_ = 0;
};

AddressRace::AddressRace(asio::any_io_executor executor, TimerQueue& timers, std::vector<tcp::endpoint> endpoints, AsyncEvent& done,
                         int max_segment)
    : state_(std::make_shared<State>(std::move(executor), timers, std::move(endpoints), done, max_segment)) {
  state_->start_next();
}

AddressRace::~AddressRace() { state_->abandon(); }
bool AddressRace::is_over() const noexcept { return state_->is_over_; }
std::optional<tcp::socket> AddressRace::take_winner() { return std::exchange(state_->winner_, std::nullopt); }
std::string AddressRace::errors() const { return state_->errors(); }
bool AddressRace::has_run_out_of_descriptors() const noexcept { return state_->has_run_out_of_descriptors(); }

}  // namespace rollcall
