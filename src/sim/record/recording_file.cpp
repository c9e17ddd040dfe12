#include "sim/record/recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "base/url.hpp"
#include "rollcall/target.hpp"
#include "sim/record/anonymize.hpp"
#include "sim/record/name_words.hpp"
#include "sim/record/redact.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/recorded_key.hpp"

namespace rollcall::sim {
namespace {

namespace json = boost::json;

double seconds_of(Duration time) { return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(time).count()) / 1e6; }

json::string valid_text(std::string_view text) {
  if (is_valid_utf8(text)) return json::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    out += c.is_valid ? text.substr(at, c.size) : std::string_view("?");
    at += c.size;
  }
  return json::string(out);
}

// JSON where the text is an object or a list, redacted in any case. The file has levels of its own around it. Of other answers, which are
// messages, the beginning is enough.
json::value body_value(std::string_view text) {
  constexpr std::size_t max_message = 16 * 1024;
  json::parse_options options;
  options.max_depth = 24;
  std::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error || value.is_primitive()) return valid_text(redacted_text(text.substr(0, max_message)));
  redact(value);
  return value;
}

// Tokens of pages become numbers: they may contain names. `continue` and `pageToken` in a path are the same ones as in the answer before.
class PageTokens {
 public:
  void replace_in(json::value& answer) {
    if (!answer.is_object()) return;
    json::object& object = answer.get_object();
    replace_member(object, "nextPageToken");
    json::value* const metadata = object.if_contains("metadata");
    if (metadata && metadata->is_object()) replace_member(metadata->get_object(), "continue");
  }

  std::string replaced_in(const std::string& path) const {
    const ParsedTarget target = parse_target(path);
    const auto is_page = [](const auto& pair) { return pair.first == "continue" || pair.first == "pageToken"; };
    if (std::none_of(target.query.begin(), target.query.end(), is_page)) return path;
    std::string out = path.substr(0, path.find('?'));
    char mark = '?';
    for (const auto& pair : target.query) {
      const auto known = is_page(pair) ? known_.find(pair.second) : known_.end();
      const std::string value = known != known_.end() ? known->second : is_page(pair) ? "unknown" : pair.second;
      out += mark + percent_encode_path_segment(pair.first) + "=" + percent_encode_path_segment(value);
      mark = '&';
    }
    return out;
  }

 private:
  void replace_member(json::object& object, std::string_view name) {
    json::value* const token = object.if_contains(name);
    if (!token || !token->is_string() || token->get_string().empty()) return;
    const auto [known, is_new] = known_.emplace(std::string(token->get_string()), fmt::format("page-{}", known_.size() + 1));
    *token = known->second;
  }

  std::map<std::string, std::string> known_;
};

// The bodies of the exchanges as JSON, redacted, in the order of the exchanges: of an answer that continues one for each line.
std::vector<json::array> redacted_bodies(const std::vector<RecordedExchange>& exchanges, PageTokens& pages) {
  std::vector<json::array> out;
  for (const RecordedExchange& exchange : exchanges) {
    json::array& bodies = out.emplace_back();
    if (!exchange.is_stream) bodies.push_back(body_value(exchange.body));
    for (const RecordedLine& line : exchange.lines) bodies.push_back(body_value(line.text));
    for (json::value& body : bodies) pages.replace_in(body);
  }
  return out;
}

json::object exchange_value(const RecordedExchange& exchange, json::array bodies) {
  json::object out{{"at", seconds_of(exchange.at)}, {"took", seconds_of(exchange.took)}};
  if (exchange.method != "GET") out["method"] = exchange.method;
  out["host"] = exchange.host;
  out["path"] = exchange.path;
  if (!exchange.failure.empty()) out["failure"] = exchange.failure;
  if (exchange.status == 0) return out;
  out["status"] = exchange.status;
  json::object headers;
  for (const auto& [name, value] : exchange.headers) headers[name] = valid_text(value);
  if (!headers.empty()) out["headers"] = std::move(headers);
  if (!exchange.is_stream) {
    if (!exchange.body.empty()) out["body"] = std::move(bodies.front());
    return out;
  }
  json::array lines;
  for (std::size_t i = 0; i < exchange.lines.size(); ++i)
    lines.push_back(json::object{{"at", seconds_of(exchange.lines[i].at)}, {"line", std::move(bodies[i])}});
  out["lines"] = std::move(lines);
  if (exchange.ended) out["ended"] = seconds_of(*exchange.ended);
  return out;
}

bool is_public_host(std::string_view host) {
  return host.find("googleapis.com") != std::string_view::npos || host.starts_with("metadata.google.internal") ||
         host.starts_with("169.254.169.254");
}

// Calls `piece(text, is_name)` for what stands between the slashes of a target: `NAMESPACE/KIND/NAME`, `qr/NAME`, a full name.
template <class Piece>
void each_piece(const Target& target, Piece piece) {
  const std::vector<std::string_view> pieces = split(target.body, '/');
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool is_kind = target.scheme == "kubernetes" ? i == 1 && pieces.size() == 3 : i == 0 && pieces[i] == "qr";
    piece(pieces[i], !is_kind && !is_own_segment(pieces[i]));
  }
}

