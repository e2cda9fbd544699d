#include "io/system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "gedge/base/nearest.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

Errc kind_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return Errc::kNotFound;
    case EISDIR:
    case ENAMETOOLONG:
      return Errc::kInvalidInput;
    default:
      return Errc::kDenied;
  }
}

std::string words_of(int error_number) {
  if (error_number == ENOENT) return "no such file";
  if (error_number == EISDIR) return "is a directory";
  return reason_of(error_number);
}

// Files beside the missing one; a folder with very many is not worth the time.
std::string similar_file(const std::string& path) {
  constexpr std::size_t kMaxEntries = 2'000;
  const fs::path wanted(path);
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::error_code code;
  std::vector<std::string> names;
  for (auto entry = fs::directory_iterator(folder, code);
       !code && entry != fs::end(entry) && names.size() < kMaxEntries; entry.increment(code))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  const auto name = nearest(wanted.filename().string(), names);
  if (!name) return "";
  return "did you mean " + (wanted.has_parent_path() ? (folder / *name).string() : *name) + "?";
}

}  // namespace

std::string reason_of(int error_number) {
  std::string text = std::generic_category().message(error_number);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

Error system_error(const std::string& action, const std::string& path, int error_number) {
  Error error{kind_of(error_number), action + " " + path + ": " + words_of(error_number), {}, {}};
  if (error_number == ENOENT) error.hint = similar_file(path);
  return error;
}

}  // namespace gedge
