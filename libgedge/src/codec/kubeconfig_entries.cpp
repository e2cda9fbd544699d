#include "codec/kubeconfig_entries.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/base64.hpp"
#include "codec/fields.hpp"
#include "codec/scalar.hpp"

namespace gedge::codec {
namespace {

constexpr std::size_t kMostHint = 500;
constexpr std::string_view kHelperInstead =
    "let a program say who you are: users[].user.exec, as for kubectl";

// A text whose value no message shows.
void read_secret(Cursor value, std::string& out) {
  if (value.is_map() || value.is_list()) return value.fail_type("text");
  if (!value.is_null()) out = value.raw_text();
}

bool is_proxy(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://") ||
         url.starts_with("socks5://") || url.starts_with("socks5h://");
}

void fail_as(Cursor at, Error error) { at.fail(std::move(error.what), std::move(error.hint)); }

std::optional<std::string> read_named(Cursor at, const std::string& path, const ReadFile& read) {
  auto bytes = read(path);
  if (bytes) return *std::move(bytes);
  fail_as(at, std::move(bytes).error());
  return std::nullopt;
}

/// PEM that stands in the file itself or in another one.
struct Material {
  std::optional<Cursor> data, path;

  bool is_named() const { return data || path; }
  Cursor place() const { return data ? *data : *path; }

