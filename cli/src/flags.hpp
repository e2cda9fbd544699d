// flags.hpp - the flags of one command: each described once, for parsing, help, manual and
// completion alike.
//
// CLI11 stays behind this header: including it costs a compiler four seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"

namespace gedge::cli {

/// What a shell may offer for a value, beyond the words of the flag itself.
enum class Live : std::uint8_t {
  kNothing,
  kFiles,
  kProfiles,
  kPolicies,
  kPods,
  kNodes,
  kAutoscalers,
  kWorkloads,  ///< what has replicas
  kCommands,
  kSubcommands,  ///< the second words of the command that stands there
};

struct Flag {
  std::string name;        ///< "filename", without dashes; "POD" for an operand
  char letter = 0;         ///< 'f' for -f; 0: none
  std::string value = {};  ///< what the value is called in help: "FILE"; empty: a switch
  std::string help = {};   ///< imperative, no full stop, at most 50 characters
  std::string fallback =
      {};  ///< shown in brackets; set by the caller to what the option struct holds
  std::vector<std::string> words = {};  ///< if any: the only values accepted
  Live live = Live::kNothing;
  bool repeats = false;        ///< may be given several times
  bool once = false;           ///< a second one is an error; else the last one counts
  bool operand = false;        ///< found by its place, not by its name
  bool required = false;       ///< operands only
  bool shapes_answer = false;  ///< a hint that repeats the command repeats this flag
  std::string heading = {};    ///< the group in help; filled in by FlagSet
};

class FlagSet {
 public:
  using Take = std::function<Status(const std::string&)>;  ///< receives each value; an error's
                                                           ///< `where` is ignored

  FlagSet();
  FlagSet(FlagSet&&) noexcept;
  FlagSet& operator=(FlagSet&&) noexcept;
  ~FlagSet();

  /// Flags added from now on appear under this heading.
  void heading(std::string text) { heading_ = std::move(text); }
  /// The targets must outlive the parse. A `Take` gets values in their order on the command line.
  void add(Flag flag, bool& target);
  void add(Flag flag, std::string& target);
  void add(Flag flag, std::vector<std::string>& target);
  void add(Flag flag, const Take& take);
  /// Every argument as it is, flags and all; for commands that look at other command lines.
  void add_rest(std::vector<std::string>& target) { rest_ = &target; }

  /// Everything behind `--`, as it is: a command line of somebody else.
  void add_behind_dashes(std::vector<std::string>& target) { behind_ = &target; }

  /// How many arguments at the front are flags and their values.
  std::size_t leading_flags(const std::vector<std::string>& args) const;

  const std::vector<Flag>& flags() const { return flags_; }

  /// Whether the last parse found that flag.
  bool is_given(const Flag& flag) const;

  /// What was parsed of the flags that shape the answer, as a shell would take it again: " -f
  /// site.yaml".
  std::string retyped() const;

  /// Errors: kInvalidInput, worded for people, with the nearest flag or word in the hint. `help` is
  /// set, and the rest not looked at, where -h or --help is found.
  Status parse(const std::vector<std::string>& args, bool& help);

 private:
  struct Parser;
  struct Named;
  Result<Named> take_apart(const std::string& arg) const;
  const Flag* find(std::string_view name) const;
  const Flag* find(char letter) const;
  Status split(const std::vector<std::string>& args, std::vector<std::string>& plain,
               bool& help) const;
  Error unknown_flag(std::string_view text) const;

  std::unique_ptr<Parser> parser_;
  std::vector<Flag> flags_;
  std::string heading_;
  std::vector<std::string>* rest_ = nullptr;
  std::vector<std::string>* behind_ = nullptr;
};

}  // namespace gedge::cli
