// gedge/model/image_name.hpp - names of container images.
#pragma once

#include <string>
#include <string_view>

namespace gedge {

/// "nginx" means "nginx:latest", as the status of a node writes it.
std::string full_image_name(std::string_view image);

}  // namespace gedge
