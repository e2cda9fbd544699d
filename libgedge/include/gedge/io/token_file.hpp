// gedge/io/token_file.hpp - the secrets by which callers are known, in a file that may change.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"

namespace gedge {

/// One token a line; each of them is accepted, so that a new one can be handed out before the old
/// one goes. Blanks around a token and empty lines do not count. Only digests are kept.
/// Not for two threads at once.
class TokenFile {
 public:
  /// Errors: those of reading a file; kInvalidInput where it has no token, or one that is too short
  /// to be secret, too long, or has characters that no header carries.
  static Result<TokenFile> open(std::string path);
  TokenFile(TokenFile&&) noexcept;
  TokenFile& operator=(TokenFile&&) noexcept;
  ~TokenFile();

  /// Reads the file again if it has changed. Errors: as of open(), once a change; the tokens known
  /// before stay.
  Status refresh();
  /// Whether it is one of them. Takes as long for a wrong token as for a right one.
  bool accepts(std::string_view token) const;

  static constexpr std::size_t kLeastLength = 16, kMostLength = 4'096;

 private:
  struct State;
  explicit TokenFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gedge
