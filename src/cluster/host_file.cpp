#include "cluster/host_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr int first_unprivileged_port = 1024;

Failure bad_line(std::size_t number, std::string_view line, std::string_view what) {
  return Failure(Errc::invalid_argument, fmt::format("line {}: {}: {}", number, quoted_words(line, 100), what));
}

// A token file given by mistake as a file of hosts: its line would be used as a host's name, and published.
bool is_secret(const Endpoint& endpoint) {
  constexpr std::size_t max_label = 63;
  const std::vector<std::string_view> labels = split(endpoint.host, '.');
  return looks_secret_for_name(endpoint.host) ||
         std::any_of(labels.begin(), labels.end(), [](std::string_view label) { return label.size() > max_label; });
}

// Calls `use` with number and text of every line that is not only a comment.
Result<void> each_line(std::string_view text, const std::function<Result<void>(std::size_t, std::string_view)>& use) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const std::string_view content = trim(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const Result<void> used = use(number, content);
    if (!used) return used.error();
  }
  return Result<void>();
}

std::string_view next_host_word(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(" \t\r\v\f"), line.size());
  const std::string_view word = line.substr(0, end);
  line = trim(line.substr(end));
  return word;
}

// The number after the last colon, unless that colon is part of an IPv6 address.
std::optional<int> number_behind_colon(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const bool is_v6_colon = word.find(':') != colon && !word.substr(0, colon).ends_with(']');
  return is_v6_colon ? std::nullopt : parse_decimal<int>(word.substr(colon + 1));
}

// {"cluster": {"0": "a:1"}} is a job of that name, sparse.
bool is_sparse_job(const boost::json::value& value) {
  const boost::json::object* const tasks = value.if_object();
  if (!tasks || tasks->empty()) return false;
  return std::all_of(tasks->begin(), tasks->end(), [](const auto& task) {
    return parse_decimal<int>(std::string_view(task.key())).has_value() && task.value().is_string();
  });
}

bool is_tfconfig(const boost::json::value& root) {
  if (const boost::json::value* const cluster = find(root, "cluster")) return !is_sparse_job(*cluster);
  const boost::json::object* const task = find_object(root, "task");
  return task && (task->contains("type") || task->contains("index"));
}

// None for text that is not JSON. `[fd00::1]:8470` is not.
std::optional<HostFileFormat> format_of_json(std::string_view text) {
  const bool is_object = text.starts_with('{');
  if (!is_object && !text.starts_with('[') && !text.starts_with('"') && text != "null") return std::nullopt;
  const Result<JsonDocument> document = JsonDocument::parse("the file", text);
  if (document) return is_tfconfig(document->root()) ? HostFileFormat::tfconfig : HostFileFormat::cluster;
  return is_object ? std::optional(HostFileFormat::cluster) : std::nullopt;
}

Result<void> add_mpi_line(std::size_t number, std::string_view line, std::vector<HostSlots>& hosts) {
  std::string_view rest = line;
  std::string_view word = next_host_word(rest);
  HostSlots entry;
  if (const std::optional<int> slots = number_behind_colon(word)) {
    entry.slots = *slots;
    word = word.substr(0, word.rfind(':'));
  }
  if (const std::size_t user = word.find('@'); user != std::string_view::npos) word.remove_prefix(user + 1);
  const Result<Endpoint> host = Endpoint::parse(word);
  if (!host || host->port) return bad_line(number, line, "does not begin with a host");
  if (is_secret(*host)) return bad_line(number, "***", "is a token or a key, by its looks, and not a host");
  entry.host = host->host;
  while (!rest.empty()) {
    const std::string_view pair = next_host_word(rest);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return bad_line(number, line, fmt::format("{} is not KEY=VALUE", quoted_words(pair, 64)));
    if (pair.substr(0, equals) != "slots") continue;
    const std::optional<int> slots = parse_decimal<int>(pair.substr(equals + 1));
    if (!slots) return bad_line(number, line, "slots= has no number");
    entry.slots = *slots;
  }
  hosts.push_back(std::move(entry));
  return Result<void>();
}

}  // namespace

Result<HostFileFormat> detect_host_file(std::string_view text) {
  if (const std::optional<HostFileFormat> json = format_of_json(trim(text))) return *json;
  std::size_t slots = 0;
  std::size_t ports = 0;
  std::size_t others = 0;
  const Result<void> read = each_line(text, [&](std::size_t, std::string_view line) {
    const std::optional<int> number = number_behind_colon(next_host_word(line));
    if (!line.empty() || (number && *number < first_unprivileged_port)) {
      ++slots;
    } else if (number) {
      ++ports;
    } else {
      ++others;
    }
    return Result<void>();
  });
  if (!read) return read.error();
  if (slots + ports + others == 0) return Failure(Errc::not_ready, "there is no host in it");
  if (slots > 0 && ports > 0) {
    return Failure(Errc::invalid_argument, "some numbers behind the hosts look like ports, others like MPI slots")
        .with_hint("say which: format=lines or format=mpi");
  }
  return ports > 0 ? HostFileFormat::lines : HostFileFormat::mpi;
}

Result<std::vector<HostSlots>> parse_mpi_hosts(std::string_view text, std::size_t max_items) {
  std::vector<HostSlots> hosts;
  std::size_t slots = 0;
  const Result<void> read = each_line(text, [&](std::size_t number, std::string_view line) -> Result<void> {
    const Result<void> added = add_mpi_line(number, line, hosts);
    if (!added) return added;
    slots += static_cast<std::size_t>(hosts.back().slots);
    if (slots > max_items || hosts.size() > max_items)
      return Failure(Errc::limit_exceeded, fmt::format("line {}: more than {} hosts or slots", number, max_items));
    return added;
  });
  if (!read) return read.error();
  return hosts;
}

Result<std::vector<std::string>> parse_host_lines(std::string_view text, std::optional<std::uint16_t> default_port, std::size_t max_items) {
  std::vector<std::string> addresses;
  const Result<void> read = each_line(text, [&](std::size_t number, std::string_view line) -> Result<void> {
    Result<Endpoint> endpoint = Endpoint::parse(line);
    if (!endpoint) return bad_line(number, line, "is not HOST:PORT");
    if (is_secret(*endpoint)) return bad_line(number, "***", "is a token or a key, by its looks, and not a host");
    if (!endpoint->port) endpoint->port = default_port;
    if (!endpoint->port) return bad_line(number, line, "has no port").with_hint("add it, or give one for all: port=8470");
    if (addresses.size() == max_items) return Failure(Errc::limit_exceeded, fmt::format("line {}: more than {} hosts", number, max_items));
    addresses.push_back(endpoint->to_text());
    return Result<void>();
  });
  if (!read) return read.error();
  return addresses;
}

Result<std::vector<std::string>> addresses_of_slots(const std::vector<HostSlots>& hosts, std::uint16_t first_port, std::size_t max) {
  std::vector<std::string> addresses;
  std::map<std::string_view, int> used;
  for (const HostSlots& entry : hosts) {
    int& next = used[entry.host];
    for (int i = 0; i < entry.slots && addresses.size() < max; ++i, ++next) {
      if (first_port + next > 65535) {
        return Failure(Errc::invalid_argument,
                       fmt::format("slot {} of {} would have port {}, more than 65535", next, quoted_words(entry.host), first_port + next));
      }
      addresses.push_back(Endpoint(entry.host, static_cast<std::uint16_t>(first_port + next)).to_text());
    }
  }
  return addresses;
}

}  // namespace rollcall
