// Decision: the time of an event is the first that it has of series.lastObservedTime, lastTimestamp, eventTime, firstTimestamp and
// metadata.creationTimestamp: the scheduler's events have neither lastTimestamp nor count, those of the kubelet have no eventTime
// [facts: k8s-event-times].
#include "resolvers/kubernetes/chain/wire/kube_event.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/order.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_fields.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_event_text = std::size_t{4} << 20;  // bytes of a text that is read; only its beginning is kept

enum EventTime : std::size_t { last_observed, last_seen, event_time, first_seen, created, event_times };

// The page, and the event that is being read.
class EventPage {
 public:
  EventPage() {}
  std::string next_page_token;
  EventBook* book = nullptr;
  KubeEvent event;
  std::array<std::optional<WallTime>, event_times> times;
};

void clear_event(EventPage& page) {
  page.event = KubeEvent();
  page.times = {};
}
std::string end_event(EventPage& page) {
  for (const std::optional<WallTime>& time : page.times) {
    if (!page.event.at) page.event.at = time;
  }
  page.event.first = page.times[first_seen]   ? page.times[first_seen]
                     : page.times[event_time] ? page.times[event_time]
                                              : page.times[created];
  if (page.event.count < 1) page.event.count = 1;
  if (page.book) page.book->take(std::move(page.event));
  clear_event(page);
  return {};
}
template <std::string KubeEvent::* Member, std::size_t max_bytes>
std::string set_event_text(EventPage& page, std::string_view text) {
  page.event.*Member = printable(text, max_bytes);
  return {};
}
std::string set_container(EventPage& page, std::string_view path) {
  page.event.container.clear();
  const std::size_t begin = path.find('{');
  if (begin != std::string_view::npos && path.ends_with('}'))
    page.event.container = printable(path.substr(begin + 1, path.size() - begin - 2), max_name_text);
  return {};
}
template <EventTime which>
std::string set_event_time(EventPage& page, std::string_view text) {
  page.times[which] = parse_rfc3339(text);
  return {};
}
std::string set_event_count(EventPage& page, std::int64_t count) {
  page.event.count = std::max(page.event.count, count);
  return {};
}
std::string set_component(EventPage& page, std::string_view text) {
  if (!text.empty()) page.event.component = printable(text, max_name_text);
  return {};
}

// clang-format off
constexpr auto involved_fields = json_object<EventPage>(
    text_field<set_event_text<&KubeEvent::kind, 64>>("kind"),
    text_field<set_event_text<&KubeEvent::namespace_name, max_name_text>>("namespace"),
    text_field<set_event_text<&KubeEvent::name, max_name_text>>("name"),
    text_field<set_event_text<&KubeEvent::uid, 128>>("uid"),
    text_field<set_container>("fieldPath"));
constexpr auto event_source_fields = json_object<EventPage>(text_field<set_component>("component"));
constexpr auto event_series_fields = json_object<EventPage>(
    text_field<set_event_time<last_observed>>("lastObservedTime"),
    integer_field<set_event_count>("count"));
constexpr auto event_meta_fields = json_object<EventPage>(text_field<set_event_time<created>>("creationTimestamp"));
constexpr auto event_fields = json_object<EventPage, end_event>(
    inner_field<event_meta_fields>("metadata"),
    inner_field<involved_fields>("involvedObject"),
    text_field<set_event_text<&KubeEvent::reason, 128>>("reason"),
    text_field<set_event_text<&KubeEvent::message, max_cause_text>>("message"),
    text_field<set_event_text<&KubeEvent::type, 64>>("type"),
    inner_field<event_source_fields>("source"),
    text_field<set_component>("reportingComponent"),
    inner_field<event_series_fields>("series"),
    integer_field<set_event_count>("count"),
    text_field<set_event_time<event_time>>("eventTime"),
    text_field<set_event_time<first_seen>>("firstTimestamp"),
    text_field<set_event_time<last_seen>>("lastTimestamp"));
constexpr auto event_list_fields = json_object<EventPage>(text_field<&EventPage::next_page_token>("continue"));
constexpr auto event_page_fields = json_object<EventPage>(
    inner_field<event_list_fields>("metadata"),
    inner_array<event_fields, clear_event>("items"));
constexpr JsonForm<EventPage> event_page_form = json_form<event_page_fields>("the list of events");
// clang-format on

ParseLimits event_limits(const ParseLimits& limits) {
  ParseLimits wide = limits;
  wide.max_text = std::max(wide.max_text, max_event_text);
  wide.max_items = std::max(wide.max_items, wide.max_nodes);
  return wide;
}

}  // namespace

void EventBook::take(KubeEvent event) {
  if (wanted_ && !wanted_(event)) return;
  // The scheduler and an autoscaler say the same reason, and other words.
  const bool is_by_several = event.reason == "FailedScheduling" && event.container.empty();
  Key key(event.uid.empty() ? event.label() : event.uid, event.reason, is_by_several ? event.component : event.container);
  const auto found = events_.find(key);
  if (found == events_.end()) {
    if (events_.size() >= max_events) {
      is_cut_ = true;
      return;
    }
    events_.emplace(std::move(key), std::move(event));
    return;
  }
  if (event.first && (!found->second.first || *event.first < *found->second.first)) found->second.first = event.first;
  if (!event.at || (found->second.at && *event.at < *found->second.at)) return;
  if (found->second.first && (!event.first || *found->second.first < *event.first)) event.first = found->second.first;
  found->second = std::move(event);
}

const KubeEvent* EventBook::find(std::string_view uid, std::string_view reason, std::string_view container) const {
  const KubeEvent* latest = nullptr;
  for (const KubeEvent* const event : of(uid)) {
    if (event->reason == reason && (container.empty() || event->container == container)) latest = event;
  }
  return latest;
}

std::vector<const KubeEvent*> EventBook::of(std::string_view uid) const {
  std::vector<const KubeEvent*> mine;
  if (uid.empty()) return mine;
  const std::tuple<std::string_view, std::string_view, std::string_view> from(uid, "", "");
  for (auto at = events_.lower_bound(from); at != events_.end() && std::get<0>(at->first) == uid; ++at) mine.push_back(&at->second);
  sort_stably(mine, [](const KubeEvent* a, const KubeEvent* b) { return a->at < b->at; });
  return mine;
}

std::vector<const KubeEvent*> EventBook::with(std::string_view reason) const {
  std::vector<const KubeEvent*> found;
  for (const auto& [key, event] : events_) {
    if (event.reason == reason) found.push_back(&event);
  }
  return found;
}

class EventListParser::Impl {
 public:
  Impl(EventBook& book, const ParseLimits& limits) : parser(limits) { parser.page().book = &book; }
  PageParser<EventPage, event_page_form> parser;
};

EventListParser::EventListParser(EventBook& book, const ParseLimits& limits) : impl_(std::make_unique<Impl>(book, event_limits(limits))) {}
EventListParser::~EventListParser() = default;
EventListParser::EventListParser(EventListParser&&) noexcept = default;
EventListParser& EventListParser::operator=(EventListParser&&) noexcept = default;

Result<void> EventListParser::feed(std::string_view chunk) { return impl_->parser.feed(chunk); }
Result<void> EventListParser::finish() { return impl_->parser.finish(); }
const std::string& EventListParser::next_page() const { return impl_->parser.next_page_token(); }

}  // namespace rollcall
