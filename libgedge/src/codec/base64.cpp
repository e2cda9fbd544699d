#include "codec/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>

namespace gedge::codec {
namespace {

constexpr std::size_t kMost = std::numeric_limits<int>::max() / 2;

bool is_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/';
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != '\n' && c != '\r'; });
  const std::size_t padding = digits.ends_with("==") ? 2 : digits.ends_with('=') ? 1 : 0;
  const bool fits =
      digits.size() % 4 == 0 && digits.size() <= kMost &&
      std::all_of(digits.begin(), digits.end() - static_cast<long>(padding), is_digit);
  if (!fits) return std::nullopt;
  std::string bytes(digits.size() / 4 * 3, '\0');
  if (bytes.empty()) return bytes;
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(digits.data()),
                                   static_cast<int>(digits.size()));
  if (size < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string digits((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and a NUL
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(digits.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  digits.pop_back();
  return digits;
}

}  // namespace gedge::codec
