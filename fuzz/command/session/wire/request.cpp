// Fuzz target: a client's input, in pieces whose size is the first byte. Each line is a request, or is refused in one line of JSON;
// accepted parameters are within their bounds.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>

#include "check.hpp"
#include "command/session/methods.hpp"
#include "command/session/wire/line_reader.hpp"
#include "command/session/wire/message.hpp"

using namespace rollcall;
using namespace rollcall::serve;

namespace {

void require_one_line(const std::string& line) {
  require(line.ends_with('\n') && std::count(line.begin(), line.end(), '\n') == 1);
  require(boost::json::parse(line).is_object());
}

void read_question(const Message& message) {
  const MethodRow* const method = find_method(message.method);
  if (!method) return;
  Question question;
  const Result<void> read = read_params<Question>(method->params, message.params(), question);
  require_sane(read);
  if (!read) return require_one_line(error_line(message.id, RpcError::bad_params, read.error()));
  require(question.timeout > Duration(0) && question.timeout <= std::chrono::hours(366 * 24));
  require(question.members >= 0 && question.members <= 65536);
  for (const std::string& target : question.targets) require(!target.empty());
  const LaunchFacts& launch = question.launch;
  require(!launch.task || (!launch.task->job.empty() && launch.task->index >= 0));
  require(launch.accelerators_per_host.value_or(1) >= 1 && launch.coordinator_port.value_or(1) >= 1);
  require(launch.name.size() <= 255 && launch.job_id.size() <= 255);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t step = std::max<std::size_t>(data[0], 1);
  constexpr std::size_t max = 4096;
  LineReader lines(max);
  std::size_t ends = 0;
  const auto take = [&lines, &ends] {
    for (auto line = lines.next(); line; line = lines.next()) {
      ++ends;
      require(line->text.size() <= max && line->text.find('\n') == std::string_view::npos);
      const ReadMessage read = read_message(std::string(line->text));  // in memory of its own, so that a read beyond its end is detected
      if (const BadLine* const bad = std::get_if<BadLine>(&read)) {
        require_one_line(error_line(bad->id, bad->error, bad->failure));
      } else {
        const Message& message = std::get<Message>(read);
        require(!message.id.empty() && message.id.find('\n') == std::string::npos);
        require_one_line(result_line(message.id, "{}"));
        read_question(message);
      }
    }
  };
  for (std::size_t at = 0; at < text.size(); at += step) {
    lines.feed(std::string(text.substr(at, step)));
    take();
  }
  lines.finish();
  take();
  const auto all = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  require(ends == all + (text.empty() || text.ends_with('\n') ? 0 : 1));
  return 0;
}
