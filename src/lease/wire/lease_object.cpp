#include "lease/wire/lease_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <limits>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"

namespace rollcall::lease {
namespace {

constexpr std::string_view lease_document = "the Lease";
constexpr std::string_view url_annotation = "rollcall.dev/url";
constexpr std::string_view epoch_annotation = "rollcall.dev/epoch";

boost::json::object& object_below(boost::json::object& object, std::string_view key) {
  boost::json::value& member = object[key];
  if (!member.is_object()) member.emplace_object();
  return member.get_object();
}

// Kubernetes takes exactly six digits [facts: k8s-micro-time].
std::string micro_time(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time - seconds);
  std::string text = format_rfc3339(seconds);
  text.pop_back();
  return text + fmt::format(".{:06}Z", micros.count());
}

std::int64_t whole_in(const boost::json::value& spec, std::string_view key) {
  const boost::json::value* const found = find(spec, key);
  return found && found->is_int64() ? found->get_int64() : 0;
}

}  // namespace

Result<LeaseObject> parse_lease_object(std::string_view text, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse(lease_document, text, limits);
  if (!document) return document.error();
  const boost::json::object* const metadata = find_object(document->root(), "metadata");
  if (!metadata) return Failure(Errc::malformed_response, fmt::format("{} has no metadata", lease_document));
  const auto text_of = [&document](std::string_view section, std::string_view key) {
    const boost::json::value* const part = find(document->root(), section);
    return std::string(part ? find_text(*part, key).value_or("") : "");
  };
  const std::string uid = text_of("metadata", "uid");
  const std::string revision = text_of("metadata", "resourceVersion");
  if (uid.empty() || revision.empty())
    return Failure(Errc::malformed_response, fmt::format("{} has no uid and resourceVersion", lease_document));
  LeaseObject lease;
  LeaseRecord& record = lease.record;
  record.version = uid + '/' + revision;
  record.holder = text_of("spec", "holderIdentity");
  const boost::json::value* const annotations = find(document->root().at("metadata"), "annotations");
  const std::string epoch(annotations ? find_text(*annotations, epoch_annotation).value_or("") : "");
  if (epoch.empty() && !record.holder.empty()) {
    return Failure(Errc::failed_precondition, fmt::format("{} is held by another program, {}", lease_document, quoted(record.holder, 80)))
        .with_hint(fmt::format("name another Lease; one of Rollcall has the annotation {}", epoch_annotation));
  }
  const auto number = parse_decimal<std::uint64_t>(epoch);
  if (!number && !epoch.empty())
    return Failure(Errc::malformed_response,
                   fmt::format("{} has an annotation {} that is no number: {}", lease_document, epoch_annotation, quoted(epoch, 40)));
  record.epoch = number.value_or(0);
  record.url = std::string(annotations ? find_text(*annotations, url_annotation).value_or("") : "");
  const boost::json::value* const spec = find(document->root(), "spec");
  const std::int64_t seconds = spec ? whole_in(*spec, "leaseDurationSeconds") : 0;
  record.ttl = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, 24 * 3600));
  const Result<void> fine = check_record(lease_document, record);
  if (!fine) return fine.error();
  lease.whole = boost::json::object(document->root().get_object(), boost::json::storage_ptr());
  return lease;
}

std::string render_lease_object(const boost::json::object& before, const LeaseRecord& seen, const LeaseRecord& next, std::string_view name,
                                std::string_view namespace_name, WallTime now) {
  boost::json::object whole = before;
  whole["apiVersion"] = "coordination.k8s.io/v1";
  whole["kind"] = "Lease";
  boost::json::object& metadata = object_below(whole, "metadata");
  metadata["name"] = name;
  metadata["namespace"] = namespace_name;
  metadata.erase("managedFields");  // long, and kept by the server
  boost::json::object& spec = object_below(whole, "spec");
  spec["leaseDurationSeconds"] = std::chrono::ceil<std::chrono::seconds>(next.ttl).count();
  if (next.epoch == 0) return boost::json::serialize(whole);
  boost::json::object& annotations = object_below(metadata, "annotations");
  annotations[url_annotation] = next.url;
  annotations[epoch_annotation] = fmt::format("{}", next.epoch);
  spec["holderIdentity"] = next.holder;
  spec["renewTime"] = micro_time(now);
  const bool is_taking = !next.holder.empty() && next.epoch != seen.epoch;
  if (is_taking) {
    spec["acquireTime"] = micro_time(now);
    const std::int64_t before_it = whole_in(whole.at("spec"), "leaseTransitions");
    spec["leaseTransitions"] = std::clamp<std::int64_t>(before_it, 0, std::numeric_limits<std::int32_t>::max() - 1) + 1;
  }
  return boost::json::serialize(whole);
}

}  // namespace rollcall::lease
