// Parses one page of nodes.list, chunk by chunk.
#include "resolvers/tpu/wire/tpu_node_list.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json_sax.hpp"
#include "json/json_scalar.hpp"
#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

// Takes the JSON events of a list, and passes the events inside nodes[] to a TpuNodeBuilder.
class TpuNodeListBuilder {
 public:
  TpuNodeListBuilder(std::optional<TpuNodeListParser::WantedIds> wanted, const ParseLimits& limits)
      : limits_(limits), wanted_(std::move(wanted)), node_(node_read_, limits, TpuFields::all) {}

  bool open(bool is_array);
  bool close();
  bool key(std::string_view name);
  bool value(const JsonScalar& scalar);
  bool skips() const { return in_node() ? node_failure_ || node_.skips() : skip_depth_ > 0; }
  bool wants_text() const;
  bool text_too_long();

  const std::optional<Failure>& failure() const { return failure_; }
  MemoryShare& memory() { return node_.memory(); }

  TpuNodeList list;

 private:
  enum class Place { outside, page, nodes, unreachable };
  enum class Field { unknown, nodes, next_page_token, unreachable };

  bool in_node() const { return node_depth_ > 0; }
  bool judge(bool is_accepted);
  bool end_node();
  bool keep_node();
  bool keep_fault(const std::string& id);
  bool refuse_memory();
  bool wrong_type(std::string_view wanted);
  bool refuse(Errc code, std::string what);

  ParseLimits limits_;
  std::optional<TpuNodeListParser::WantedIds> wanted_;
  TpuNode node_read_;
  TpuNodeBuilder node_;
  std::optional<Failure> node_failure_;  // of the current node; the rest of that node is skipped
  Place place_ = Place::outside;
  Field field_ = Field::unknown;
  std::size_t node_depth_ = 0;
  std::size_t skip_depth_ = 0;
  std::size_t node_count_ = 0;
  std::size_t memory_before_ = 0;  // before the current node
  std::optional<Failure> failure_;
};

bool TpuNodeListBuilder::wants_text() const {
  if (in_node()) return node_.wants_text();
  return place_ == Place::unreachable || (place_ == Place::page && field_ == Field::next_page_token);
}

// A refused node does not end the list: its remaining events are skipped. An exceeded limit does, since memory is at stake.
bool TpuNodeListBuilder::judge(bool is_accepted) {
  if (is_accepted) return true;
  if (node_.failure()->code() == Errc::limit_exceeded) {
    failure_ = std::move(*node_.failure());
    return false;
  }
  node_failure_ = std::move(*node_.failure());
  return true;
}

bool TpuNodeListBuilder::open(bool is_array) {
  if (in_node()) {
    ++node_depth_;
    return node_failure_ ? true : judge(node_.open(is_array));
  }
  if (skip_depth_ > 0) {
    ++skip_depth_;
    return true;
  }
  switch (place_) {
    case Place::outside:
      if (is_array) return wrong_type("an object");
      place_ = Place::page;
      return true;
    case Place::nodes:
      if (is_array) return wrong_type("an object");
      if (++node_count_ > limits_.max_nodes) return refuse(Errc::limit_exceeded, "has too many nodes");
      node_depth_ = 1;
      memory_before_ = memory().used();
      return judge(node_.open(false));
    case Place::unreachable: return wrong_type("a text");
    case Place::page: break;
  }
  switch (field_) {
    case Field::unknown: ++skip_depth_; return true;
    case Field::next_page_token: return wrong_type("a text");
    case Field::nodes:
    case Field::unreachable: break;
  }
  if (!is_array) return wrong_type("an array");
  const bool is_nodes = field_ == Field::nodes;
  if (is_nodes) list.nodes.clear(), list.faults.clear();
  if (!is_nodes) list.unreachable.clear();
  place_ = is_nodes ? Place::nodes : Place::unreachable;
  return true;
}

bool TpuNodeListBuilder::close() {
  if (in_node()) {
    const bool is_accepted = node_failure_ ? true : judge(node_.close());
    return --node_depth_ > 0 ? is_accepted : is_accepted && end_node();
  }
  if (skip_depth_ > 0) {
    --skip_depth_;
  } else {
    place_ = place_ == Place::page ? Place::outside : Place::page;
  }
  return true;
}

bool TpuNodeListBuilder::end_node() {
  const std::string id = node_read_.id;
  const bool is_wanted = !wanted_ || wanted_->contains(id);
  const bool is_kept = !node_failure_ && is_wanted;
  if (!is_kept) memory().return_to(memory_before_);
  const bool has_room = is_kept ? keep_node() : !node_failure_ || !(is_wanted || id.empty()) || keep_fault(id);
  node_failure_.reset();
  node_.reset();
  return has_room || refuse_memory();
}

bool TpuNodeListBuilder::keep_node() {
  TpuNode node = std::move(node_read_);
  std::vector<TpuNode::NetworkEndpoint>& endpoints = node.network_endpoints;
  constexpr std::size_t worth_a_copy = 64;
  if (const std::size_t spare = endpoints.capacity() - endpoints.size(); spare >= worth_a_copy) {
    endpoints.shrink_to_fit();
    memory().return_to(memory().used() - spare * sizeof(endpoints[0]));
  }
  if (!memory().make_room(list.nodes)) return false;
  list.nodes.push_back(std::move(node));
  return true;
}

