// Parses device names as TensorFlow's C++ runtime does (device_name_utils.cc).
#include "rollcall/device.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Consumes a name from the front of `rest`.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool is_done() const noexcept { return rest_.empty(); }

  bool take(std::string_view prefix) noexcept {
    if (rest_.substr(0, prefix.size()) != prefix) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  // `*` or [A-Za-z][A-Za-z0-9_]*
  bool word(std::optional<std::string>& out) {
    out.reset();
    if (take("*")) return true;
    std::size_t length = 0;
    while (length < rest_.size() && (is_alpha(rest_[length]) || (length > 0 && (is_digit(rest_[length]) || rest_[length] == '_'))))
      ++length;
    if (length == 0) return false;
    out = std::string(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return true;
  }
  // `*` or decimal digits
  bool number(std::optional<int>& out) noexcept {
    out.reset();
    if (take("*")) return true;
    std::size_t length = 0;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    out = parse_decimal<int>(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return out.has_value();
  }

 private:
  std::string_view rest_;
};

bool read_component(Reader& reader, Device& device) {
  if (reader.take("/job:")) return reader.word(device.job);
  if (reader.take("/replica:")) return reader.number(device.replica);
  if (reader.take("/task:")) return reader.number(device.task);
  if (reader.take("/device:")) {
    device.id.reset();
    return reader.word(device.type) && (!reader.take(":") || reader.number(device.id));
  }
  for (const char* type : {"CPU", "GPU"}) {
    if (!reader.take(fmt::format("/{}:", type)) && !reader.take(fmt::format("/{}:", to_lower(type)))) continue;
    device.type = type;
    return reader.number(device.id);
  }
  return false;
}

}  // namespace

Result<Device> Device::parse(std::string_view name) {
  Device device;
  if (name == "/") return device;
  Reader reader(name);
  while (!reader.is_done()) {
    if (!read_component(reader, device)) {
      return Failure(Errc::invalid_argument, fmt::format("invalid device name {}", quoted(name)))
          .with_hint("a device name looks like /job:worker/replica:0/task:3/device:TPU:7, with numbers up to 2147483647");
    }
  }
  return device;
}

std::string Device::to_text() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += fmt::format("/replica:{}", *replica);
  if (task) text += fmt::format("/task:{}", *task);
  if (type || id) text += "/device:" + type.value_or("*") + ":" + (id ? std::to_string(*id) : "*");
  return text;
}

}  // namespace rollcall
