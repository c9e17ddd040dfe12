// The steps of an exchange. The waits are in http_exchange_wait.cpp.
#include "net/http/http_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/ip.hpp"
#include "base/wiped_buffer.hpp"
#include "net/codec/request_writer.hpp"
#include "net/http/first_dial.hpp"
#include "net/tls/tls_fault.hpp"

namespace rollcall {

namespace {

constexpr std::size_t slice = 64 * 1024;            // maximum that is inflated in one turn of the loop
constexpr std::size_t reserve_at_most = 1 << 20;    // memory reserved for a body by its Content-Length
constexpr int reads_per_turn = 4;

// A plain http request with data to a URL that names this machine, or a link-local address, must not reach another machine by a name or a
// connect-to rule: its body or a field may contain a secret.
Reach reach_of(const HttpRequest& request) {
  const Url& url = request.url;
  if (url.is_https) return Reach::anywhere;
  if (has_secret_in_clear(request)) return Reach::this_machine;
  if (!may_carry_secret(request)) return Reach::anywhere;
  if (is_loopback(url.host)) return Reach::this_machine;
  return read_ip(url.host) && is_near_host(url.host) ? Reach::near : Reach::anywhere;
}

ConnectionUse use_of(const ExchangeOptions& options, bool is_stream) noexcept {
  if (!is_stream) return ConnectionUse::requests;
  return options.is_watch ? ConnectionUse::watches : ConnectionUse::long_answers;
}

}  // namespace

Exchange::Exchange(std::shared_ptr<HttpCore> core, const HttpRequest& request, const ExchangeOptions& options, bool is_stream)
    : core_(std::move(core)), request_(&request), options_(options),
      via_proxy_(core_->dialer.takes_proxy(request.url, options, request.access.get())), reach_(reach_of(request)),
      is_repeatable_(request.may_be_repeated()), ticket_([](void* self) { static_cast<Exchange*>(self)->resume({}); }, this),
      wait_([](void* self) { static_cast<Exchange*>(self)->resume_later(); }, this, use_of(options, is_stream)),
      pieces_(is_stream ? std::make_unique<Pieces>() : nullptr) {
  core_->exchanges.push_back(*this);
}

Exchange::~Exchange() {
  leave_phase();
  clear_and_wipe(response_.body);  // of an answer that was abandoned
  clear_and_wipe(encoded_);
}

bool Exchange::is_settled() const noexcept {
  if (step_ == Step::finished || step_ == Step::connect) return true;
  if (!pieces_) return false;
  if (wants_piece_) return !piece().empty();
  if (stream_) return stream_->is_head_taken();
  const Http1Connection* const open = lease_.connection();
  return open && open->has_received_any() && open->answer().has_head();
}

void Exchange::next_piece() {
  if (wants_piece_) pieces_->clear();
  wants_piece_ = true;
}

void Exchange::start() {
  if (core_->is_closed) return fail(Failure(Errc::cancelled, "the transport was closed"), Phase::overall);
  const auto checked = check_request(*request_, core_->options.user_agent);
  if (!checked) return fail(checked.error(), Phase::none);
  const SteadyTime now = core_->timers->now();
  if (now >= options_.deadline) return fail(Failure(Errc::deadline_exceeded, "the deadline had passed before the request"), Phase::overall);
  const Url& url = request_->url;
  OriginView origin;
  origin.is_https = url.is_https;
  origin.via_proxy = via_proxy_;
  origin.port = url.port;
  origin.access = core_->dialer.access_number(request_->access);
  origin.max_segment = options_.max_segment;
  origin.host = url.host;
  HostPool& host = core_->pool->at(origin);
  lease_ = core_->pool->try_lease(host, use_of(options_, pieces_ != nullptr), now, patience_with_first_dial(options_, now));
  if (lease_) return use_lease();
  core_->pool->join(host, wait_, now);
  step_ = Step::lease;
  arm(false);
}

void Exchange::use_lease() {
  timer_.cancel();
  if (lease_.connection()) return use_connection(true);
  if (lease_.shared()) return use_stream(true);
  step_ = Step::connect;
}

void Exchange::begin_response(bool is_reused) {
  is_reused_ = is_reused;
  if (options_.observer) {
    if (is_reused) options_.observer->connection_chosen(true);
    options_.observer->phase_started(Phase::response);
    is_phase_open_ = true;
  }
  arm(true);
}

void Exchange::use_connection(bool is_reused) {
  // The only place before the first byte where the address is known, for a new connection and for one from the pool.
  const bool is_in_reach = reach_ == Reach::anywhere || (reach_ == Reach::near ? connection().is_near() : connection().is_loopback);
  if (!is_in_reach) return fail(secret_in_clear(request_->url, "another machine"), Phase::connect);
  begin_response(is_reused);
  connection().begin(response_, options_.max_header_bytes, options_.max_body_bytes);
  std::string& text = core_->request_buffer;
  text.reserve(request_room(*request_, core_->options.user_agent));
  append_request(text, *request_, core_->options.user_agent);
  connection().send(text);  // arm() has read the clock
  clear_and_wipe(text);
  step_ = step_after_write();
}

void Exchange::go_on_writing() {
  if (connection().send_rest()) progress_ = core_->timers->now();
  step_ = step_after_write();
}

Exchange::Step Exchange::step_after_write() { return connection().is_sending() ? Step::write : step_to_answer(); }

// On a busy loop the answer may have arrived by the next turn: an early read costs less than waiting for the socket's event.
Exchange::Step Exchange::step_to_answer() noexcept {
  is_early_ = core_->steps->is_busy() && connection().early_read.should_try();
  return is_early_ ? Step::take : Step::read;
}

// Most answers are small and need no allocation of their own.
std::span<char> Exchange::read_buffer() {
  if (!pieces_) return core_->read_buffer();
  const bool is_long = !inflater_ && !pieces_->own_buffer && pieces_->text.capacity() >= ReadBuffer::size / 4;
  if (is_long) {
    pieces_->own_buffer = std::make_unique_for_overwrite<char[]>(ReadBuffer::size);
    std::string().swap(pieces_->text);
  }
  return has_own_buffer() ? std::span(pieces_->own_buffer.get(), ReadBuffer::size) : core_->read_buffer();
}

void Exchange::read() {
  if (stream_) return take_stream();
  const bool is_early_read = std::exchange(is_early_, false);
  step_ = Step::read;
  for (int i = 0; i < reads_per_turn; ++i) {
    const std::span<char> buffer = read_buffer();
    const bool is_tls = connection().is_tls();
    const IoResult result = connection().read(buffer);
    if (is_early_read && i == 0) connection().early_read.note_result(result.status == IoStatus::done);
    switch (result.status) {
      case IoStatus::done:
        progress_ = core_->timers->now();
        take(std::string_view(buffer.data(), result.bytes));
        if (!has_own_buffer()) wipe(buffer.data(), result.bytes);  // it may have been a token, and the buffer stays
        if (step_ != Step::read) return;
        if (!is_tls) return;  // the socket signals the rest
        if (is_settled()) {
          step_ = Step::turn;  // the TLS layer may hold more, which the socket does not signal
          return;
        }
        break;
      case IoStatus::want_read:
      case IoStatus::want_write: return;
      case IoStatus::closed: return take_end();
      case IoStatus::failed: return on_broken(result.error);
    }
  }
  step_ = Step::turn;
}

void Exchange::take_turn() {
  if (encoded_.empty()) return read();
  inflate();
}

void Exchange::take(std::string_view bytes) {
  const ResponseParser& answer = connection().answer();
  if (!answer.has_head()) {
    bytes = connection().take_head(bytes);
    if (answer.fault()) return fail(*answer.fault(), Phase::response);
    if (!answer.has_head()) return;
    response_.is_from_loopback = connection().is_loopback && !via_proxy_;
    take_head(answer.is_gzip(), answer.content_length());
  }
  connection().take_body(bytes, inflater_ ? encoded_ : body(), has_own_buffer() ? &pieces_->part : nullptr);
  if (answer.fault()) return fail(*answer.fault(), Phase::response);
  if (inflater_) {
    inflater_->put(encoded_);
    return inflate();
  }
  if (answer.is_done()) finish();
}

void Exchange::take_head(bool is_gzip, std::optional<std::uint64_t> content_length) {
  if (pieces_) {  // the caller's arguments are valid only until now
    pieces_->target = request_->url.without_query();
    leave_phase();
    options_.observer = nullptr;
  }
  if (is_gzip) {
    inflater_ = core_->take_inflater();
  } else if (!pieces_ && content_length) {
    response_.body.reserve(
        static_cast<std::size_t>(std::min<std::uint64_t>(*content_length, std::min(options_.max_body_bytes, reserve_at_most))));
  }
}

void Exchange::inflate() {
  std::string& out = body();
  const std::size_t before = out.size();
  const std::size_t left = options_.max_body_bytes - decoded_;
  const Inflater::Status status = inflater_->step(out, left < slice ? left + 1 : slice);
  decoded_ += out.size() - before;
  if (status == Inflater::Status::corrupt)
    return fail(Failure(Errc::malformed_response, "the answer's body is not valid gzip"), Phase::response);
  if (decoded_ > options_.max_body_bytes) {
    return fail(Failure(Errc::limit_exceeded, fmt::format("the answer's body is over {} bytes after decoding", options_.max_body_bytes)),
                Phase::response);
  }
  step_ = Step::turn;
  if (status == Inflater::Status::slice_full) return;
  clear_and_wipe(encoded_);
  if (stream_) {
    step_ = Step::read;
    if (stream_->is_used_up()) finish();
    return;
  }
  if (connection().answer().is_done()) return finish();
  if (!connection().is_tls() || !is_settled()) step_ = Step::read;
}

void Exchange::take_end() {
  connection().take_end();
  const std::optional<Failure>& fault = connection().answer().fault();
  if (!fault) return finish();
  const Failure failure = *fault;
  if (!retry_stale()) fail(failure, Phase::response);
}

void Exchange::on_broken(std::error_code error) {
  if (retry_stale()) return;
  if (const std::optional<Failure> alert = describe_alert(error)) return fail(*alert, Phase::response);
  fail(Failure(Errc::unreachable, fmt::format("the connection broke {}: {}",
                                              connection().has_received_any() ? "inside the answer" : "before an answer", error.message()))
           .with_hint("the server, or a proxy or firewall in between, ended the connection: try again, and look into the server's log"),
       Phase::response);
}

// A kept connection that the server closed meanwhile: retry once, on a new one, and only a request that is repeatable or of which no byte
// was sent: the server may have read the request before it closed. Source: RFC 9110 9.2.2, RFC 9112 9.3.1.
bool Exchange::retry_stale() {
  if (!is_reused_ || was_retried_ || core_->is_closed || connection().has_received_any()) return false;
  if (connection().has_sent_any() && !is_repeatable_) return false;
  was_retried_ = true;
  leave_phase();
  timer_.cancel();
  lease_.close_connection();
  step_ = Step::connect;
  return true;
}

void Exchange::finish() {
  if (inflater_) {
    if (!inflater_->is_whole()) return fail(Failure(Errc::malformed_response, "the answer's gzip body ends too early"), Phase::response);
    core_->keep_inflater(std::move(inflater_));
  }
  timer_.cancel();
  leave_phase();
  step_ = Step::finished;
  if (stream_) {
    stream_.reset();
    return lease_.give_back(true);
  }
  lease_.give_back(connection().is_reusable() && stop_ == Stop::none);  // the observer may have cancelled
}

Failure failure_of_stop(Stop why, Phase phase, bool has_begun, Duration silence) {
  switch (why) {
    case Stop::silence:
      return Failure(Errc::response_timeout, fmt::format("the server {} for {:.2g} s", has_begun ? "stopped answering" : "did not answer",
                                                         std::chrono::duration<double>(silence).count()));
    case Stop::deadline:
      return Failure(Errc::deadline_exceeded, phase == Phase::response ? "the deadline passed before the answer was whole"
                                                                       : "the deadline passed while waiting for a free connection");
    case Stop::closed: return Failure(Errc::cancelled, "the transport was closed");
    case Stop::none:
    case Stop::cancelled: break;
  }
  return Failure(Errc::cancelled, "the request was cancelled");
}

}  // namespace rollcall
