// Parses one page of nodes.list as bytes arrive. A page of thousands of nodes is never in memory as a whole.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

class TpuNodeListParser {
 public:
  /// A node that could not be parsed. It does not affect the page's other nodes.
  class Fault {
   public:
    Fault(std::string node_id, Failure failure) : id(std::move(node_id)), problem(std::move(failure)) {}
    std::string id;  ///< empty if the fault occurred before the name
    Failure problem;
  };
  using WantedIds = std::set<std::string, std::less<>>;

  explicit TpuNodeListParser(const ParseLimits& limits = {});
  /// Keeps only nodes whose id is in `wanted`, and faults of these nodes and of nodes without a name.
  TpuNodeListParser(WantedIds wanted, const ParseLimits& limits);
  ~TpuNodeListParser();
  TpuNodeListParser(TpuNodeListParser&&) noexcept;
  TpuNodeListParser& operator=(TpuNodeListParser&&) noexcept;

  /// The next bytes. Errors: malformed_response (not JSON, not an object, `nodes` not an array …), limit_exceeded; they are final.
  Result<void> feed(std::string_view chunk);
  /// Call it at the end of the body. Errors: also malformed_response for a body cut short.
  Result<void> finish();

  /// The nodes read so far, in the order of the page. May be taken between chunks.
  std::vector<TpuNode> take_nodes();
  std::vector<Fault> take_faults();
  /// Empty on the last page. Valid after finish().
  const std::string& next_page_token() const;
  /// Locations that did not answer: a node missing from the list may be there. Valid after finish().
  const std::vector<std::string>& unreachable() const;
  /// The memory charged for the nodes kept and taken. A caller may keep it longer than the parser.
  MemoryShare& memory();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses a page that is already in memory.
class TpuNodeList {
 public:
  TpuNodeList() {}
  std::vector<TpuNode> nodes;
  std::vector<TpuNodeListParser::Fault> faults;
  std::string next_page_token;
  std::vector<std::string> unreachable;
};
Result<TpuNodeList> parse_tpu_node_list(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
