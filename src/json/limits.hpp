// Limits of the data that a parser keeps. The size of the document itself is limited by its reader.
#pragma once

#include <cstddef>
#include <memory>

#include "json/memory_share.hpp"

namespace rollcall {

class ParseLimits {
 public:
  ParseLimits() {}

  std::size_t max_depth = 64;             ///< nesting of arrays and objects
  std::size_t max_text = 16 * 1024;       ///< bytes of one text that is kept
  std::size_t max_items = 65'536;         ///< symptoms of one node, entries of one list of texts
  std::size_t max_endpoints = 65'536;     ///< of one node or one list of hosts
  std::size_t max_nodes = 262'144;        ///< nodes of one list, skipped ones included
  std::size_t max_document = 8 << 20;     ///< bytes of a document that is read through a DOM
  std::size_t max_document_memory = std::size_t{64} << 20;  ///< bytes of memory for such a document
  std::size_t max_memory = std::size_t{160} << 20;  ///< bytes of memory for kept data, if there is no `memory`
  std::shared_ptr<MemoryAccount> memory;            ///< shared with other documents that are being read; none: its own

  /// Must be used by readers that keep data, which charge it to this.
  MemoryShare share() const { return memory ? MemoryShare(memory) : MemoryShare(max_memory); }
};

}  // namespace rollcall
