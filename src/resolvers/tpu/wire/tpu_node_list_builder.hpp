// The sink of a node list's JSON events: passes what lies inside nodes[] on to a TpuNodeBuilder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node_builder.hpp"
#include "resolvers/tpu/wire/tpu_node_list.hpp"

namespace rollcall {

class TpuNodeListBuilder {
 public:
  TpuNodeListBuilder(std::optional<TpuNodeListParser::WantedIds> wanted, const ParseLimits& limits)
      : limits_(limits), wanted_(std::move(wanted)), node_(limits) {}

  bool open(bool is_array);
  bool close();
  bool key(std::string_view name);
  bool value(const JsonScalar& scalar);
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
  TpuNodeBuilder node_;
  std::optional<Failure> node_failure_;  // of the node being read; the rest of it is passed over
  Place place_ = Place::outside;
  Field field_ = Field::unknown;
  std::size_t node_depth_ = 0;
  std::size_t skip_depth_ = 0;
  std::size_t node_count_ = 0;
  std::size_t memory_before_ = 0;  // the node that is read
  std::optional<Failure> failure_;
};

}  // namespace rollcall
