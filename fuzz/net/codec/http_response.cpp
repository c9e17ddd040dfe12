// One HTTP answer, whole and cut into pieces whose sizes the first four bytes choose: the verdict must be the same, and bounded.
#include <algorithm>
#include <string>

#include "check.hpp"
#include "net/codec/inflate.hpp"
#include "net/codec/response_parser.hpp"

namespace {

using namespace rollcall;

constexpr std::size_t max_header = 1024;
constexpr std::size_t max_body = 4096;

struct Verdict {
  HttpResponse response;
  std::string body;
  bool is_done = false;
  bool is_over_limit = false;
};

bool is_inflated(std::string& body) {
  Inflater inflater;
  inflater.put(body);
  std::string out;
  for (;;) {
    const std::size_t before = out.size();
    const Inflater::Status status = inflater.step(out, 1000);
    require(out.size() - before <= 1000);
    if (status == Inflater::Status::corrupt || out.size() > 100'000) return false;
    if (status == Inflater::Status::need_input) break;
  }
  body = std::move(out);
  return inflater.is_whole();
}

Verdict parse(std::string_view text, std::string_view sizes) {
  Verdict verdict;
  ResponseParser parser;
  parser.start(verdict.response, max_header, max_body);
  for (std::size_t i = 0; !text.empty() && !parser.fault() && !parser.is_done(); ++i) {
    const std::size_t size = sizes.empty() ? text.size() : static_cast<unsigned char>(sizes[i % sizes.size()]) % 64 + std::size_t{1};
    std::string piece(text.substr(0, size));  // a copy, so that reading past its end is detected
    std::string_view rest = piece;
    if (!parser.has_head()) rest.remove_prefix(parser.put_head(rest));
    if (parser.has_head() && !parser.is_done() && !parser.fault()) {
      std::string joined;
      std::string_view part;
      rest.remove_prefix(parser.put_body(rest, joined, &part));
      require(part.empty() || joined.empty());
      verdict.body += part.empty() ? std::string_view(joined) : part;
    }
    if (!parser.is_done() && !parser.fault()) require(rest.empty());
    require(verdict.body.size() <= max_body + max_body / 1000 + 1024);
    text.remove_prefix(piece.size() - rest.size());
  }
  parser.put_end();
  verdict.is_done = parser.is_done();
  require(parser.is_done() != parser.fault().has_value());
  if (parser.fault()) {
    require_printable(parser.fault()->message());
    verdict.is_over_limit = parser.fault()->code() == Errc::limit_exceeded;
  } else {
    require(verdict.response.status >= 200 && verdict.response.status <= 599);
    if (parser.is_gzip()) is_inflated(verdict.body);
  }
  return verdict;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size < 4) return 0;
  const Verdict whole = parse(text.substr(4), {});
  const Verdict cut = parse(text.substr(4), text.substr(0, 4));
  if (whole.is_over_limit || cut.is_over_limit) return 0;  // the bytes that count as a header's end depend on the pieces
  require(whole.is_done == cut.is_done);
  if (!whole.is_done) return 0;
  require(whole.response.status == cut.response.status && whole.body == cut.body);
  std::string fields;
  whole.response.headers.each(
      [&](std::string_view name, std::string_view value) { fields.append(name).append(":").append(value).append("\n"); });
  cut.response.headers.each([&](std::string_view name, std::string_view value) {
    const std::string field = std::string(name).append(":").append(value).append("\n");
    require(fields.compare(0, field.size(), field) == 0);
    fields.erase(0, field.size());
  });
  require(fields.empty());
  return 0;
}
