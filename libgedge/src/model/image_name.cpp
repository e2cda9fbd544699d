#include "gedge/model/image_name.hpp"

namespace gedge {

std::string full_image_name(std::string_view image) {
  const std::size_t colon = image.rfind(':'), slash = image.rfind('/');
  const bool is_tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return std::string(image) + (is_tagged ? "" : ":latest");
}

}  // namespace gedge
