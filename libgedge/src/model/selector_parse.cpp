// The syntax of `kubectl -l`, as labels.Parse of apimachinery reads it:
//
//   selector    = [ requirement { "," requirement } ]
//   requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" |
//   "notin" ) "(" values ")" values      = [ value ] { "," [ value ] }
//
// "in" and "notin" are operators only behind a key, and keys or values elsewhere.
#include <algorithm>
#include <set>

#include "gedge/model/selector.hpp"

namespace gedge {
namespace {

enum class TokenKind : std::uint8_t { kEnd, kWord, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::size_t offset = 0;

  bool is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
  bool ends_requirement() const { return kind == TokenKind::kEnd || is(","); }
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<LabelSelector> parse() {
    std::vector<Requirement> requirements;
    while (token_.kind != TokenKind::kEnd) {
      Requirement requirement;
      if (auto status = parse_requirement(requirement); !status) return std::move(status).error();
      requirements.push_back(std::move(requirement));
      if (token_.kind == TokenKind::kEnd) break;
      if (!token_.is(",")) return unexpected("',' or the end");
      advance();
      if (token_.kind == TokenKind::kEnd) return unexpected("a label key after ','");
    }
    return make_selector(std::move(requirements));
  }

 private:
  Status parse_requirement(Requirement& out) {
    const bool negated = token_.is("!");
    if (negated) advance();
    if (token_.kind != TokenKind::kWord) return unexpected("a label key");
    const Token key = token_;
    out.key = std::string(key.text);
    out.op = negated ? SelectorOp::kDoesNotExist : SelectorOp::kExists;
    advance();
    if (!negated && !token_.ends_requirement()) {
      if (auto status = parse_condition(out); !status) return status;
    }
    // Checked here as well as at the end, because only here the place is known.
    if (auto checked = make_selector({out}); !checked) {
      Error error = std::move(checked).error();
      error.where = span(key);
      return error;
    }
    return {};
  }

  Status parse_condition(Requirement& out) {
    const auto op = operator_of(token_);
    if (!op) return unexpected("=, ==, !=, >, <, in or notin");
    out.op = *op;
    advance();
    if (*op == SelectorOp::kIn || *op == SelectorOp::kNotIn) return parse_values(out);
    if (token_.ends_requirement()) {
      out.values = {""};
      return {};
    }
    if (token_.kind != TokenKind::kWord) return unexpected("a value");
    out.values = {std::string(token_.text)};
    advance();
    return {};
  }

  Status parse_values(Requirement& out) {
    if (!token_.is("(")) return unexpected("'('");
    advance();
    std::set<std::string> values;
    bool after_word = false;
    int commas = 0;  // in a row
    for (; !token_.is(")"); advance()) {
      if (token_.is(",")) {
        ++commas;
        if (values.empty() || commas > 1) values.emplace();
        after_word = false;
      } else if (token_.kind == TokenKind::kWord && !after_word) {
        values.emplace(token_.text);
        after_word = true;
        commas = 0;
      } else {
        return unexpected(after_word ? "',' or ')'" : "a value");
      }
    }
    // Kubernetes takes commas in pairs, and wants something behind a pair.
    if (commas != 0 && commas % 2 == 0) return unexpected("a value");
    if (!after_word) values.emplace();
    out.values.assign(values.begin(), values.end());
    advance();
    return {};
  }

  static std::optional<SelectorOp> operator_of(const Token& token) {
    if (token.kind == TokenKind::kEnd) return std::nullopt;
    if (token.text == "=") return SelectorOp::kEquals;
    if (token.text == "==") return SelectorOp::kDoubleEquals;
    if (token.text == "!=") return SelectorOp::kNotEquals;
    if (token.text == ">") return SelectorOp::kGt;
    if (token.text == "<") return SelectorOp::kLt;
    if (token.text == "in") return SelectorOp::kIn;
    if (token.text == "notin") return SelectorOp::kNotIn;
    return std::nullopt;
  }

  void advance() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    const std::size_t start = at_;
    if (start == text_.size()) {
      token_ = {TokenKind::kEnd, {}, start};
      return;
    }
    if (is_symbol(text_[start])) {
      const std::string_view two = text_.substr(start, 2);
      at_ += two == "==" || two == "!=" ? 2 : 1;
      token_ = {TokenKind::kSymbol, text_.substr(start, at_ - start), start};
      return;
    }
    while (at_ < text_.size() && !is_space(text_[at_]) && !is_symbol(text_[at_])) ++at_;
    token_ = {TokenKind::kWord, text_.substr(start, at_ - start), start};
  }

  SourceSpan span(const Token& token) const {
    return {"", 0, static_cast<int>(token.offset) + 1, std::string(text_),
            static_cast<int>(std::max<std::size_t>(token.text.size(), 1))};
  }

  Error unexpected(std::string_view expected) const {
    const std::string found =
        token_.kind == TokenKind::kEnd ? "the end" : "'" + std::string(token_.text) + "'";
    return invalid_input("found " + found + " where " + std::string(expected) + " is expected",
                         span(token_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
};

}  // namespace

Result<LabelSelector> parse_selector(std::string_view text) { return Parser(text).parse(); }

}  // namespace gedge
