#include "memory/freed_secrets.hpp"

#include <execinfo.h>
#include <fmt/format.h>
#include <malloc.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "support/live_bytes.hpp"

namespace rollcall::testing {
namespace {

constexpr std::size_t piece_size = sizeof(std::uint64_t);

// A hash table of the pieces of all secrets. Its functions allocate nothing while memory is scanned.
class PieceTable {
 public:
  static constexpr std::size_t slots = std::size_t{1} << 16;

  void add(std::uint64_t piece, int secret) {
    Slot* const slot = at(piece);
    slot->piece = piece;
    slot->secret = secret;
  }
  // The number of the secret that contains the piece, or 0.
  int find(std::uint64_t piece) noexcept { return at(piece)->secret; }

 private:
  struct Slot {
    std::uint64_t piece = 0;
    int secret = 0;
  };
  Slot* at(std::uint64_t piece) noexcept {
    std::size_t slot = piece * std::uint64_t{0x9e3779b97f4a7c15} >> 48;
    while (table_[slot].secret != 0 && table_[slot].piece != piece) slot = (slot + 1) % slots;
    return &table_[slot];
  }
  std::array<Slot, slots> table_;
};

struct Finding {
  int secret = 0;
  bool is_of_openssl = false;
  std::size_t size = 0;
  std::array<void*, 12> frames{};
  int depth = 0;
};

PieceTable pieces;
std::vector<std::string> names = {""};  // by number
std::array<Finding, 64> found;
std::size_t count = 0;
bool is_watching = false;
bool has_openssl = false;

void poll(const char* memory, std::size_t size, bool is_of_openssl) noexcept {
  if (!is_watching || size < piece_size || count == found.size()) return;
  for (std::size_t at = 0; at + piece_size <= size; ++at) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, memory + at, piece_size);
    const int secret = pieces.find(piece);
    if (secret == 0) continue;
    is_watching = false;  // the first backtrace() allocates
    Finding& finding = found[count++];
    finding.secret = secret;
    finding.is_of_openssl = is_of_openssl;
    finding.size = size;
    finding.depth = ::backtrace(finding.frames.data(), static_cast<int>(finding.frames.size()));
    is_watching = true;
    return;
  }
}

// Zeroed, so that old contents of the memory are not found.
void* openssl_malloc(std::size_t size, const char*, int) {
  void* const memory = std::malloc(size);
  if (memory) std::memset(memory, 0, ::malloc_usable_size(memory));
  return memory;
}
// OpenSSL's base64 decoder, which PEM uses, does not wipe its line buffer: its block is recognised by its size.
constexpr std::size_t decoder_size = 104;

void openssl_free(void* memory, const char*, int) {
  const std::size_t size = memory ? ::malloc_usable_size(memory) : 0;
  if (memory && size != decoder_size) poll(static_cast<const char*>(memory), size, true);
  std::free(memory);
}
void* openssl_realloc(void* memory, std::size_t size, const char* file, int line) {
  void* const moved = openssl_malloc(size, file, line);
  if (!moved) return nullptr;
  if (memory) std::memcpy(moved, memory, std::min(size, ::malloc_usable_size(memory)));
  openssl_free(memory, file, line);
  return moved;
}

// Must run before OpenSSL's first allocation, since OpenSSL refuses it later.
const bool is_set_up = [] {
#ifdef ROLLCALL_HAS_OWN_ALLOCATOR
  constexpr bool has_own_delete = false;
#else
  constexpr bool has_own_delete = true;
#endif
  if (!has_own_delete) return false;
  has_openssl = CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) == 1;
  before_free = [](const char* memory, std::size_t size) { poll(memory, size, false); };
  return true;
}();

}  // namespace

bool can_watch_secrets() noexcept { return is_set_up && has_openssl; }

void watch_secret(std::string_view name, std::string_view secret) {
  names.emplace_back(name);
  for (std::size_t at = 0; at + piece_size <= secret.size(); ++at) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, secret.data() + at, piece_size);
    pieces.add(piece, static_cast<int>(names.size()) - 1);
  }
}

SecretWatch::SecretWatch() {
  count = 0;
  is_watching = true;
}

SecretWatch::~SecretWatch() { is_watching = false; }

std::string SecretWatch::findings() {
  is_watching = false;
  std::string text;
  for (const Finding& finding : std::span(found).first(count)) {
    text += fmt::format("{}, in {} bytes freed by {}\n", names[static_cast<std::size_t>(finding.secret)], finding.size,
                        finding.is_of_openssl ? "OpenSSL" : "operator delete");
    const std::unique_ptr<char*, decltype(&std::free)> frames(::backtrace_symbols(finding.frames.data(), finding.depth), &std::free);
    for (int i = 2; frames && i < finding.depth; ++i) text += fmt::format("    {}\n", frames.get()[i]);
  }
  return text;
}

}  // namespace rollcall::testing
