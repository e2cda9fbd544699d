#include "codec/yaml_reduction.hpp"

#include <algorithm>
#include <cstring>

namespace gedge::codec {
namespace {

// libyaml is given little at a time, so that a block is remembered before the next like it comes.
constexpr std::size_t kStep = 2048;
constexpr std::size_t kLongestBlock = 16 * 1024;

bool is_key_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '/' || c == '_' || c == '-';
}

// Lines that libyaml would count otherwise end at other characters than LF.
bool has_only_plain_lines(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\r'; });
}

std::uint32_t lines_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::size_t YamlReduction::read(unsigned char* buffer, std::size_t size) {
  if (sent_ == out_.size()) produce();
  const std::size_t count = std::min(size, out_.size() - sent_);
  std::memcpy(buffer, out_.data() + sent_, count);
  sent_ += count;
  return count;
}

void YamlReduction::pass_over(std::size_t end, std::uint32_t lines) {
  at_ = end;
  if (shifts_.back().line != line_) shifts_.push_back({line_, shifts_.back().lines});
  shifts_.back().lines += lines;
}

void YamlReduction::produce() {
  out_.clear();
  sent_ = 0;
  parts_.next_element(true);
  while (at_ < text_.size() && out_.size() < kStep) {
    const std::size_t newline = text_.find('\n', at_);
    const std::size_t end = newline == std::string_view::npos ? text_.size() : newline + 1;
    const Block block = block_at(at_, end);
    if (block.end == 0 || !reduce(block)) append(end);
  }
}

void YamlReduction::append(std::size_t end) {
  const std::string_view bytes = text_.substr(at_, end - at_);
  out_ += bytes;
  line_ += lines_of(bytes);
  at_ = end;
}

// Leaves the block out or has it remembered; false: the line is nothing special.
bool YamlReduction::reduce(const Block& block) {
  if (!parts_.worth_trying(block.name)) return false;
  const std::string_view bytes = text_.substr(block.key, block.end - block.key);
  Site site{line_, block.column, 0, true, nullptr};
  SharedPart* known = parts_.find(bytes);
  if (known != nullptr && known->column == block.column) {
    site.part = known;
    out_ += text_.substr(at_, block.key - at_);
    out_.append(block.name).append(": ").append(kStandIn).append(1, '\n');
    at_ = block.end;
    ++line_;
    shifts_.push_back({line_, shifts_.back().lines + lines_of(bytes) - 1});
    sites_.push_back(site);
    return true;
  }
  if (known != nullptr || !has_only_plain_lines(bytes)) return false;
  site.part = parts_.begin(bytes);
  if (site.part == nullptr) return false;
  site.part->column = block.column;
  site.is_left_out = false;
  append(block.end);
  site.end_line = line_;
  sites_.push_back(site);
  return true;
}

YamlReduction::Block YamlReduction::block_at(std::size_t begin, std::size_t end) const {
  std::size_t key = begin;
  while (key < end && text_[key] == ' ') ++key;
  while (key + 1 < end && text_[key] == '-' && text_[key + 1] == ' ') {
    ++key;
    while (key < end && text_[key] == ' ') ++key;
  }
  std::size_t colon = key;
  while (colon < end && is_key_byte(text_[colon])) ++colon;
  if (colon == key || colon + 2 != end || text_[colon] != ':' || text_[colon + 1] != '\n')
    return {};
  Block block;
  block.name = text_.substr(key, colon - key);
  if (block.name == list_key_) return {};
  block.key = key;
  block.column = static_cast<std::uint32_t>(key - begin);
  block.end = end_of_block(end, block.column);
  return block;
}

// 0: there is none, or it is too long, or what follows may belong to its last text.
std::size_t YamlReduction::end_of_block(std::size_t from, std::size_t column) const {
  std::size_t at = from;
  while (at < text_.size()) {
    std::size_t first = at;
    while (first < text_.size() && text_[first] == ' ') ++first;
    const char c = first < text_.size() ? text_[first] : '\n';
    if (c == '\n' || c == '\r' || c == '\t' || c == '#') return 0;
    const bool is_item = c == '-' && first + 1 < text_.size() &&
                         (text_[first + 1] == ' ' || text_[first + 1] == '\n');
    if (first - at < column || (first - at == column && !is_item)) break;
    const std::size_t newline = text_.find('\n', first);
    if (newline == std::string_view::npos || newline - from > kLongestBlock) return 0;
    at = newline + 1;
  }
  return at == from ? 0 : at;
}

const YamlReduction::Site* YamlReduction::take(std::size_t line, std::size_t column) {
  pass(line);
  if (sites_.empty() || sites_.front().line != line || sites_.front().column != column)
    return nullptr;
  taken_ = sites_.front();
  sites_.pop_front();
  return &taken_;
}

bool YamlReduction::pass(std::size_t line) {
  while (!sites_.empty() && sites_.front().line < line) {
    broken_ |= sites_.front().is_left_out;
    sites_.pop_front();
  }
  return !broken_;
}

std::uint32_t YamlReduction::line_in_text(std::size_t line) const {
  while (shift_ > 0 && shifts_[shift_].line > line) --shift_;
  while (shift_ + 1 < shifts_.size() && shifts_[shift_ + 1].line <= line) ++shift_;
  return static_cast<std::uint32_t>(line) + shifts_[shift_].lines;
}

}  // namespace gedge::codec
