// bench_stream: creates pods on a real API server, one after the other at its time, and sees them
// bound. It reads the watch as it creates, in one thread, and looks at the clock before it looks at
// what has come: little of its own work is in what it measures.
//
//   bench_stream SERVER RATE VERSION [NODE] < INPUT
//
// INPUT: the bearer token, then a line for each pod, as JSON. RATE: pods a second. VERSION: of the
// list of pods that the watch begins at. Prints for each pod the microseconds from the reply to its
// creation until it is seen with a node. With NODE it binds each pod to that node itself, as soon
// as the watch tells of it: what the server takes, whoever decides.
#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{60};
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "bench_stream: " << what << "\n";
  std::exit(1);
}

struct Pod {
  std::string name, body;
  Clock::time_point created, bound;
};

class Stream {
 public:
  Stream(std::string server, std::string node, const std::string& token)
      : server_(std::move(server)), node_(std::move(node)) {
    for (const std::string& line :
         {"Authorization: Bearer " + token, std::string("Content-Type: application/json")})
      headers_ = curl_slist_append(headers_, line.c_str());
    for (CURL* const handle : {creation_, binding_})
      prepare(
          handle, +[](char*, std::size_t, std::size_t count, void*) { return count; });
    prepare(
        watch_, +[](char* bytes, std::size_t, std::size_t count, void* self) {
          static_cast<Stream*>(self)->hear({bytes, count});
          return count;
        });
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    for (CURL* const handle : {creation_, binding_, watch_}) {
      curl_multi_remove_handle(multi_, handle);
      curl_easy_cleanup(handle);
    }
    curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
  }

  void add(std::string body) {
    const auto name = nlohmann::json::parse(body).at("metadata").at("name").get<std::string>();
    if (!places_.emplace(name, pods_.size()).second) fail("two pods of one name");
    pods_.push_back({name, std::move(body), {}, {}});
  }

  void run(double rate, const std::string& version) {
    const std::string target = server_ + kPods + "?watch=1&resourceVersion=" + version;
    curl_easy_setopt(watch_, CURLOPT_URL, target.c_str());
    curl_multi_add_handle(multi_, watch_);
    while (!is_watching()) step(std::chrono::milliseconds(100));
    const std::chrono::duration<double> apart(1 / rate);
    for (Clock::time_point due = Clock::now(); Pod & pod : pods_) {
      while (Clock::now() < due)
        step(std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()));
      create(pod);
      due += std::chrono::duration_cast<Clock::duration>(apart);
    }
    while (bound_ < pods_.size()) step(std::chrono::milliseconds(100));
  }

  void print() const {
    for (const Pod& pod : pods_) {
      const std::chrono::duration<double, std::micro> delay = pod.bound - pod.created;
      std::cout << std::max(0.0, delay.count()) << "\n";
    }
  }

 private:
  using Write = std::size_t (*)(char*, std::size_t, std::size_t, void*);

  // The server is one that a benchmark has started on this machine: whoever answers is believed.
  void prepare(CURL* handle, Write write) {
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
  }

  bool is_watching() const {
    long status = 0;
    curl_easy_getinfo(watch_, CURLINFO_RESPONSE_CODE, &status);
    if (status != 0 && status != 200) fail("the watch was answered with " + std::to_string(status));
    return status == 200;
  }

  void create(Pod& pod) {
    creating_ = &pod;
    post(creation_, "", pod.body);
    while (creating_ != nullptr) step(std::chrono::milliseconds(100));
    curl_multi_remove_handle(multi_, creation_);
  }

  void post(CURL* handle, const std::string& below, const std::string& body) {
    curl_easy_setopt(handle, CURLOPT_URL, (server_ + kPods + below).c_str());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, body.c_str());
    curl_multi_add_handle(multi_, handle);
  }

  void bind_next() {
    if (is_binding_ || unbound_.empty()) return;
    is_binding_ = true;
    const nlohmann::json binding = {{"apiVersion", "v1"},
                                    {"kind", "Binding"},
                                    {"metadata", {{"name", unbound_.front()->name}}},
                                    {"target", {{"kind", "Node"}, {"name", node_}}}};
    post(binding_, "/" + unbound_.front()->name + "/binding", binding.dump());
    unbound_.pop_front();
    int running = 0;
    curl_multi_perform(multi_, &running);
  }

  void end(CURL* handle) {
    if (handle == watch_) fail("the watch has ended");
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status != 201) fail("a pod was answered with " + std::to_string(status));
    if (handle == creation_) {
      creating_->created = last_ = Clock::now();
      creating_ = nullptr;
    } else {
      curl_multi_remove_handle(multi_, binding_);
      is_binding_ = false;
    }
  }

  void step(std::chrono::milliseconds most) {
    if (Clock::now() - last_ > kPatience) fail("a minute of silence");
    int running = 0, left = 0;
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(most.count()), nullptr);
    curl_multi_perform(multi_, &running);
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left))
      end(message->easy_handle);
    bind_next();
  }

  // A line an event; without NODE, only those with a node are read.
  void hear(std::string_view bytes) {
    const Clock::time_point now = Clock::now();
    heard_.append(bytes);
    std::size_t end = 0;
    while ((end = heard_.find('\n')) != std::string::npos) {
      const std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      if (!node_.empty() || line.find("\"nodeName\"") != std::string::npos) see(line, now);
    }
  }

  void see(const std::string& line, Clock::time_point now) {
    const auto event = nlohmann::json::parse(line);
    const auto& object = event.at("object");
    const auto place = places_.find(object.at("metadata").at("name").get<std::string>());
    if (place == places_.end()) return;
    Pod& pod = pods_[place->second];
    if (!object.at("spec").contains("nodeName")) {
      if (!node_.empty() && event.at("type") == "ADDED") unbound_.push_back(&pod);
      return;
    }
    if (pod.bound != Clock::time_point()) return;
    pod.bound = last_ = now;
    ++bound_;
  }

  std::string server_, node_;
  CURLM* const multi_ = curl_multi_init();
  CURL* const creation_ = curl_easy_init();
  CURL* const binding_ = curl_easy_init();
  CURL* const watch_ = curl_easy_init();
  curl_slist* headers_ = nullptr;
  std::vector<Pod> pods_;
  std::map<std::string, std::size_t> places_;
  Pod* creating_ = nullptr;
  std::deque<Pod*> unbound_;
  bool is_binding_ = false;
  std::string heard_;
  std::size_t bound_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) fail("usage: bench_stream SERVER RATE VERSION [NODE] < INPUT");
  std::string line;
  std::getline(std::cin, line);
  Stream stream(argv[1], argc == 5 ? argv[4] : "", line);
  while (std::getline(std::cin, line)) stream.add(line);
  stream.run(std::strtod(argv[2], nullptr), argv[3]);
  stream.print();
}
