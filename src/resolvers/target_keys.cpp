#include "resolvers/target_keys.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/value_readers.hpp"

namespace rollcall {
namespace {

template <class Number>
Result<Number> read_number(const TargetValue& value, Number low, std::string_view trouble) {
  const std::optional<Number> number = parse_decimal<Number>(value.text(), low);
  if (!number) return value.wrong(trouble);
  return *number;
}

}  // namespace

std::string TargetValue::text() const { return items.size() == 1 ? items.front() : fmt::format("{}", fmt::join(items, "+")); }

Failure TargetValue::wrong(std::string_view trouble, std::size_t max_bytes) const {
  return Failure(Errc::invalid_argument, fmt::format("{}: {}={} {}", target.scheme, key, quoted(text(), max_bytes), trouble));
}

Result<std::string> read_text(const TargetValue& value) { return value.text(); }

Result<std::string> read_path(const TargetValue& value) {
  std::string path = value.text();
  const Result<void> fine = check_path(fmt::format("{}: {}=", value.target.scheme, value.key), path);
  if (!fine) return fine.error();
  return path;
}

Result<std::uint16_t> read_port(const TargetValue& value) { return read_number<std::uint16_t>(value, 1, "is not a port, 1 to 65535"); }
Result<int> read_task(const TargetValue& value) { return read_number<int>(value, 0, "is not a task index"); }
Result<int> read_count(const TargetValue& value) { return read_number<int>(value, 0, "is not a number"); }

Result<bool> read_flag(const TargetValue& value) {
  const std::optional<bool> flag = parse_flag(value.text());
  if (!flag) return value.wrong("is neither true nor false");
  return *flag;
}

Result<void> check_no_name(const Target& target, std::string_view finds, std::string_view hint) {
  if (target.body.empty()) return {};
  Failure failure(Errc::invalid_argument, fmt::format("{}: {} and takes no name, not {}", target.scheme, finds, quoted(target.body)));
  return hint.empty() ? failure : std::move(failure).with_hint(std::string(hint));
}

}  // namespace rollcall
