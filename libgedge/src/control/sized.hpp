// control/sized.hpp - pods that request more, or less, by the container that requests most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gedge/model/pod.hpp"

namespace gedge {

/// Empty where no container requests any.
std::optional<std::size_t> main_container(const PodSpec& spec, const std::string& resource);
/// What it requests; 0: nothing.
std::int64_t main_amount(const PodSpec& spec, const std::string& resource);
/// The same pods, but for what that container requests.
PodSpec sized(const PodSpec& like, const std::string& resource, std::int64_t amount);

}  // namespace gedge