std::string body_with_names_replaced(const Target& target, const Pseudonyms& names) {
  std::string out;
  each_piece(target, [&](std::string_view piece, bool is_name) {
    if (piece.data() != target.body.data()) out += '/';
    out += is_name ? names.of_name(names.of_addresses(piece)) : std::string(piece);
  });
  return out;
}

// The names in all exchanges and targets.
Pseudonyms found_names(const std::vector<RecordedExchange>& exchanges, const std::vector<json::array>& bodies,
                       const std::vector<Target>& targets) {
  Pseudonyms names;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    if (!is_public_host(exchanges[i].host)) names.add_name(exchanges[i].host.substr(0, exchanges[i].host.rfind(':')));
    names.add_addresses(exchanges[i].host);
    find_names_in_path(names, exchanges[i].path);
    find_names_in_metadata(names, exchanges[i].path, exchanges[i].body);
    for (const json::value& body : bodies[i]) find_names(names, body);
  }
  for (const Target& target : targets) {
    for (const char* const key : {"context", "project"}) names.add_name(target.get(key).value_or(""));
    each_piece(target, [&names](std::string_view piece, bool is_name) {
      names.add_addresses(piece);
      if (is_name) names.add_name(piece);
    });
  }
  names.choose();
  return names;
}

// Options that name files or servers of the machine on which this was recorded; without them a target leads to the replay.
Target portable(Target target) {
  std::erase_if(target.options, [](const auto& option) {
    return option.first == "kubeconfig" || option.first == "api_server" || option.first == "token_file" || option.first == "location" ||
           option.first == "endpoint" || option.first == "discovery_url";
  });
  return target;
}

// The segment behind `name` in a path; empty: there is none.
std::string segment_behind(const std::vector<std::string>& segments, std::string_view name) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (segments[i] == name) return segments[i + 1];
  }
  return {};
}

// What a client of the replay must find around it, although no answer says it: project, zone, namespace.
class Surroundings {
 public:
  void see(const RecordedExchange& exchange) {
    const ParsedTarget target = parse_target(exchange.path);
    is_google = is_google || !is_kube_path(target.path);
    if (is_kube_path(target.path)) return keep(namespace_name, segment_behind(target.segments, "namespaces"));
    keep(project, segment_behind(target.segments, "projects"));
    for (const std::string_view name : {"locations", "zones"}) {
      const std::string found = segment_behind(target.segments, name);
      if (found != "-") keep(zone, found);
    }
  }
  std::string project;
  std::string zone;
  std::string namespace_name;
  bool is_google = false;

 private:
  static void keep(std::string& into, const std::string& found) {
    if (into.empty()) into = found;
  }
};

}  // namespace

std::string recording_file(const ExchangeLog& log, const std::vector<std::string>& targets, bool is_anonymous) {
  std::vector<RecordedExchange> exchanges = log.exchanges();
  PageTokens pages;
  std::vector<json::array> bodies = redacted_bodies(exchanges, pages);
  std::vector<Target> kept;
  for (const std::string& text : targets) {
    Result<Target> target = Target::parse(text);
    if (target) kept.push_back(portable(*std::move(target)));
  }
  for (RecordedExchange& exchange : exchanges) exchange.path = pages.replaced_in(exchange.path);
  if (is_anonymous) {
    const Pseudonyms names = found_names(exchanges, bodies, kept);
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      exchanges[i].path = with_names_replaced(names, exchanges[i].path);
      if (!is_public_host(exchanges[i].host)) exchanges[i].host = names.of_text(exchanges[i].host);
      for (json::value& body : bodies[i]) replace_names(names, body);
    }
    for (Target& target : kept) {
      target.body = body_with_names_replaced(target, names);
      for (auto& [key, items] : target.options) {
        for (std::string& item : items) item = names.of_text(item);
      }
    }
  }
  Surroundings around;
  for (const RecordedExchange& exchange : exchanges) around.see(exchange);
  json::object recorded{{"version", recorded_version}};
  json::array texts;
  for (const Target& target : kept) {
    texts.push_back(json::string(target.to_text()));
    if (const auto context = target.get("context")) recorded["context"] = *context;
  }
  recorded["targets"] = std::move(texts);
  recorded["used_token"] = log.used_token();
  if (!log.left_out().empty()) recorded["left_out"] = log.left_out();
  if (is_dns_label(around.namespace_name)) recorded["namespace"] = around.namespace_name;
  json::object file{{"description", "Recorded by rollcall record. Play it: rollcall sim FILE -- rollcall status"},
                    {"start_time", format_rfc3339(std::chrono::floor<std::chrono::seconds>(log.started_on()))}};
  if (!around.project.empty()) file["project"] = around.project;
  if (!around.zone.empty()) file["zone"] = around.zone;
  if (!around.is_google) file["metadata"] = false;
  // An exchange a line: such a file can be read, searched and compared.
  std::string text = json::serialize(file);
  text.back() = ',';
  std::string head = json::serialize(recorded);
  head.back() = ',';
  text += "\n\"recorded\": " + head + "\n\"exchanges\": [";
  for (std::size_t i = 0; i < exchanges.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + json::serialize(exchange_value(exchanges[i], std::move(bodies[i])));
  return text + "\n]}}\n";
}

}  // namespace rollcall::sim
