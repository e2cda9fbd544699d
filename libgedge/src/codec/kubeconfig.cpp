#include "gedge/codec/kubeconfig.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "codec/cursor.hpp"
#include "codec/fields.hpp"
#include "codec/kubeconfig_entries.hpp"
#include "gedge/base/nearest.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using codec::quote;

constexpr std::uint64_t kMostBytes = 16 << 20;
constexpr const char* kMissing = "$KUBECONFIG names a file that is not there";
const std::string kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";
const std::string kExecExtension = "client.authentication.k8s.io/exec";

SourceSpan whole_file(const std::string& name) {
  SourceSpan span;
  span.origin = name;
  return span;
}

/// One file, while its values are looked at.
struct File {
  File(const std::string& path, std::string text) : bytes(std::move(text)), source(path, bytes) {
    source.hide_values();
  }
  std::string bytes;
  codec::Source source;
  std::optional<codec::Document> document;
};

/// A name, and where it was given.
struct Named {
  std::string name;
  SourceSpan where;
};

/// What the files say together.
class Kubeconfigs {
 public:
  Kubeconfigs(const ReadFile& read, codec::Diagnostics& diagnostics)
      : read_(read), diagnostics_(diagnostics) {}

  void add(const std::string& path, std::string bytes);
  bool has_clusters() const { return !clusters_.empty(); }
  void choose(const KubeChoice& choice, KubeAccess& access) const;

 private:
  using Entries = std::map<std::string, Cursor>;

  void add_entries(Cursor list, const char* field, Entries& entries);
  const Cursor* find(const Entries& entries, const Named& named, const char* kind) const;
  void choose_context(const KubeChoice& choice, KubeAccess& access, Named& cluster,
                      Named& user) const;
  void read_extension(Cursor cluster, KubeAccess& access) const;

  const ReadFile& read_;
  codec::Diagnostics& diagnostics_;
  std::deque<File> files_;
  Entries clusters_, users_, contexts_;
  Named current_;
};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void read_name(Cursor value, Named& named) {
  codec::read_text(value, named.name);
  named.where = value.where();
}

void Kubeconfigs::add(const std::string& path, std::string bytes) {
  if (is_blank(bytes)) return;  // /dev/null means nothing on purpose
  File& file = files_.emplace_back(path, std::move(bytes));
  file.document = codec::Document::parse(file.source, diagnostics_, kMostBytes);
  if (!file.document) return;
  const Cursor root = file.document->root();
  const std::string kind = codec::text_at(root, "kind");
  if (!root.is_map() || (!kind.empty() && kind != "Config"))
    return root.fail("this is no kubeconfig", "it has clusters, users and contexts");
  root.fields([&](std::string_view key, Cursor value) {
    if (key == "clusters") add_entries(value, "cluster", clusters_);
    if (key == "users") add_entries(value, "user", users_);
    if (key == "contexts") add_entries(value, "context", contexts_);
    if (key != "current-context" || !current_.name.empty()) return;
    read_name(value, current_);
  });
}

void Kubeconfigs::add_entries(Cursor list, const char* field, Entries& entries) {
  Entries here;
  list.items([&](Cursor item) {
    std::string name;
    std::optional<Cursor> value;
    item.fields([&](std::string_view key, Cursor at) {
      if (key == "name") codec::read_text(at, name);
      if (key == field) value = at;
    });
    if (!item.is_map()) return;
    if (name.empty()) return item.fail(std::string("a ") + field + " has no name");
    if (!here.emplace(name, value.value_or(item)).second)
      item.fail("there are two of the name " + quote(name));
  });
  entries.merge(here);  // those of earlier files stay
}

const Cursor* Kubeconfigs::find(const Entries& entries, const Named& named,
                                const char* kind) const {
  const auto found = entries.find(named.name);
  if (found != entries.end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [known, value] : entries) names.push_back(known);
  diagnostics_.add({Errc::kNotFound, std::string("there is no ") + kind + " " + quote(named.name),
                    named.where, suggestion(named.name, names)});
  return nullptr;
}

