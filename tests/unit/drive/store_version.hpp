// What a server says when it is asked how far its store has come.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "gedge/sim/scripted_api.hpp"

namespace gedge::api_test {

inline constexpr const char* kLook = "/api/v1/nodes?limit=1";

inline bool is_look(const ApiRequest& request) { return request.target == kLook; }

inline std::string store_at(const std::string& version) {
  return R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"("},"items":[]})";
}

/// It has to be asked.
inline void say_version(ScriptedApi& api, const std::string& version) {
  for (const auto& [ticket, request] : api.asked)
    if (is_look(request)) return api.say(ticket, 200, store_at(version));
  FAIL("nobody asks for the version of the store");
}

}  // namespace gedge::api_test
