#include "collect_source.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/targets.hpp"
#include "gedge/io/system_http.hpp"

namespace gedge::cli {
namespace {

constexpr std::string_view kDns = "dns:", kScheme = "://", kPath = "matrix.json";
constexpr std::uint64_t kMostBytes = 8 << 20;  // as of the agent's own list of peers

bool is_url(std::string_view text) { return text.find(kScheme) != std::string_view::npos; }

class Finder {
 public:
  Finder(const CollectPlaces& places, FileStore& files, ProbeNetwork& network)
      : places_(places), files_(files), network_(network) {}

  FoundAgents run() {
    for (const std::string& source : places_.sources) {
      if (source.starts_with(kDns))
        add_dns(source.substr(kDns.size()));
      else if (is_url(source))
        add_urls(source);
      else
        add_file(source);
    }
    if (!found_.errors.empty()) found_.agents.clear();
    return std::move(found_);
  }

 private:
  void fail(Error error) { found_.errors.push_back(std::move(error)); }

  void add_dns(const std::string& name) {
    const auto addresses = network_.addresses_of(name);
    if (!addresses) return fail(addresses.error());
    for (const IpAddress& address : *addresses) add_host({}, to_text(address));
  }

  // A comma parts two agents where what follows is one again: paths may have commas too.
  void add_urls(std::string_view text) {
    while (!text.empty()) {
      std::size_t end = text.find(',');
      while (end != std::string_view::npos &&
             !is_url(text.substr(end + 1, text.substr(end + 1).find(','))))
        end = text.find(',', end + 1);
      add_word(std::string(text.substr(0, end)));
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
  }

  // URL or NAME=URL.
  void add_word(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals > word.find(kScheme)) return add_url({}, word);
    auto target = parse_target(word);
    if (!target) return fail(std::move(target).error());
    add_url(target->name, target->address);
  }

  void add_file(const std::string& path) {
    auto bytes = files_.read(path, kMostBytes);
    if (!bytes) {
      Error error = std::move(bytes).error();
      if (error.code == Errc::kNotFound)
        error.hint = "give a FILE of agents, dns:NAME, or URLs as http://NODE:8787";
      return fail(std::move(error));
    }
    TargetsReading reading = read_targets({path == "-" ? std::string(kStdinName) : path, *bytes});
    for (Error& error : reading.errors) fail(std::move(error));
    for (const NamedTarget& target : reading.targets) {
      const std::string& host = target.address.empty() ? target.name : target.address;
      if (is_url(host))
        add_url(target.name, host);
      else
        add_host(target.name, host);
    }
  }

  void add_host(const std::string& name, const std::string& host) {
    const bool v6 = host.find(':') != std::string::npos;
    add_url(name, std::string(places_.secure ? "https://" : "http://") +
                      (v6 ? '[' + host + ']' : host) + ':' + std::to_string(places_.port));
  }

  void add_url(const std::string& name, const std::string& url) {
    auto parts = take_url_apart(url);
    if (!parts) return fail(std::move(parts).error());
    if (parts->bare) parts->url += kPath;
    if (seen_.insert(parts->url).second) found_.agents.push_back({parts->url, name, parts->host});
  }

  const CollectPlaces& places_;
  FileStore& files_;
  ProbeNetwork& network_;
  FoundAgents found_;
  std::set<std::string> seen_;
};

}  // namespace

FoundAgents find_agents(const CollectPlaces& places, FileStore& files, ProbeNetwork& network) {
  return Finder(places, files, network).run();
}

}  // namespace gedge::cli
