// Fuzz target: a request from an unknown client, as the server passes it on. The first byte chooses the state of the service, the first
// line has method, host and target, the others are header fields. Checks that there is a well-formed answer in bounded time, or a stream
// that ends with its client, and that nothing is left behind.
#include <cstdint>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "fleet/http/scripted_fleet.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::testing;

void prepare(ServiceLoop& loop, unsigned char how) {
  switch (how % 6) {
    case 1: return loop.topic->show(workers_of(3, 2));
    case 2: return loop.topic->show(workers_of(3, 3));
    case 3: return loop.topic->fail(Failure(Errc::not_found, "no such TPU"));
    case 4: return loop.topic->trouble("connection refused");
    case 5: loop.topic->show(workers_of(300, 300)); return loop.topic->show_spec(workers_of(300, 300).spec());
    default: return;
  }
}

std::string_view next_word(std::string_view& rest, char end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view word = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return word;
}

void check_answer(const ScriptedExchange& exchange) {
  const HttpResponse& answer = exchange.answered;
  require(answer.status >= 200 && answer.status < 600);
  answer.headers.each([](std::string_view name, std::string_view value) { require(is_field_name(name) && !field_value_fault(value)); });
  if (answer.status >= 400 && !exchange.is_streamed) {
    require(answer.body.size() < 32 * 1024 && is_valid_utf8(answer.body));
    for (const unsigned char c : answer.body) require((c >= ' ' || c == '\n') && c != 0x7f);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.empty()) return 0;
  fleet::FleetHttpOptions options;
  options.is_for_this_machine = (text.front() & 0x40) == 0;
  const auto loop = std::make_unique<ServiceLoop>(options);
  prepare(*loop, static_cast<unsigned char>(text.front()));
  text.remove_prefix(1);
  const auto exchange = std::make_shared<ScriptedExchange>();
  exchange->time = loop->time;
  exchange->asked.peer = "192.0.2.1";
  std::string_view line = next_word(text, '\n');
  exchange->asked.method = next_word(line, ' ');
  exchange->asked.host = next_word(line, ' ');
  exchange->asked.target = line;
  while (!text.empty()) {
    std::string_view field = next_word(text, '\n');
    const std::string_view name = next_word(field, ':');
    exchange->asked.headers.add(name, trim(field));
  }
  loop->start(exchange);
  loop->pass(std::chrono::seconds(15));
  loop->topic->show(workers_of(4, 4));
  loop->pass(std::chrono::seconds(400));
  if (!exchange->is_done) require(exchange->is_streamed && exchange->events.size() < 100);
  if (exchange->answered.status != 0) check_answer(*exchange);
  require(loop->clouds->topics().size() <= 2);
  exchange->leave();
  loop->pass(std::chrono::seconds(1));
  require(exchange->is_done && exchange->answered.status != 0 && loop->followers() == 0 && loop->topic->listeners() == 0);
  return 0;
}
