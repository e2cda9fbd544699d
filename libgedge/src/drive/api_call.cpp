#include "gedge/drive/api_call.hpp"

#include <optional>
#include <utility>

namespace gedge {

Result<ApiAnswer> call(ApiTransport& transport, ApiRequest request) {
  constexpr Nanos kLook{1'000'000'000};  // the request ends by its own timeout
  std::optional<ApiAnswer> answer;
  const ApiListener listener{
      [](std::uint64_t, std::string_view) {},
      [&answer](std::uint64_t, ApiAnswer came) { answer = std::move(came); }};
  transport.send(1, std::move(request));
  while (!answer) GEDGE_TRY(transport.wait(kLook, listener));
  return *std::move(answer);
}

}  // namespace gedge
