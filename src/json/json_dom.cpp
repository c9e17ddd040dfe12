// Small documents off the hot path.
#include "json/json_dom.hpp"

#include <fmt/format.h>

#include <boost/json/parser.hpp>
#include <cstring>
#include <new>

#include "json/json_sax.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {
namespace {

// Heap memory for one document, with a limit; it is overwritten when freed, since documents may contain tokens. It stores block sizes
// itself, because Boost 1.81's monotonic_resource returns its blocks with a size that is too small.
class DocumentMemory final : public boost::json::memory_resource {
 public:
  explicit DocumentMemory(std::size_t limit) : left_(limit) {}

 private:
  static constexpr std::size_t header = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (alignment > header) throw std::bad_alloc();  // nothing in a document needs that
    if (left_ < header || size > left_ - header) throw std::bad_alloc();
    left_ -= header + size;
    void* block = ::operator new(header + size);
    std::memcpy(block, &size, sizeof size);
    return static_cast<char*>(block) + header;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    void* block = static_cast<char*>(memory) - header;
    std::size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    wipe(block, header + size);
    left_ += header + size;
    ::operator delete(block);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t left_;
};

}  // namespace

Result<JsonDocument> JsonDocument::parse(std::string_view document, std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.max_document) {
    return Failure(Errc::limit_exceeded, fmt::format("{} has {} bytes, more than {}", document, text.size(), limits.max_document));
  }
  JsonDocument result;
  result.heap_ = std::make_unique<DocumentMemory>(limits.max_document_memory);
  result.memory_ = std::make_unique<boost::json::monotonic_resource>(1024, result.heap_.get());
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  try {
    boost::json::parser parser(result.heap_.get(), options);
    parser.reset(result.memory_.get());
    boost::json::error_code error;
    const std::size_t used = parser.write(text.data(), text.size(), error);
    if (error) return json_failure(document, error, used, text);
    result.root_ = std::make_unique<boost::json::value>(parser.release());
  } catch (const std::bad_alloc&) {
    return too_much_memory(document, MemoryShare(limits.max_document_memory));
  }
  return result;
}

const boost::json::value* find(const boost::json::value& object, std::string_view key) {
  const boost::json::object* members = object.if_object();
  const boost::json::value* value = members ? members->if_contains(key) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}

const boost::json::object* find_object(const boost::json::value& object, std::string_view key) {
  const boost::json::value* value = find(object, key);
  return value ? value->if_object() : nullptr;
}

std::optional<std::string_view> find_text(const boost::json::value& object, std::string_view key) {
  const boost::json::value* value = find(object, key);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

std::string_view kind_name(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "a boolean";
    case boost::json::kind::string: return "a text";
    case boost::json::kind::array: return "an array";
    case boost::json::kind::object: return "an object";
    default: return "a number";
  }
}

}  // namespace rollcall