bool TpuNodeListBuilder::keep_fault(const std::string& id) {
  if (list.faults.size() >= limits_.max_items) return true;
  const std::size_t texts = id.size() + node_failure_->what().size() + node_failure_->hint().size();
  if (!memory().charge(texts) || !memory().make_room(list.faults)) return false;
  list.faults.emplace_back(id, std::move(*node_failure_));
  return true;
}

bool TpuNodeListBuilder::key(std::string_view name) {
  if (in_node()) return judge(node_.key(name));
  field_ = name == "nodes"           ? Field::nodes
           : name == "nextPageToken" ? Field::next_page_token
           : name == "unreachable"   ? Field::unreachable
                                     : Field::unknown;
  return true;
}

bool TpuNodeListBuilder::value(const JsonScalar& scalar) {
  using Kind = JsonScalar::Kind;
  if (in_node()) return judge(node_.value(scalar));
  switch (place_) {
    case Place::outside:
    case Place::nodes: return wrong_type("an object");
    case Place::unreachable:
      if (scalar.kind != Kind::text) return wrong_type("a text");
      if (list.unreachable.size() >= limits_.max_items) return refuse(Errc::limit_exceeded, "has too many unreachable locations");
      if (!memory().charge_text(scalar.text) || !memory().make_room(list.unreachable)) return refuse_memory();
      list.unreachable.emplace_back(scalar.text);
      return true;
    case Place::page: break;
  }
  switch (field_) {
    case Field::unknown: return true;
    case Field::next_page_token:
      if (scalar.kind != Kind::text && scalar.kind != Kind::null) return wrong_type("a text");
      list.next_page_token.assign(scalar.text);
      return true;
    case Field::nodes:
      list.nodes.clear();
      list.faults.clear();
      break;
    case Field::unreachable: list.unreachable.clear(); break;
  }
  return scalar.kind == Kind::null ? true : wrong_type("an array");
}

bool TpuNodeListBuilder::text_too_long() {
  if (in_node()) return judge(node_.text_too_long());
  return refuse(Errc::limit_exceeded, fmt::format("has a text of more than {} bytes", limits_.max_text));
}

bool TpuNodeListBuilder::refuse_memory() {
  failure_ = too_much_memory("the list of TPU nodes", memory());
  return false;
}

bool TpuNodeListBuilder::wrong_type(std::string_view wanted) {
  std::string where = "the document";
  if (place_ == Place::nodes) {
    where = fmt::format("nodes[{}]", node_count_);
  } else if (place_ == Place::unreachable) {
    where = fmt::format("unreachable[{}]", list.unreachable.size());
  } else if (place_ == Place::page) {
    where = field_ == Field::nodes ? "nodes" : field_ == Field::unreachable ? "unreachable" : "nextPageToken";
  }
  return refuse(Errc::malformed_response, fmt::format("is malformed: {} is not {}", where, wanted));
}

bool TpuNodeListBuilder::refuse(Errc code, std::string what) {
  failure_.emplace(code, fmt::format("the list of TPU nodes {}", what));
  return false;
}

class TpuNodeListParser::Impl {
 public:
  Impl(std::optional<WantedIds> wanted, const ParseLimits& limits) : feed("the list of TPU nodes", limits, std::move(wanted), limits) {}
  TpuNodeListBuilder& builder() { return feed.sink; }
  JsonFeed<TpuNodeListBuilder> feed;
};

TpuNodeListParser::TpuNodeListParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(std::nullopt, limits)) {}
TpuNodeListParser::TpuNodeListParser(WantedIds wanted, const ParseLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(wanted), limits)) {}
TpuNodeListParser::~TpuNodeListParser() = default;
TpuNodeListParser::TpuNodeListParser(TpuNodeListParser&&) noexcept = default;
TpuNodeListParser& TpuNodeListParser::operator=(TpuNodeListParser&&) noexcept = default;

Result<void> TpuNodeListParser::feed(std::string_view chunk) { return impl_->feed.put(chunk); }
Result<void> TpuNodeListParser::finish() { return impl_->feed.finish(); }
std::vector<TpuNode> TpuNodeListParser::take_nodes() { return std::exchange(impl_->builder().list.nodes, {}); }
std::vector<TpuNodeListParser::Fault> TpuNodeListParser::take_faults() { return std::exchange(impl_->builder().list.faults, {}); }
const std::string& TpuNodeListParser::next_page_token() const { return impl_->builder().list.next_page_token; }
const std::vector<std::string>& TpuNodeListParser::unreachable() const { return impl_->builder().list.unreachable; }

MemoryShare& TpuNodeListParser::memory() { return impl_->builder().memory(); }

Result<TpuNodeList> parse_tpu_node_list(std::string_view json, const ParseLimits& limits) {
  TpuNodeListParser parser(limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  TpuNodeList list;
  list.nodes = parser.take_nodes();
  list.faults = parser.take_faults();
  list.next_page_token = parser.next_page_token();
  list.unreachable = parser.unreachable();
  return list;
}

}  // namespace rollcall
