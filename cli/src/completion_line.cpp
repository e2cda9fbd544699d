// completion_line.cpp - what may stand where the cursor is, for a shell that hands over the whole
// line (kubectl does).
#include <algorithm>

#include "completion.hpp"

namespace gedge::cli {
namespace {

const Flag* flag_called(const std::vector<Flag>& flags, std::string_view text) {
  for (const Flag& flag : flags) {
    if (flag.operand) continue;
    if (text == "--" + flag.name || (flag.letter != 0 && text == std::string{'-', flag.letter}))
      return &flag;
  }
  return nullptr;
}

void offer_values(const Flag& flag, LineCompletion& completion) {
  completion.words = flag.words;
  completion.live = live_kind(flag.live);
  completion.files = flag.live == Live::kFiles || flag.live == Live::kProfiles;
}

void offer_flags(const std::vector<Flag>& flags, LineCompletion& completion) {
  for (const Flag& flag : flags)
    if (!flag.operand) completion.words.push_back("--" + flag.name);
}

// The operand that comes after those that stand there already.
void offer_operand(const std::vector<Flag>& flags, const std::vector<std::string>& before,
                   LineCompletion& completion) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Flag* flag = flag_called(flags, before[i]);
    if (flag != nullptr && !flag->value.empty())
      ++i;
    else if (!before[i].starts_with('-'))
      ++at;
  }
  for (const Flag& flag : flags)
    if (flag.operand && (flag.repeats || at-- == 0)) return offer_values(flag, completion);
}

}  // namespace

LineCompletion complete_line(const std::vector<std::string>& line) {
  LineCompletion completion;
  completion.partial = line.empty() ? "" : line.back();
  const std::vector<std::string> before(line.begin(), line.end() - (line.empty() ? 0 : 1));
  const auto command = std::find_if(before.begin(), before.end(),
                                    [](const std::string& word) { return !word.starts_with('-'); });
  if (command == before.end()) {
    for (const Opening& opening : openings()) completion.words.emplace_back(opening.word);
    return completion;
  }
  for (const Described& described : described_commands()) {
    const std::string_view name = described.command->name(), second = second_word(name);
    if (*command != first_word(name)) continue;
    std::vector<std::string> rest(command + 1, before.end());
    if (!second.empty()) {
      if (rest.empty()) completion.words.emplace_back(second);
      if (rest.empty() || rest.front() != second) continue;
      rest.erase(rest.begin());
    }
    const std::size_t equals = completion.partial.find('=');
    const Flag* flag = rest.empty() ? nullptr : flag_called(described.flags, rest.back());
    if (completion.partial.starts_with("--") && equals != std::string::npos) {
      const Flag* named = flag_called(described.flags, completion.partial.substr(0, equals));
      completion.prefix = completion.partial.substr(0, equals + 1);
      completion.partial.erase(0, equals + 1);
      if (named != nullptr) offer_values(*named, completion);
    } else if (flag != nullptr && !flag->value.empty()) {
      offer_values(*flag, completion);
    } else if (completion.partial.starts_with('-')) {
      offer_flags(described.flags, completion);
    } else {
      offer_operand(described.flags, rest, completion);
    }
  }
  return completion;
}

}  // namespace gedge::cli
