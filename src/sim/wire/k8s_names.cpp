#include "sim/wire/k8s_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/text.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view name_rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
    "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

bool is_name_part(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

// The exceptions of unicode.IsPrint that occur: invisible characters, blanks except the usual one, private characters.
bool is_go_printable(char32_t code) {
  const bool is_blank =
      code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f || code == 0x3000;
  const bool is_private = (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
  return !is_hidden(code) && !is_blank && !is_private;
}

}  // namespace

std::string go_quoted(std::string_view text) {
  static constexpr std::string_view short_codes = "\a\b\f\n\r\t\v\"\\";
  static constexpr std::string_view short_names = "abfnrtv\"\\";
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, c.size);
    at += c.size;
    const auto code = static_cast<std::uint32_t>(c.code);
    const std::size_t known = short_codes.find(bytes);
    if (known != std::string_view::npos) {
      out.append("\\").append(short_names.substr(known, 1));
    } else if (!c.is_valid || code < ' ' || code == 0x7f) {
      out += fmt::format("\\x{:02x}", code);
    } else if (is_go_printable(c.code)) {
      out += bytes;
    } else {
      out += code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
    }
  }
  return out + '"';
}

bool kube_flag(std::optional<std::string_view> text) { return text && *text != "0" && !equals_ignoring_case(*text, "false"); }

std::optional<std::int64_t> go_parse_int(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && is_digit(text[1])) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string go_number_error(std::string_view function, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_number = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return is_digit(c); });
  const bool is_out_of_range = is_number && !(function == "ParseUint" && digits.size() != text.size());
  return fmt::format("strconv.{}: parsing {}: {}", function, go_quoted(text), is_out_of_range ? "value out of range" : "invalid syntax");
}

std::optional<std::string> bad_label_key(std::string_view key) {
  std::vector<std::string> wrong;
  std::string_view name = key;
  if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos)
      return fmt::format("a qualified name {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')", name_rule);
    if (prefix.empty()) {
      wrong.emplace_back("prefix part must be non-empty");
    } else if (!is_dns_subdomain(prefix)) {
      wrong.emplace_back(
          "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
          "end "
          "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    }
  }
  if (name.empty()) wrong.emplace_back("name part must be non-empty");
  if (name.size() > 63) wrong.emplace_back("name part must be no more than 63 characters");
  if (!is_name_part(name)) wrong.push_back(fmt::format("name part {}", name_rule));
  if (wrong.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(wrong, "; "));
}

std::optional<std::string> bad_label_value(std::string_view value) {
  std::vector<std::string> wrong;
  if (value.size() > 63) wrong.emplace_back("must be no more than 63 characters");
  if (!value.empty() && !is_name_part(value)) {
    wrong.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  if (wrong.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(wrong, "; "));
}

bool is_dns_label(std::string_view name) {
  const auto is_inner = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' && std::all_of(name.begin(), name.end(), is_inner);
}

bool is_dns_subdomain(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  const std::vector<std::string_view> labels = split(name, '.');
  return std::all_of(labels.begin(), labels.end(), is_dns_label);
}

std::string kube_resource(std::string_view kind) {
  std::string out = to_lower(kind);
  const bool is_y = out.size() > 1 && out.back() == 'y' && std::string_view("aeiou").find(out[out.size() - 2]) == std::string_view::npos;
  if (is_y) {
    out.replace(out.size() - 1, 1, "ies");
  } else {
    const bool needs_e = out.ends_with('s') || out.ends_with('x') || out.ends_with("ch") || out.ends_with("sh");
    out += needs_e ? "es" : "s";
  }
  return out;
}

bool is_kube_cluster_kind(std::string_view kind) {
  static constexpr std::string_view kinds[] = {"Node",
                                               "Namespace",
                                               "PersistentVolume",
                                               "StorageClass",
                                               "PriorityClass",
                                               "ClusterQueue",
                                               "ResourceFlavor",
                                               "AdmissionCheck",
                                               "Topology",
                                               "Cohort",
                                               "ClusterTrainingRuntime",
                                               "CustomResourceDefinition",
                                               "ResourceSlice",
                                               "DeviceClass",
                                               "ClusterRole",
                                               "ClusterRoleBinding",
                                               "Queue",
                                               "NodeClaim",
                                               "NodePool"};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

std::string name_suffix(std::string_view seed) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t number = std::strtoull(fingerprint(seed).c_str(), nullptr, 16);
  number ^= number >> 29;
  std::string out;
  for (int i = 0; i < 5; ++i, number /= letters.size()) out += letters[number % letters.size()];
  return out;
}

std::string uuid_of(std::string_view seed) {
  const std::string a = fingerprint(seed);
  const std::string b = fingerprint(a + std::string(seed));
  return fmt::format("{}-{}-4{}-8{}-{}", a.substr(0, 8), a.substr(8, 4), a.substr(13, 3), b.substr(0, 3), b.substr(3, 12));
}

}  // namespace rollcall::sim
