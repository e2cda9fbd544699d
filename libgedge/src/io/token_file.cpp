#include "gedge/io/token_file.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gedge/io/files.hpp"
#include "io/changing_file.hpp"

namespace gedge {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 10;
constexpr std::string_view kBlanks = " \t\r";

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view token) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Error wrong(const std::string& path, int line, std::string what, std::string hint) {
  SourceSpan where;
  where.origin = path;
  where.line = line;
  where.column = line > 0 ? 1 : 0;
  return invalid_input(std::move(what), std::move(where), std::move(hint));
}

// What is wrong with a token; never the token itself.
Status check(const std::string& path, int line, std::string_view token) {
  const bool visible =
      std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!visible)
    return wrong(path, line, "a token has characters that no header carries",
                 "write one token a line, of letters, digits and signs");
  if (token.size() < TokenFile::kLeastLength)
    return wrong(path, line,
                 "a token of fewer than " + std::to_string(TokenFile::kLeastLength) +
                     " characters can be guessed",
                 "make one with `openssl rand -hex 32`");
  if (token.size() > TokenFile::kMostLength)
    return wrong(path, line,
                 "a token has more than " + std::to_string(TokenFile::kMostLength) + " characters",
                 {});
  return {};
}

Result<std::vector<Digest>> read_tokens(const std::string& path) {
  DiskFiles files;
  auto bytes = files.read(path, kMostBytes);
  if (!bytes) return std::move(bytes).error();
  std::vector<Digest> digests;
  std::string_view rest = *bytes;
  Status checked;
  for (int line = 1; !rest.empty() && checked; ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view token = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (token.empty()) continue;
    checked = check(path, line, token);
    digests.push_back(digest_of(token));
  }
  OPENSSL_cleanse(bytes->data(), bytes->size());
  if (!checked) return std::move(checked).error();
  if (digests.empty())
    return wrong(path, 0, "there is no token in the file", "make one with `openssl rand -hex 32`");
  return digests;
}

}  // namespace

struct TokenFile::State {
  ChangingFile file;
  std::vector<Digest> digests;
};

TokenFile::TokenFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TokenFile::TokenFile(TokenFile&&) noexcept = default;
TokenFile& TokenFile::operator=(TokenFile&&) noexcept = default;
TokenFile::~TokenFile() = default;

Result<TokenFile> TokenFile::open(std::string path) {
  TokenFile tokens(std::unique_ptr<State>(new State{ChangingFile(std::move(path)), {}}));
  GEDGE_TRY(tokens.refresh());
  return tokens;
}

Status TokenFile::refresh() {
  if (!state_->file.changed()) return {};
  auto digests = read_tokens(state_->file.path());
  if (!digests) return std::move(digests).error();
  state_->digests = *std::move(digests);
  return {};
}

bool TokenFile::accepts(std::string_view token) const {
  const Digest digest = digest_of(token);
  int found = 0;
  for (const Digest& known : state_->digests)
    found |= static_cast<int>(CRYPTO_memcmp(known.data(), digest.data(), digest.size()) == 0);
  return found != 0;
}

}  // namespace gedge
