// gedge/sim/scripted_api.hpp - an API server that says what a test tells it to say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/port/api_transport.hpp"

namespace gedge {

class ScriptedApi final : public ApiTransport {
 public:
  void send(std::uint64_t ticket, ApiRequest request) override {
    asked.emplace(ticket, std::move(request));
  }
  void push() override { pushed(); }
  void cancel(std::uint64_t ticket) override { asked.erase(ticket); }
  void gather(Nanos how_long) override { gathered.push_back(how_long); }
  /// Hands over everything that was said so far; of calls that were cut meanwhile, nothing.
  Status wait(Nanos most, const ApiListener& listener) override {
    waited.push_back(most);
    stands_still();
    while (!said_.empty()) {
      const Said said = std::move(said_.front());
      said_.pop_front();
      const auto call = asked.find(said.ticket);
      if (call == asked.end()) continue;
      if (said.is_opening) {
        listener.opened(said.ticket);
        continue;
      }
      if (said.is_line) {
        listener.line(said.ticket, std::string_view(said.text).substr(0, said.text.size() - 64));
        continue;
      }
      asked.erase(call);
      listener.answer(said.ticket, said.answer);
    }
    return {};
  }
  void wake() override { ++wakes; }

  /// The call under way whose target begins so; 0: none.
  std::uint64_t find(std::string_view target) const {
    const auto at = std::find_if(asked.begin(), asked.end(), [&](const auto& call) {
      return std::string_view(call.second.target).starts_with(target);
    });
    return at == asked.end() ? 0 : at->first;
  }
  void say_line(std::uint64_t ticket, const std::string& line) {
    said_.push_back({ticket, true, line + std::string(64, ' '), {}});
  }
  void say_opened(std::uint64_t ticket) { said_.push_back({ticket, false, {}, {}, true}); }
  void say(std::uint64_t ticket, ApiAnswer answer) {
    said_.push_back({ticket, false, {}, std::move(answer)});
  }
  void say(std::uint64_t ticket, unsigned status, std::string body) {
    ApiAnswer answer;
    answer.status = status;
    answer.body = std::move(body);
    say(ticket, std::move(answer));
  }

  std::map<std::uint64_t, ApiRequest> asked;  ///< under way
  std::vector<Nanos> waited, gathered;
  std::function<void()> stands_still = [] {};  ///< while somebody waits
  std::function<void()> pushed = [] {};        ///< what was sent so far leaves
  int wakes = 0;

 private:
  struct Said {
    std::uint64_t ticket = 0;
    bool is_line = false;
    std::string text;
    ApiAnswer answer;
    bool is_opening = false;
  };
  std::deque<Said> said_;
};

}  // namespace gedge
