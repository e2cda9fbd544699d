#include "flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "gedge/base/nearest.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// As it is where a shell would leave it alone, else in single quotes.
std::string shell_quoted(const std::string& value) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+";
  if (!value.empty() && value.find_first_not_of(kSafe) == std::string::npos) return value;
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

Error usage(std::string what, std::string hint = {}) {
  return invalid_input(std::move(what), {}, std::move(hint));
}

// How CLI11 wants to hear the names: "-f,--filename"; operands without dashes.
std::string parser_names(const Flag& flag) {
  if (flag.operand) return flag.name;
  return (flag.letter != 0 ? std::string{'-', flag.letter, ','} : "") + "--" + flag.name;
}

Status check_words(const Flag& flag, const std::string& value) {
  if (flag.words.empty()) return {};
  if (std::find(flag.words.begin(), flag.words.end(), value) != flag.words.end()) return {};
  const auto close = nearest(value, flag.words);
  const std::string name = flag.operand ? flag.name : "--" + flag.name;
  return usage(
      "unknown value " + in_quotes(value) + " for " + name,
      close ? "did you mean `" + *close + "`?" : "use " + join_words(flag.words, ", ", " or "));
}

// Of several flags, whose value it is.
Error named(Error error, const Flag& flag) {
  const std::string name = "--" + flag.name;
  if (!flag.operand && error.what.find(name) == std::string::npos) error.what += " for " + name;
  return error;
}

}  // namespace

struct FlagSet::Parser {
  CLI::App app;
  std::optional<Error> error;  // of a Take, which CLI11 could only carry as a bare text
};

FlagSet::FlagSet() : parser_(std::make_unique<Parser>()) { parser_->app.set_help_flag(); }
FlagSet::FlagSet(FlagSet&&) noexcept = default;
FlagSet& FlagSet::operator=(FlagSet&&) noexcept = default;
FlagSet::~FlagSet() = default;

void FlagSet::add(Flag flag, bool& target) {
  flag.heading = heading_;
  parser_->app.add_flag(parser_names(flag), target)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  flags_.push_back(std::move(flag));
}

void FlagSet::add(Flag flag, std::string& target) {
  add(std::move(flag), [&target](const std::string& value) {
    target = value;
    return Status{};
  });
}

void FlagSet::add(Flag flag, std::vector<std::string>& target) {
  flag.repeats = true;
  add(std::move(flag), [&target](const std::string& value) {
    target.push_back(value);
    return Status{};
  });
}

void FlagSet::add(Flag flag, const Take& take) {
  flag.heading = heading_;
  const auto take_all = [parser = parser_.get(), flag,
                         take](const std::vector<std::string>& values) {
    if (flag.once && values.size() > 1)
      parser->error = usage("flag '--" + flag.name + "' is given twice", "give it once");
    for (std::size_t i = flag.repeats ? 0 : values.size() - 1; i < values.size() && !parser->error;
         ++i) {
      Status status = check_words(flag, values[i]);
      if (status) status = take(values[i]);
      if (!status) parser->error = named(std::move(status).error(), flag);
    }
  };
  CLI::App& app = parser_->app;
  if (flag.operand && !flag.repeats) {  // CLI11 allows one operand of any length only
    app.add_option_function<std::string>(
        flag.name, [take_all](const std::string& value) { take_all({value}); });
  } else {
    app.add_option_function<std::vector<std::string>>(parser_names(flag), take_all)
        ->allow_extra_args(flag.operand);
  }
  flags_.push_back(std::move(flag));
}

const Flag* FlagSet::find(std::string_view name) const {
  for (const Flag& flag : flags_)
    if (!flag.operand && flag.name == name) return &flag;
  return nullptr;
}

const Flag* FlagSet::find(char letter) const {
  for (const Flag& flag : flags_)
    if (!flag.operand && flag.letter == letter) return &flag;
  return nullptr;
}

Error FlagSet::unknown_flag(std::string_view text) const {
  std::vector<std::string> known{"--help"};
  for (const Flag& flag : flags_)
    if (!flag.operand) known.push_back("--" + flag.name);
  const auto close = nearest(text, known);
  return usage("unknown flag " + in_quotes(text), close ? "did you mean `" + *close + "`?" : "");
}

// One argument that starts with a dash, taken apart: "-Rf=x" is the names "-Rf", the last flag -f
// and the value "x".
struct FlagSet::Named {
  const Flag* flag = nullptr;
  std::string shown;  // the name of that flag as it was typed
  std::string names;
  std::optional<std::string> value;
};

