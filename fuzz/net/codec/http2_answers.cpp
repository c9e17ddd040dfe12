// Arbitrary bytes of an HTTP/2 server, in pieces whose size the first byte chooses, to a client with a few requests: the answers stay
// within their limits, their content does not depend on the pieces, and all of them end with the connection.
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "net/codec/http2_client.hpp"

namespace {

using namespace rollcall;

constexpr std::size_t max_answer_head = 4000;
constexpr std::size_t max_answer_body = 20'000;

class Asked {
 public:
  explicit Asked(bool in_pieces) : answer(response, max_answer_head, max_answer_body, in_pieces) {}
  HttpResponse response;
  Http2Answer answer;
};

class IgnoredEvents final : public Http2ClientEvents {
 public:
  void on_news(Http2Answer& answer, bool) override { require(answer.has_head() || answer.fault()); }
};

// The content of those that are complete.
std::vector<std::optional<std::string>> read_answers(std::string_view bytes, std::size_t piece) {
  IgnoredEvents events;
  std::list<Asked> all;
  Http2ClientLimits limits;
  limits.overhead_bytes = 64 * 1024;
  Http2Client client(limits, events, SteadyTime());
  HttpRequest request(Url::parse("https://host/path").value());
  for (int i = 0; i < 4; ++i) {
    all.emplace_back(i == 1);
    request.method = i == 2 ? HttpMethod::post : HttpMethod::get;
    request.body = i == 2 ? "question" : "";
    require(client.begin(all.back().answer, request, "agent"));
  }
  std::string out;
  static_cast<void>(client.take(out, 1 << 20));
  client.forget(all.back().answer);
  bool goes_on = true;
  while (goes_on && !bytes.empty()) {
    const std::string part(bytes.substr(0, piece));  // a separate allocation, so that reading past its end is detected
    bytes.remove_prefix(part.size());
    goes_on = client.put(part, SteadyTime());
    out.clear();
    goes_on = client.take(out, 1 << 20) && goes_on;
    require(out.size() <= 128 * 1024 && client.streams() <= 3);
  }
  if (goes_on) client.end(Failure(Errc::unreachable, "over"));
  require(client.streams() == 0 && client.is_over() && client.max_streams() == 0);
  std::vector<std::optional<std::string>> said;
  for (Asked& one : all) {
    const Http2Answer& answer = one.answer;
    require(answer.content.size() <= max_answer_body + max_answer_body / 1000 + 1024);
    require(&one == &all.back() || answer.is_done() != answer.fault().has_value());
    said.push_back(answer.is_done() ? std::optional(answer.content) : std::nullopt);
  }
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = read_answers(bytes, 64 * 1024);
  const auto in_pieces = read_answers(bytes, data[0] % 64 + std::size_t{1});
  for (std::size_t i = 0; i < whole.size(); ++i) require(!whole[i] || !in_pieces[i] || *whole[i] == *in_pieces[i]);
  return 0;
}
