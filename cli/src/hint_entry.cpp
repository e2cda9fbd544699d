// hint_entry.cpp - writes hints to a cluster, in the library of daemons.
#include <string>
#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/write_hints.hpp"
#include "gedge/drive/api_call.hpp"
#include "hint_command.hpp"
#include "report.hpp"
#include "server_access.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr unsigned kDone = 200;

class HintWriter {
 public:
  HintWriter(Server& server, Io& io) : server_(server), io_(io) {}

  /// A line for a change that was made, an error for one that was refused. Errors: the server
  /// cannot be asked any more.
  Status write(ApiRequest request, const std::string& what) {
    auto answer = call(*server_.transport, std::move(request));
    if (!answer) return std::move(answer).error();
    if (answer->status == kDone) {
      io_.out.line(what);
      return {};
    }
    ++refused_;
    print_error(io_.err, codec::refusal(*answer, "not " + what));
    return {};
  }
  Exit exit() const { return refused_ == 0 ? Exit::kYes : Exit::kWorld; }

 private:
  Server& server_;
  Io& io_;
  std::size_t refused_ = 0;
};

Exit run(const HintCommand& command, const Hints& hints, Io& io) {
  Server server;
  if (const auto failed = open_server(io, command.input.server, command.output, "hint", server))
    return *failed;
  HintWriter writer(server, io);
  // Labels first: pods that ask for them would find no node.
  for (const NodeHint& hint : hints.nodes)
    if (const Status sent = writer.write(hint_request(hint), "labelled node " + hint.node); !sent)
      return fail(io, sent.error());
  if (writer.exit() != Exit::kYes) return writer.exit();
  for (const WorkloadHint& hint : hints.workloads)
    if (const Status sent =
            writer.write(hint_request(hint),
                         "patched " + hint.kind + " " + hint.namespace_name + "/" + hint.name);
        !sent)
      return fail(io, sent.error());
  return writer.exit();
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_hint(
    const gedge::cli::HintCommand& command, const gedge::Hints& hints, gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::run(command, hints, io));
}
