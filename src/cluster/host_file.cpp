// Recognises the format of a host file, and reads lines of HOST:PORT.
#include "cluster/host_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ip.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "cluster/host_lines.hpp"
#include "json/json_dom.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr int first_unprivileged_port = 1024;

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

Failure kubernetes_object(std::string_view kind) {
  return Failure(Errc::invalid_argument, fmt::format("it is a Kubernetes {}, and no list of hosts", quoted(kind, 64)))
      .with_hint("ask the API server where its pods are: kubernetes:NAMESPACE/KIND/NAME, or kubernetes:NAMESPACE,job.worker=KEY=VALUE");
}

// None for text that is not JSON. `[fd00::1]:8470` is not. Errors: invalid_argument (an object of Kubernetes).
std::optional<Result<HostFileFormat>> format_of_json(std::string_view text) {
  const bool is_object = text.starts_with('{');
  if (!is_object && !text.starts_with('[') && !text.starts_with('"') && text != "null") return std::nullopt;
  const Result<JsonDocument> document = JsonDocument::parse("the file", text);
  if (!document) return is_object ? std::optional<Result<HostFileFormat>>(HostFileFormat::cluster) : std::nullopt;
  const boost::json::value& root = document->root();
  const std::string_view kind = find_text(root, "apiVersion") ? find_text(root, "kind").value_or("") : "";
  if (!kind.empty()) return kubernetes_object(kind);
  return is_tfconfig(root) ? HostFileFormat::tfconfig : HostFileFormat::cluster;
}

// The kind of an object of Kubernetes in a manifest; empty: it is none.
std::string_view kind_of_manifest(std::string_view text) {
  bool has_version = false;
  std::string_view kind;
  constexpr std::string_view version_key = "apiVersion: ";
  constexpr std::string_view kind_key = "kind: ";
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(version_key)) has_version = true;
    if (line.starts_with(kind_key) && kind.empty()) kind = trim(line.substr(kind_key.size()));
    if (has_version && !kind.empty()) return kind;
  }
  return {};
}

}  // namespace

Result<HostFileFormat> detect_host_file(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return Failure(Errc::invalid_argument, "it is UTF-16, not UTF-8").with_hint("convert it: iconv -f UTF-16 -t UTF-8");
  if (std::optional<Result<HostFileFormat>> json = format_of_json(trim(text))) return *std::move(json);
  if (const std::string_view kind = kind_of_manifest(trim(text)); !kind.empty()) return kubernetes_object(kind);
  std::size_t slots = 0;
  std::size_t ports = 0;
  std::size_t others = 0;
  const Result<void> read = each_line(text, [&](std::size_t, std::string_view line) {
    const std::optional<int> number = number_behind_colon(next_word(line));
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

Result<std::vector<std::string>> parse_host_lines(std::string_view text, std::optional<std::uint16_t> default_port, std::size_t max_items) {
  std::vector<std::string> addresses;
  const Result<void> read = each_line(text, [&](std::size_t number, std::string_view line) -> Result<void> {
    Result<Endpoint> endpoint = Endpoint::parse(line);
    if (!endpoint) return bad_line(number, line, "is not HOST:PORT");
    if (is_secret_host(*endpoint)) return bad_line(number, "***", "is a token or a key, by its looks, and not a host");
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
  std::map<HostIdentity, int> used;  // a host may stand there in other letters
  for (const HostSlots& entry : hosts) {
    int& next = used[HostIdentity(entry.host)];
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
