// One HTTP request, whole and cut into pieces whose sizes the first four bytes choose: the verdict must be the same, and bounded.
#include <string>

#include "check.hpp"
#include "net/server/request_parser.hpp"

namespace {

using namespace rollcall;

constexpr std::size_t max_head = 1024;
constexpr std::size_t max_request_body = 4096;

struct RequestVerdict {
  ServerRequest request;
  int status = 0;  // 0: complete; -1: it needs more
  std::size_t consumed = 0;
};

RequestVerdict parse_request(std::string_view text, std::string_view sizes) {
  RequestVerdict verdict;
  RequestParser parser(max_head, max_request_body);
  parser.start(verdict.request);
  std::string kept;
  for (std::size_t i = 0; !text.empty() && parser.state() == RequestParser::State::needs_more; ++i) {
    const std::size_t size = sizes.empty() ? text.size() : static_cast<unsigned char>(sizes[i % sizes.size()]) % 64 + std::size_t{1};
    kept = std::string(kept).append(text.substr(0, size));  // a separate allocation, so that reading past its end is detected
    text.remove_prefix(std::min(size, text.size()));
    const std::size_t consumed = parser.put(kept);
    require(consumed <= kept.size());
    verdict.consumed += consumed;
    kept.erase(0, consumed);
    require(verdict.request.body.size() <= max_request_body);
    if (parser.state() == RequestParser::State::needs_more) require(kept.size() <= max_head);
  }
  if (parser.state() == RequestParser::State::needs_more) verdict.status = -1;
  if (parser.state() == RequestParser::State::refused) verdict.status = parser.refusal();
  if (verdict.status == 0) static_cast<void>(parser.wants_keep_alive());
  return verdict;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size < 4) return 0;
  const RequestVerdict whole = parse_request(text.substr(4), {});
  const RequestVerdict cut = parse_request(text.substr(4), text.substr(0, 4));
  require(whole.status == -1 || whole.status == 0 || (whole.status >= 400 && whole.status <= 501));
  if (whole.status == 431 || cut.status == 431) return 0;  // a request may be too long before it is complete
  require((whole.status == 0) == (cut.status == 0));         // the pieces determine which of two faults is detected first, and when
  if (whole.status != 0) return 0;
  require(whole.consumed == cut.consumed && whole.request.method == cut.request.method && whole.request.target == cut.request.target);
  require(whole.request.host == cut.request.host && whole.request.body == cut.request.body);
  // A field is one line, and a host one word.
  whole.request.headers.each([](std::string_view name, std::string_view value) {
    require(!name.empty() && name.find_first_of(std::string_view("\r\n\0 :", 5)) == std::string_view::npos);
    require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
  });
  require(whole.request.host.find_first_of(" \t,") == std::string::npos);
  return 0;
}
