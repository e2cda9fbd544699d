// Calls of the extender protocol: no bytes may crash the reader, what it points at lies within the
// body, and what is handed back is JSON that is read again.
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gedge/codec/extender.hpp"

namespace {

void require(bool fact) {
  if (!fact) std::abort();
}

gedge::HttpRequest post(const char* path, std::string body) {
  gedge::HttpRequest request;
  request.method = "POST";
  request.target = path;
  request.content_type = "application/json";
  request.body = std::move(body);
  return request;
}

void check_filter(const gedge::ExtenderCall& call, std::string_view body) {
  require(call.by_name ? call.node_objects.empty() : call.node_objects.size() == call.nodes.size());
  for (const std::string_view node : call.node_objects)
    require(node.data() >= body.data() && node.data() + node.size() <= body.data() + body.size());
  static_cast<void>(gedge::read_extender_nodes(call.node_objects, gedge::Compat::k1_36));
  const gedge::HttpReply reply = gedge::filter_reply(
      call, std::vector<gedge::NodeVerdict>(call.nodes.size(), {true, false, {}}));
  // The reply is no call: the pod is missing. That is all that is wrong with it.
  const gedge::HttpRequest again = post("/filter", reply.body);
  const auto read = gedge::read_extender_call(again, gedge::Compat::k1_36);
  require(std::holds_alternative<gedge::HttpReply>(read));
  require(std::get<gedge::HttpReply>(read).body == R"({"Error":"a Pod is needed"})");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* const path : {"/filter", "/prioritize", "/preempt", "/bind"}) {
    const gedge::HttpRequest request =
        post(path, std::string(reinterpret_cast<const char*>(data), size));
    const auto read = gedge::read_extender_call(request, gedge::Compat::k1_36);
    const auto* const call = std::get_if<gedge::ExtenderCall>(&read);
    if (call == nullptr) continue;
    if (call->verb == gedge::ExtenderVerb::kFilter) check_filter(*call, request.body);
    require(call->victims.size() == call->budget_violations.size());
  }
  return 0;
}