void Kubeconfigs::choose_context(const KubeChoice& choice, KubeAccess& access, Named& cluster,
                                 Named& user) const {
  const Named named =
      choice.context.empty() ? current_ : Named{choice.context, whole_file("--context")};
  access.context = named.name;
  if (named.name.empty()) return;
  const Cursor* const context = find(contexts_, named, "context");
  if (context == nullptr) return;
  context->fields([&](std::string_view key, Cursor value) {
    if (key == "cluster" && choice.cluster.empty()) read_name(value, cluster);
    if (key == "user" && choice.user.empty()) read_name(value, user);
    if (key == "namespace" && !(value.shape() == codec::Shape::kScalar && value.raw_text().empty()))
      codec::read_text(value, access.namespace_name);
  });
  if (cluster.name.empty()) context->fail("the context names no cluster");
}

// What a cluster has to say to the program that says who we are.
void Kubeconfigs::read_extension(Cursor cluster, KubeAccess& access) const {
  const auto extensions = cluster.is_map() ? cluster.find("extensions") : std::nullopt;
  if (!extensions || !access.credentials.helper) return;
  extensions->items([&](Cursor item) {
    if (!item.is_map() || codec::text_at(item, "name") != kExecExtension) return;
    if (const auto config = item.find("extension"))
      access.credentials.helper->cluster_config = config->to_json();
  });
}

