// gedge/base/error.hpp - an error is what happened, where, and how to fix it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gedge {

/// Kinds are chosen by what the caller does next, not by who noticed.
enum class Errc : std::uint8_t {
  kInvalidInput,  ///< the user's bytes are wrong: exit 3
  kNotFound,      ///< a thing that was named does not exist
  kTimeout,
  kUnreachable,
  kDenied,
  kConflict,
  kInternal,  ///< a bug in gedge: exit 70
};

/// Where in the user's text; lines and columns start at 1, columns count bytes.
struct SourceSpan {
  std::string origin;  ///< "cluster.yaml", "<stdin>", "--what-if"; empty: nowhere
  int line = 0;        ///< 0: the origin has no lines
  int column = 0;
  std::string excerpt;  ///< the line itself, without its end, for the caret; may be empty
  int length = 1;       ///< how many bytes of the excerpt the carets underline

  friend bool operator==(const SourceSpan&, const SourceSpan&) = default;
};

struct Error {
  Errc code = Errc::kInternal;
  std::string what;  ///< lower case, one clause, no full stop
  SourceSpan where;  ///< where, if anybody knows
  std::string hint;  ///< what to do next; empty rather than a guess
};

/// Readers go on after an error and report all of them, ordered by file and place.
using Errors = std::vector<Error>;

/// Something the user should know that does not stop the run. `code` is one word of a closed list.
struct Warning {
  std::string code;  ///< CamelCase, for example "UnknownLatencyName"
  std::string message;
  SourceSpan where;
};

inline Error invalid_input(std::string what, SourceSpan where = {}, std::string hint = {}) {
  return {Errc::kInvalidInput, std::move(what), std::move(where), std::move(hint)};
}

}  // namespace gedge
