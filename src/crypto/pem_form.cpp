#include "crypto/pem_form.hpp"

#include "base/pem_text.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall {

std::string pem_form_of(BIO& text) {
  constexpr int max_bytes = 16 * 1024;
  std::string head(max_bytes, '\0');
  const int size = BIO_reset(&text) >= 0 ? BIO_read(&text, head.data(), max_bytes) : 0;
  const std::string_view fault = pem_form_fault(std::string_view(head).substr(0, size > 0 ? static_cast<std::size_t>(size) : 0));
  const std::string form = fault.empty() ? std::string() : ": " + std::string(fault);
  clear_and_wipe(head);
  return form;
}

}  // namespace rollcall