Result<FlagSet::Named> FlagSet::take_apart(const std::string& arg) const {
  Named named;
  std::size_t end = arg.find('=');
  if (arg[1] == '-') {
    named.shown = arg.substr(0, end);
    named.flag = find(std::string_view(named.shown).substr(2));
  } else {
    for (std::size_t i = 1; i < std::min(arg.size(), end);
         ++i) {  // switches, then at most one flag with a value
      named.shown = {'-', arg[i]};
      named.flag = find(arg[i]);
      if (named.flag == nullptr) break;
      if (named.flag->value.empty() || i + 1 == arg.size()) continue;
      end = i + 1;
    }
  }
  if (named.flag == nullptr) return unknown_flag(named.shown);
  named.names = arg.substr(0, end);
  if (end < arg.size()) named.value = arg.substr(arg[end] == '=' ? end + 1 : end);
  return named;
}

// Finds what CLI11 would word badly or read differently from kubectl: unknown flags, missing
// values, "-o=json".
Status FlagSet::split(const std::vector<std::string>& args, std::vector<std::string>& plain,
                      bool& help) const {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      if (behind_ != nullptr) {
        behind_->assign(args.begin() + static_cast<std::ptrdiff_t>(i + 1), args.end());
        return {};
      }
      plain.insert(plain.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      return {};
    }
    if (args[i] == "-h" || args[i] == "--help") return help = true, Status{};
    if (args[i].size() < 2 || args[i][0] != '-') {
      if (behind_ != nullptr)  // what follows it may be flags of that command
        return usage("unexpected argument " + in_quotes(args[i]), "write `--` before the command");
      plain.push_back(args[i]);
      continue;
    }
    auto named = take_apart(args[i]);
    if (!named) return std::move(named).error();
    if (named->flag->value.empty()) {
      const std::string value = named->value.value_or("true");
      if (value != "true" && value != "false")
        return usage("flag " + in_quotes(named->shown) + " takes no value");
      if (value == "true") plain.push_back(named->names);
      continue;
    }
    if (!named->value && i + 1 < args.size()) named->value = args[++i];
    if (!named->value || (named->value->empty() && args[i].ends_with('=')))
      return usage("flag " + in_quotes(named->shown) + " needs a value");
    plain.push_back(named->names);
    plain.push_back(*named->value);
  }
  return {};
}

std::size_t FlagSet::leading_flags(const std::vector<std::string>& args) const {
  std::size_t count = 0;
  while (count < args.size() && args[count].size() > 1 && args[count][0] == '-' &&
         args[count] != "--") {
    const auto named = take_apart(args[count]);
    const bool value_follows = named && !named->flag->value.empty() && !named->value;
    count += value_follows ? 2 : 1;
  }
  return std::min(count, args.size());
}

bool FlagSet::is_given(const Flag& flag) const {
  return parser_->app.get_option(flag.operand ? flag.name : "--" + flag.name)->count() > 0;
}

std::string FlagSet::retyped() const {
  std::string text;
  for (const Flag& flag : flags_) {
    if (!flag.shapes_answer) continue;
    const std::string name =
        flag.letter != 0 ? std::string{' ', '-', flag.letter} : " --" + flag.name;
    const CLI::Option* option = parser_->app.get_option("--" + flag.name);
    if (flag.value.empty()) {
      if (is_given(flag)) text += name;
      continue;
    }
    for (const std::string& value : option->results()) text += name + ' ' + shell_quoted(value);
  }
  return text;
}

Status FlagSet::parse(const std::vector<std::string>& args, bool& help) {
  help = false;
  if (rest_ != nullptr) return *rest_ = args, Status{};
  std::vector<std::string> plain;
  GEDGE_TRY(split(args, plain, help));
  if (help) return {};
  parser_->error.reset();
  try {
    std::reverse(plain.begin(), plain.end());  // CLI11 takes them from the back
    parser_->app.parse(std::move(plain));
  } catch (const CLI::ExtrasError&) {
    const bool has_files = std::any_of(flags_.begin(), flags_.end(),
                                       [](const Flag& flag) { return flag.name == "filename"; });
    return usage("unexpected argument " + in_quotes(parser_->app.remaining().front()),
                 has_files ? "write `-f` before each file" : "");
  } catch (const CLI::Error& error) {
    return usage(error.what());
  }
  if (parser_->error) return *parser_->error;
  for (const Flag& flag : flags_) {
    if (!flag.operand || !flag.required) continue;
    if (!is_given(flag)) return usage("missing operand " + flag.name);
  }
  return {};
}

}  // namespace gedge::cli
