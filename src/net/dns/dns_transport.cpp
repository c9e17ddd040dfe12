#include "net/dns/dns_transport.hpp"

#include <arpa/nameser.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "net/dns/ares_question.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {
namespace {

class RecordQuestion final : public AresQuestion {
 public:
  RecordQuestion(asio::any_io_executor executor, TimerQueue& timers, std::string name, DnsType type, AsyncEvent& done)
      : AresQuestion(std::move(executor), timers, done), name_(std::move(name)), type_(type) {}
  ~RecordQuestion() override { close_channel(); }

  Result<std::vector<DnsEntry>> take_result(std::size_t max_records) const {
    if (status() == ARES_ENODATA) return std::vector<DnsEntry>();
    if (status() != ARES_SUCCESS || answer_.empty()) return failure(name_);
    Result<std::vector<DnsEntry>> entries = parse_dns_answer(answer_, type_, max_records);
    if (entries) return entries;
    Failure why = entries.error();
    why.with_what(fmt::format("{}: {}", quoted(name_), why.what()));
    return why;
  }

 private:
  void ask(ares_channel channel) override {
    if (type_ == DnsType::aaaa && skips_ipv6()) return note_answer(ARES_ENODATA);
    const int type = type_ == DnsType::a ? ns_t_a : type_ == DnsType::aaaa ? ns_t_aaaa : ns_t_srv;
    const auto on_answer = [](void* self, int status, int, unsigned char* bytes, int size) {
      auto& question = *static_cast<RecordQuestion*>(self);
      if (bytes && size > 0) question.answer_.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
      question.note_answer(status);
    };
    ares_search(channel, name_.c_str(), ns_c_in, type, on_answer, this);
  }

  std::string name_;
  DnsType type_;
  std::string answer_;
};

class AresTransport final : public DnsTransport {
 public:
  AresTransport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, std::vector<std::string> servers)
      : executor_(std::move(executor)), timers_(std::move(timers)), servers_(std::move(servers)) {}

  asio::awaitable<Result<std::vector<DnsEntry>>> query(std::string name, DnsType type, std::size_t max_records) override {
    const Failure cancelled = Failure(Errc::cancelled, "the look-up was cancelled").with_phase(Phase::resolve);
    for (;;) {
      AsyncEvent done;
      const auto question = std::make_shared<RecordQuestion>(executor_, *timers_, name, type, done);
      const Ender ender(*question);
      question->start(servers_);
      if (!question->is_over()) {
        const bool is_woken = co_await done.wait();
        if (!is_woken) co_return cancelled;
      }
      if (!question->has_run_out_of_descriptors()) co_return question->take_result(max_records);
      const bool goes_on = co_await await_descriptor(*timers_, SteadyTime::max());
      if (!goes_on) co_return Failure(cancelled).with_hint(out_of_descriptors_hint);
    }
  }

 private:
  // Handlers of its descriptors may keep the query a little longer than the coroutine lives.
  class Ender {
   public:
    explicit Ender(RecordQuestion& question) : request_options_(question) {}
    ~Ender() { request_options_.abandon(); }
    Ender(const Ender&) = delete;
    Ender& operator=(const Ender&) = delete;

   private:
    RecordQuestion& request_options_;
  };

  asio::any_io_executor executor_;
  std::shared_ptr<TimerQueue> timers_;
  std::vector<std::string> servers_;
};

}  // namespace

std::shared_ptr<DnsTransport> make_dns_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                 std::vector<std::string> servers) {
  return std::make_shared<AresTransport>(std::move(executor), std::move(timers), std::move(servers));
}

}  // namespace rollcall