  /// Empty where something was reported. `file`: the path, if it is read from there.
  std::string take(const ReadFile& read, std::string& file) const {
    if (!is_named()) return {};
    std::string text;
    std::optional<std::string> pem;
    if (data) {
      read_secret(*data, text);
      pem = decode_base64(text);
      if (!pem) data->fail(quote(data->key()->raw_text()) + " is no base64");
    } else {
      read_text(*path, text);
      file = from_folder_of(path->source().name(), text);
      pem = read_named(*path, file, read);
    }
    if (!pem) return {};
    if (const Status good = check_pem(*pem); !good) {
      fail_as(place(), good.error());
      return {};
    }
    return *std::move(pem);
  }
};

bool is_filled(Cursor value) {
  return !value.is_null() && (value.shape() != Shape::kScalar || !value.raw_text().empty());
}

void note(std::optional<Cursor>& place, Cursor value) {
  if (is_filled(value)) place = value;
}

// Control characters would act on the terminal that it is shown on.
std::string fit_for_terminal(std::string_view text) {
  std::string fit;
  for (const char c : text.substr(0, kMostHint)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t')
      fit += ' ';
    else if (byte >= ' ' && byte < 0x7f)
      fit += c;
  }
  return fit;
}

void read_environment(Cursor list, CredentialHelper& helper) {
  list.items([&](Cursor item) {
    std::string name, value;
    item.fields([&](std::string_view key, Cursor field) {
      if (key == "name") read_text(field, name);
      if (key == "value") read_secret(field, value);
    });
    const bool usable = !name.empty() && name.find('=') == std::string::npos &&
                        (name + value).find('\0') == std::string::npos;
    if (usable)
      helper.environment.emplace_back(std::move(name), Secret(std::move(value)));
    else
      item.fail("a variable of the environment needs a name without '='");
  });
}

void read_version(Cursor value, CredentialHelper& helper, bool& known) {
  std::string text;
  read_text(value, text);
  known = true;
  if (text == "client.authentication.k8s.io/v1")
    helper.version = CredentialHelper::Version::kV1;
  else if (text == "client.authentication.k8s.io/v1beta1")
    helper.version = CredentialHelper::Version::kV1Beta1;
  else
    value.fail(quote(text) + " is no version of exec that is spoken here",
               "use client.authentication.k8s.io/v1");
}

void read_helper(Cursor exec, CredentialSource& credentials) {
  CredentialHelper helper;
  std::string command, mode;
  bool has_version = false;
  exec.fields([&](std::string_view key, Cursor value) {
    if (key == "apiVersion") read_version(value, helper, has_version);
    if (key == "command") read_text(value, command);
    if (key == "args")
      value.items([&](Cursor item) { read_secret(item, helper.arguments.emplace_back()); });
    if (key == "env") read_environment(value, helper);
    if (key == "installHint") read_text(value, helper.install_hint);
    if (key == "provideClusterInfo") read_bool(value, helper.wants_cluster);
    if (key == "interactiveMode") read_text(value, mode);
  });
  if (!exec.is_map()) return;
  if (!has_version) exec.fail("exec has no apiVersion", "client.authentication.k8s.io/v1");
  if (command.empty()) exec.fail("exec has no command");
  if (mode.empty() && has_version && helper.version == CredentialHelper::Version::kV1)
    exec.fail("exec has no interactiveMode", "write `interactiveMode: IfAvailable` or `Never`");
  else if (mode == "Always")
    exec.fail("this program wants somebody at a terminal, and gedge lends it none",
              "write `interactiveMode: IfAvailable`, if it can do without");
  else if (!mode.empty() && mode != "Never" && mode != "IfAvailable")
    exec.fail(quote(mode) + " is no interactiveMode", "Never, IfAvailable or Always");
  helper.command = command.find('/') == std::string::npos
                       ? command
                       : from_folder_of(exec.source().name(), command);
  helper.install_hint = fit_for_terminal(helper.install_hint);
  helper.named_by = exec.source().name();
  credentials.helper = std::move(helper);
}

void read_extra(Cursor map, Impersonation& as) {
  map.fields([&](std::string_view key, Cursor values) {
    auto& [name, texts] = as.extra.emplace_back();
    name = key;
    read_texts(values, texts);
  });
}

/// The fields of a user, before they are weighed against each other.
struct UserFields {
  Material certificate, key;
  std::optional<Cursor> token, token_file, exec, password, plugin, as;
};

UserFields read_user_fields(Cursor user, Impersonation& as) {
  UserFields fields;
  user.fields([&](std::string_view key, Cursor value) {
    if (key == "client-certificate-data") note(fields.certificate.data, value);
    if (key == "client-certificate") note(fields.certificate.path, value);
    if (key == "client-key-data") note(fields.key.data, value);
    if (key == "client-key") note(fields.key.path, value);
    if (key == "token") note(fields.token, value);
    if (key == "tokenFile") note(fields.token_file, value);
    if (key == "exec") note(fields.exec, value);
    if (key == "username" || key == "password") note(fields.password, value);
    if (key == "auth-provider") note(fields.plugin, value);
    if (key == "as") read_text(value, as.user);
    if (key == "as-uid") read_text(value, as.uid);
    if (key == "as-groups") read_texts(value, as.groups);
    if (key == "as-user-extra") read_extra(value, as);
    if (key.starts_with("as") && is_filled(value)) fields.as = value;
  });
  return fields;
}

bool check_methods(const UserFields& fields) {
  if (fields.password)
    return fields.password->fail("users with passwords are not supported, nor by API servers",
                                 std::string(kHelperInstead)),
           false;
  if (fields.plugin)
    return fields.plugin->fail("auth-provider is not supported, nor by kubectl any more",
                               std::string(kHelperInstead)),
           false;
  const bool token = fields.token || fields.token_file;
  const bool certificate = fields.certificate.is_named() || fields.key.is_named();
  if (int{token} + int{certificate} + int{fields.exec.has_value()} > 1) {
    const Cursor place = fields.exec    ? *fields.exec
                         : fields.token ? *fields.token
                                        : *fields.token_file;
    place.fail("this user says in two ways who it is",
               "keep one: a token, a client certificate, or exec");
    return false;
  }
  if (certificate && !(fields.certificate.is_named() && fields.key.is_named())) {
    const bool has_key = fields.key.is_named();
    (has_key ? fields.key : fields.certificate)
        .place()
        .fail(has_key ? "a private key without its client certificate"
                      : "a client certificate without its private key");
    return false;
  }
  return true;
}

// A token that stands here counts now, and that of the file later on.
void read_token(const UserFields& fields, const ReadFile& read, KubeAccess& access) {
  std::string text;
  if (fields.token_file) {
    read_text(*fields.token_file, text);
    access.credentials.files.token = from_folder_of(fields.token_file->source().name(), text);
  }
  if (fields.token) {
    read_secret(*fields.token, text);
    access.endpoint.identity.token = Secret(std::move(text));
    return;
  }
  const auto bytes = read_named(*fields.token_file, access.credentials.files.token, read);
  if (!bytes) return;
  auto token = token_of(*bytes);
  if (!token) return fail_as(*fields.token_file, std::move(token).error());
  access.endpoint.identity.token = *std::move(token);
}

}  // namespace

std::string from_folder_of(const std::string& file, std::string_view path) {
  const std::size_t slash = file.rfind('/');
  if (path.starts_with('/') || slash == std::string::npos) return std::string(path);
  return file.substr(0, slash + 1).append(path);
}

Status check_pem(std::string_view text) {
  if (text.find("-----BEGIN ENCRYPTED") != std::string_view::npos ||
      text.find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos)
    return invalid_input("the private key needs a passphrase, and nobody is there to type it", {},
                         "take it off with `openssl pkey`");
  if (text.find("-----BEGIN ") == std::string_view::npos)
    return invalid_input("this is no PEM", {}, "it begins with -----BEGIN");
  return {};
}

Result<Secret> token_of(std::string_view text) {
  const std::string_view token = trim(text);
  if (token.empty()) return invalid_input("the file of the token is empty");
  return Secret(std::string(token));
}

void read_kube_cluster(Cursor cluster, const ReadFile& read, KubeAccess& access) {
  ApiEndpoint& endpoint = access.endpoint;
  Material trusted;
  bool careless = false;
  std::optional<Cursor> server, skips;
  std::string proxy;
  std::optional<Cursor> between;
  cluster.fields([&](std::string_view key, Cursor value) {
    if (key == "server") {
      server = value;
      read_text(value, endpoint.server);
    }
    if (key == "tls-server-name") read_text(value, endpoint.tls_server_name);
    if (key == "certificate-authority-data") note(trusted.data, value);
    if (key == "certificate-authority") note(trusted.path, value);
    if (key == "proxy-url") {
      between = value;
      read_secret(value, proxy);
    }
    if (key == "insecure-skip-tls-verify") {
      read_bool(value, careless);
      skips = value;
    }
  });
  if (!cluster.is_map() && !cluster.is_null()) return;
  if (endpoint.server.empty())
    (server ? *server : cluster).fail("the cluster has no server", "https://HOST:PORT");
  else if (!endpoint.server.starts_with("https://") && !endpoint.server.starts_with("http://"))
    server->fail("the server of a cluster is a URL", "write `https://HOST:PORT`");
  if (!proxy.empty() && !is_proxy(proxy))
    between->fail("a proxy of a kind that is not used",
                  "write `http://HOST:PORT`, `https://HOST:PORT` or `socks5://HOST:PORT`");
  endpoint.proxy = Secret(std::move(proxy));
  endpoint.verify = !careless;
  if (careless && trusted.is_named())
    return skips->fail("certificates to be trusted for a server that is not checked",
                       "drop insecure-skip-tls-verify");
  if (careless)
    skips->warn("InsecureServer",
                "whoever answers is taken for the API server: "
                "insecure-skip-tls-verify is set");
  endpoint.trusted = trusted.take(read, access.credentials.files.trusted);
}

void read_kube_user(Cursor user, const ReadFile& read, KubeAccess& access) {
  Impersonation& as = access.endpoint.as;
  const UserFields fields = read_user_fields(user, as);
  if (!user.is_map() || !check_methods(fields)) return;
  if (as.user.empty() && fields.as)
    fields.as->fail("groups, a UID or more of a user to act as, but not who", "name one with `as`");
  ApiIdentity& identity = access.endpoint.identity;
  CredentialFiles& files = access.credentials.files;
  if (fields.token || fields.token_file) read_token(fields, read, access);
  identity.certificate = fields.certificate.take(read, files.certificate);
  identity.key = Secret(fields.key.take(read, files.key));
  if (fields.exec) read_helper(*fields.exec, access.credentials);
}

}  // namespace gedge::codec
