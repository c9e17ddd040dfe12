// Field selectors, with the API server's fields and error texts.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "sim/kubernetes/k8s_options.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view pod_fields[] = {
    "metadata.name",    "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",       "spec.serviceAccountName",
    "spec.hostNetwork", "status.phase",       "status.podIP",  "status.podIPs",      "status.nominatedNodeName", "spec.host"};

constexpr std::string_view event_fields[] = {"involvedObject.kind",
                                             "involvedObject.namespace",
                                             "involvedObject.name",
                                             "involvedObject.uid",
                                             "involvedObject.apiVersion",
                                             "involvedObject.resourceVersion",
                                             "involvedObject.fieldPath",
                                             "reason",
                                             "reportingComponent",
                                             "source",
                                             "type",
                                             "metadata.name",
                                             "metadata.namespace"};
constexpr std::string_view node_fields[] = {"metadata.name", "spec.unschedulable"};
constexpr std::string_view job_fields[] = {"metadata.name", "metadata.namespace", "status.successful"};
constexpr std::string_view other_fields[] = {"metadata.name", "metadata.namespace"};

std::span<const std::string_view> fields_of(std::string_view resource) {
  if (resource == "pods" || resource == "namespaces") return pod_fields;
  if (resource == "events") return event_fields;
  if (resource == "nodes") return node_fields;
  if (resource == "jobs") return job_fields;
  return other_fields;
}

std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  if (text.empty()) return terms;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ',') {
      terms.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

Failure wrong_field_selector(std::string text) { return Failure(Errc::invalid_argument, std::move(text)); }

Result<std::string> unescape_value(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',' || text[at] == '=')
      return wrong_field_selector(fmt::format("invalid field selector: unescaped character in value: {}", static_cast<int>(text[at])));
    if (text[at] == '\\') {
      ++at;
      const std::string_view escaped = text.substr(at, decode_utf8(text, at).size);
      if (escaped != "\\" && escaped != "," && escaped != "=")
        return wrong_field_selector(fmt::format("invalid field selector: invalid escape sequence: \\{}", escaped));
    }
    out += text[at];
  }
  return out;
}

Result<FieldTerm> split_term(std::string_view selector, std::string_view term) {
  for (std::size_t at = 0; at < term.size(); ++at) {
    for (const std::string_view op : {"!=", "==", "="}) {
      if (!term.substr(at).starts_with(op)) continue;
      auto value = unescape_value(term.substr(at + op.size()));
      if (!value) return value.error();
      FieldTerm out;
      out.field = std::string(term.substr(0, at));
      out.value = *std::move(value);
      out.is_negated = op == "!=";
      return out;
    }
  }
  return wrong_field_selector(fmt::format("invalid selector: '{}'; can't understand '{}'", selector, term));
}

std::string text_of_field(const boost::json::object& whole, std::string_view field) {
  if (field == "spec.host") field = "spec.nodeName";
  if (field == "source") field = "reportingComponent";
  if (field == "status.successful") field = "status.succeeded";
  const std::size_t dot = field.find('.');
  const boost::json::value* const part = whole.if_contains(field.substr(0, dot));
  const boost::json::object* const object = part ? part->if_object() : nullptr;
  const boost::json::value* value = dot == std::string_view::npos ? part : nullptr;
  if (object && dot != std::string_view::npos) value = object->if_contains(field.substr(dot + 1));
  if (field == "status.succeeded") return value && value->is_number() ? boost::json::serialize(*value) : "0";
  if (field == "spec.hostNetwork" || field == "spec.unschedulable")
    return value && value->is_bool() && value->get_bool() ? "true" : "false";
  if (!value) return "";
  if (const boost::json::string* text = value->if_string()) return std::string(text->data(), text->size());
  std::string all;
  if (const boost::json::array* ips = value->if_array()) {
    for (const boost::json::value& one : *ips) {
      const boost::json::value* const ip = one.is_object() ? one.get_object().if_contains("ip") : nullptr;
      if (ip && ip->is_string()) all += (all.empty() ? "" : ",") + std::string(ip->get_string().c_str());
    }
  }
  return all;
}

}  // namespace

Result<FieldSelector> parse_field_selector(std::string_view text) {
  FieldSelector out;
  std::vector<std::string_view> terms = split_terms(text);
  std::sort(terms.begin(), terms.end());  // the first fault is reported
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    auto one = split_term(text, term);
    if (!one) return one.error();
    out.push_back(*std::move(one));
  }
  return out;
}

std::optional<std::string> unknown_field(const FieldSelector& selector, std::string_view resource) {
  const std::span<const std::string_view> known = fields_of(resource);
  for (const FieldTerm& term : selector) {
    if (std::find(known.begin(), known.end(), term.field) == known.end()) return term.field;
  }
  return std::nullopt;
}

bool matches(const FieldSelector& selector, const boost::json::object& object) {
  return std::all_of(selector.begin(), selector.end(),
                     [&](const FieldTerm& term) { return (text_of_field(object, term.field) == term.value) != term.is_negated; });
}

}  // namespace rollcall::sim
