#include "fleet/replicas/store_keys.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include "base/text.hpp"
#include "crypto/signature.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t id_digits = 26;
constexpr std::size_t longest_replica_id = 64;

bool is_id_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); }
bool is_store_id(std::string_view text) { return text.size() == id_digits && std::all_of(text.begin(), text.end(), is_id_digit); }
bool is_replica_id(std::string_view text) {
  return !text.empty() && text.size() <= longest_replica_id && std::all_of(text.begin(), text.end(), is_alnum);
}

class Inflater {
 public:
  Inflater() {
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
};

}  // namespace

std::string store_id(std::string_view name) {
  constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz234567";
  const std::string digest = sha256(name);
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : digest) {
    bits = (bits << 8U) | static_cast<unsigned char>(byte);
    for (held += 8; held >= 5 && out.size() < id_digits; held -= 5) out += digits[(bits >> static_cast<unsigned>(held - 5)) & 31U];
    if (out.size() == id_digits) break;
  }
  return out;
}

StoreKeys::StoreKeys(std::string_view fleet) : prefix_(fmt::format("/rollcall/{}/v1/", fleet)) {}

std::string StoreKeys::want(std::string_view target, std::string_view replica) const {
  return fmt::format("{}want/{}/{}", prefix_, target, replica);
}

std::string StoreKeys::chunk(std::string_view target, std::size_t number) const {
  return fmt::format("{}status/{}/{:03}", prefix_, target, number);
}

std::optional<StoreKey> StoreKeys::parse(std::string_view key) const {
  if (!key.starts_with(prefix_)) return std::nullopt;
  key.remove_prefix(prefix_.size());
  std::array<std::string_view, 3> parts;
  std::size_t count = 0;
  for (const std::string_view part : split(key, '/')) {
    if (count == parts.size()) return std::nullopt;
    parts[count++] = part;
  }
  StoreKey parsed;
  parsed.id = parts[1];
  if (count == 1) return parts[0] == "meta" ? std::optional(parsed) : std::nullopt;
  if (count == 2 && parts[0] == "replica" && is_replica_id(parts[1])) {
    parsed.kind = StoreKey::Kind::replica;
    return parsed;
  }
  if (!is_store_id(parts[1])) return std::nullopt;
  if (count == 2) {
    if (parts[0] != "owner" && parts[0] != "beat" && parts[0] != "status") return std::nullopt;
    parsed.kind = parts[0] == "owner" ? StoreKey::Kind::owner : parts[0] == "beat" ? StoreKey::Kind::beat : StoreKey::Kind::head;
    return parsed;
  }
  if (parts[0] == "want" && is_replica_id(parts[2])) {
    parsed.kind = StoreKey::Kind::want;
    parsed.replica = parts[2];
    return parsed;
  }
  if (parts[0] != "status") return std::nullopt;
  parsed.kind = StoreKey::Kind::spec;
  if (parts[2] == "spec") return parsed;
  constexpr std::size_t most_chunks = 999;
  const std::optional<std::size_t> number = parse_decimal<std::size_t>(parts[2], std::size_t{0}, most_chunks);
  if (!number || parts[2].size() != 3) return std::nullopt;
  parsed.kind = StoreKey::Kind::chunk;
  parsed.chunk = *number;
  return parsed;
}

std::string pack_record(std::string_view json) {
  uLongf size = compressBound(static_cast<uLong>(json.size()));
  std::string out(size, '\0');
  const int done = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(json.data()),
                             static_cast<uLong>(json.size()), Z_DEFAULT_COMPRESSION);
  if (done != Z_OK) throw std::bad_alloc();
  out.resize(size);
  return out;
}

Result<std::string> unpack_record(std::string_view packed, std::size_t most) {
  constexpr std::size_t step = 64 * 1024;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const std::size_t before = out.size();
    if (before > most) return Failure(Errc::limit_exceeded, fmt::format("a record of the store has more than {} bytes", most));
    out.resize(before + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(step);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + step - stream.avail_out);
    if (state != Z_OK && state != Z_STREAM_END) return Failure(Errc::malformed_response, "a record of the store cannot be unpacked");
  }
  if (out.size() > most) return Failure(Errc::limit_exceeded, fmt::format("a record of the store has more than {} bytes", most));
  return out;
}

}  // namespace rollcall::fleet
