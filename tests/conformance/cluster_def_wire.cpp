#include "conformance/cluster_def_wire.hpp"

#include <cstdint>
#include <stdexcept>

#include "base/text.hpp"
#include "conformance/json_reader.hpp"

namespace rollcall::conformance {
namespace {

// ClusterDef: job = 1; JobDef: name = 1, tasks = 2; an entry of tasks: key = 1, value = 2.
constexpr int text_type = 2;

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) break;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("the ClusterDef ends within a number");
}

std::string_view take_bytes(std::string_view& bytes) {
  const std::uint64_t size = take_varint(bytes);
  if (size > bytes.size()) throw std::runtime_error("the ClusterDef ends within a field");
  const std::string_view field = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return field;
}

class Field {
 public:
  explicit Field(std::string_view& bytes) {
    const std::uint64_t tag = take_varint(bytes);
    number = static_cast<int>(tag >> 3);
    if ((tag & 7) == text_type) {
      text = take_bytes(bytes);
    } else if ((tag & 7) == 0) {
      value = take_varint(bytes);
    } else {
      throw std::runtime_error("the ClusterDef has a field of an unknown type");
    }
  }
  int number = 0;
  std::uint64_t value = 0;
  std::string_view text;
};

json::object decode_job(std::string_view bytes) {
  json::object job{{"name", ""}, {"tasks", json::object()}};
  while (!bytes.empty()) {
    const Field field(bytes);
    if (field.number == 1) job["name"] = json::string(field.text);
    if (field.number != 2) continue;
    std::string_view rest = field.text;
    std::int32_t index = 0;
    std::string_view address;
    while (!rest.empty()) {
      const Field part(rest);
      if (part.number == 1) index = static_cast<std::int32_t>(part.value);
      if (part.number == 2) address = part.text;
    }
    job["tasks"].get_object()[std::to_string(index)] = json::string(address);
  }
  return job;
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_text(std::string& out, int number, std::string_view text) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3 | text_type);
  put_varint(out, text.size());
  out += text;
}

}  // namespace

json::value decode_cluster_def(std::string_view bytes) {
  json::array jobs;
  while (!bytes.empty()) {
    const Field field(bytes);
    if (field.number == 1) jobs.push_back(decode_job(field.text));
  }
  return json::object{{"job", std::move(jobs)}};
}

std::string encode_cluster_def(const json::value& definition) {
  std::string result;
  const auto jobs = Reader(definition, "cluster_def").find("job");
  if (!jobs) return result;
  for (const Reader& job : jobs->items()) {
    std::string bytes;
    put_text(bytes, 1, job.require("name").text());
    if (const auto tasks = job.find("tasks")) {
      for (const auto& [key, address] : tasks->object()) {
        const auto index = parse_python_int(std::string_view(key));
        if (!index) tasks->fail("decimal keys");
        std::string entry;
        put_varint(entry, 1 << 3);
        put_varint(entry, static_cast<std::uint64_t>(*index));
        put_text(entry, 2, Reader(address, tasks->path()).text());
        put_text(bytes, 2, entry);
      }
    }
    put_text(result, 1, bytes);
  }
  return result;
}

}  // namespace rollcall::conformance
