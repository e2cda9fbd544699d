// codec/cpu_manager_texts.hpp - cpu_manager_state as it stands in the file: sets as texts, which
// need not be in the form that the kernel would use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gedge/codec/cpu_manager_state.hpp"

namespace gedge::codec {

struct CpuManagerTexts {
  std::string policy, shared;
  std::map<std::string, std::map<std::string, std::string>> pods;
  std::map<std::string, std::string> containers;  // up to 1.17: without their pods
};

CpuManagerTexts texts_of(const CpuManagerState& state);

/// FNV-1a, 32 bits.
std::uint32_t fnv(std::string_view text);
/// Of these texts as any kubelet may have computed it.
bool is_checksum_of(const CpuManagerTexts& texts, std::uint32_t checksum);

}  // namespace gedge::codec
