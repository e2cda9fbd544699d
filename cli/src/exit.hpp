// exit.hpp - every exit code of gedge, and which error leads to which. Nothing else decides them.
#pragma once

#include <array>
#include <string_view>

#include "gedge/base/error.hpp"

namespace gedge::cli {

enum class Exit : int {
  kYes = 0,
  kNo = 1,
  kUsage = 2,
  kInput = 3,
  kWorld = 4,
  kPartly = 5,
  kStale = 6,
  kBug = 70,
  kInterrupted = 130,
};

struct ExitMeaning {
  Exit code;
  std::string_view meaning;
};

inline constexpr std::array kExitMeanings{
    ExitMeaning{Exit::kYes,
                "done, and the answer is yes: all placed, nothing violated, no difference"},
    ExitMeaning{
        Exit::kNo,
        "done, and the answer is no: something unschedulable, a budget violated, a difference"},
    ExitMeaning{Exit::kUsage, "wrong usage"},
    ExitMeaning{Exit::kInput, "bad input"},
    ExitMeaning{Exit::kWorld, "the world refused: permission, a full disk, a timeout"},
    ExitMeaning{Exit::kPartly, "partly applied"},
    ExitMeaning{Exit::kStale, "the plan is stale, and nothing was applied"},
    ExitMeaning{Exit::kBug, "a bug in gedge"},
    ExitMeaning{Exit::kInterrupted, "interrupted"},
};

/// The code for an error met while reading or computing.
constexpr Exit exit_for(Errc code) {
  switch (code) {
    case Errc::kInvalidInput:
    case Errc::kNotFound:
    case Errc::kConflict:
      return Exit::kInput;
    case Errc::kTimeout:
    case Errc::kUnreachable:
    case Errc::kDenied:
      return Exit::kWorld;
    case Errc::kInternal:
      break;
  }
  return Exit::kBug;
}

/// The first error decides, except that a bug or a refusal among bad inputs is what the user must
/// hear of first.
inline Exit exit_for(const Errors& errors) {
  Exit worst = errors.empty() ? Exit::kYes : Exit::kInput;
  for (const Error& error : errors)
    if (static_cast<int>(exit_for(error.code)) > static_cast<int>(worst))
      worst = exit_for(error.code);
  return worst;
}

}  // namespace gedge::cli