void Kubeconfigs::choose(const KubeChoice& choice, KubeAccess& access) const {
  Named cluster{choice.cluster, whole_file("--cluster")}, user{choice.user, whole_file("--user")};
  choose_context(choice, access, cluster, user);
  if (!diagnostics_.ok()) return;
  if (cluster.name.empty())
    return diagnostics_.add({Errc::kNotFound, "no context is chosen, and so no cluster",
                             whole_file(files_.front().source.name()),
                             "choose one with `--context`, or `kubectl config use-context`"});
  const Cursor* const server = find(clusters_, cluster, "cluster");
  const Cursor* const own = user.name.empty() ? nullptr : find(users_, user, "user");
  if (server != nullptr) codec::read_kube_cluster(*server, read_, access);
  if (own != nullptr) codec::read_kube_user(*own, read_, access);
  if (server != nullptr) read_extension(*server, access);
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

/// Errors and a KubeAccess of one search.
class Search {
 public:
  Search(const KubeChoice& choice, const KubeEnvironment& environment, const ReadFile& read)
      : choice_(choice), environment_(environment), read_(read), files_(read, diagnostics_) {}

  KubeAccessReading run() {
    read_files();
    if (diagnostics_.ok()) choose();
    if (diagnostics_.ok()) finish();
    KubeAccessReading reading;
    reading.warnings = diagnostics_.take_warnings();
    reading.errors = diagnostics_.take_errors();
    for (Error& error : reading.errors) forget(error.where);
    for (Warning& warning : reading.warnings) forget(warning.where);
    if (reading.errors.empty()) reading.access = std::move(access_);
    return reading;
  }

 private:
  // The line may hold a secret.
  static void forget(SourceSpan& where) {
    where.excerpt.clear();
    where.length = 1;
  }

  void read_files() {
    const bool is_listed = choice_.kubeconfig.empty() && !environment_.kubeconfig.empty();
    std::vector<std::string> paths{choice_.kubeconfig};
    if (is_listed)
      paths = split(environment_.kubeconfig, ':');
    else if (choice_.kubeconfig.empty())
      paths = environment_.home.empty() ? std::vector<std::string>{}
                                        : std::vector{environment_.home + "/.kube/config"};
    for (const std::string& path : paths) {
      auto bytes = read_(path);
      if (bytes) {
        files_.add(path, *std::move(bytes));
        continue;
      }
      const bool is_missing = bytes.error().code == Errc::kNotFound;
      if (!is_missing || !choice_.kubeconfig.empty())
        diagnostics_.add(std::move(bytes).error());
      else if (is_listed)
        missing_.push_back(path);
    }
  }

  void choose() {
    const bool in_pod = !environment_.service_host.empty() && !environment_.service_port.empty();
    const bool is_in_files = files_.has_clusters();
    const bool has_account = choice_.kubeconfig.empty() && in_pod;
    if (!is_in_files && !has_account) return tell_nothing_found();
    for (const std::string& path : missing_)
      diagnostics_.warn("MissingKubeconfig", kMissing, whole_file(path));
    if (is_in_files) return files_.choose(choice_, access_);
    use_account();
  }

  void tell_nothing_found() {
    const char* const hint = "give `--kubeconfig FILE`, or set KUBECONFIG";
    for (const std::string& path : missing_)
      diagnostics_.add({Errc::kNotFound, "no cluster is configured: " + std::string(kMissing),
                        whole_file(path), hint});
    if (!missing_.empty()) return;
    diagnostics_.add({Errc::kNotFound,
                      "no cluster is configured: no kubeconfig names one, and this is no pod",
                      whole_file(choice_.kubeconfig), hint});
  }

  std::optional<std::string> read_account(const char* file) {
    auto bytes = read_(kAccount + file);
    if (bytes) return *std::move(bytes);
    diagnostics_.add(std::move(bytes).error());
    return std::nullopt;
  }

  void use_account() {
    const bool chooses =
        !choice_.context.empty() || !choice_.cluster.empty() || !choice_.user.empty();
    if (chooses)
      return diagnostics_.add({Errc::kNotFound, "there is no kubeconfig to choose from",
                               whole_file(choice_.context.empty() ? "--cluster" : "--context"),
                               "give `--kubeconfig FILE`"});
    ApiEndpoint& endpoint = access_.endpoint;
    const std::string& host = environment_.service_host;
    const bool is_v6 = host.find(':') != std::string::npos;
    endpoint.server =
        "https://" + (is_v6 ? '[' + host + ']' : host) + ':' + environment_.service_port;
    CredentialFiles& files = access_.credentials.files;
    files.trusted = kAccount + "ca.crt";
    files.token = kAccount + "token";
    const auto trusted = read_account("ca.crt"), token = read_account("token");
    if (trusted) use_trusted(*trusted);
    if (token) use_token(*token);
    // A file that is missing is the same as one that says "default".
    if (const auto name = read_(kAccount + "namespace"); name && !is_blank(*name))
      access_.namespace_name = codec::trim(*name);
  }

  void use_trusted(const std::string& pem) {
    if (const Status good = codec::check_pem(pem); !good)
      return diagnostics_.add(invalid_input(
          good.error().what, whole_file(access_.credentials.files.trusted), good.error().hint));
    access_.endpoint.trusted = pem;
  }
  void use_token(const std::string& text) {
    if (auto token = codec::token_of(text)) {
      access_.endpoint.identity.token = *std::move(token);
    } else {
      diagnostics_.add(
          invalid_input(token.error().what, whole_file(access_.credentials.files.token)));
    }
  }

  void finish() {
    if (!choice_.namespace_name.empty()) access_.namespace_name = choice_.namespace_name;
    if (!codec::is_dns_label(access_.namespace_name))
      diagnostics_.add(invalid_input(quote(access_.namespace_name) + " is no name of a namespace",
                                     whole_file(access_.context),
                                     "at most 63 lower-case letters, digits and '-'"));
    const Impersonation& as = choice_.as;
    if (!as.user.empty()) access_.endpoint.as = as;
    if (as.user.empty() && !(as.uid.empty() && as.groups.empty()))
      diagnostics_.add(invalid_input("a group to act as, but no user", whole_file("--as-group"),
                                     "name one with `--as`"));
    const bool has_credentials =
        !access_.endpoint.identity.empty() || access_.credentials.helper.has_value();
    if (has_credentials && access_.endpoint.server.starts_with("http://"))
      diagnostics_.warn("CredentialsNotSent",
                        "the API server is asked over http, so nobody is told who you are",
                        whole_file(access_.context));
  }

  const KubeChoice& choice_;
  const KubeEnvironment& environment_;
  const ReadFile& read_;
  codec::Diagnostics diagnostics_;
  std::vector<std::string> missing_;  // of $KUBECONFIG
  Kubeconfigs files_;
  KubeAccess access_;
};

}  // namespace

KubeAccessReading find_api_server(const KubeChoice& choice, const KubeEnvironment& environment,
                                  const ReadFile& read) {
  return Search(choice, environment, read).run();
}

}  // namespace gedge
