#include "gedge/codec/kubeconfig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base64.hpp"

namespace gedge {
namespace {

const std::string kPem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const std::string kKey = "-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----\n";

struct Files {
  std::map<std::string, std::string> texts;
  std::vector<std::string> asked = {};

  ReadFile reader() {
    return [this](const std::string& path) -> Result<std::string> {
      asked.push_back(path);
      const auto found = texts.find(path);
      if (found != texts.end()) return found->second;
      return Error{Errc::kNotFound, "cannot open " + path + ": no such file", {}, {}};
    };
  }
  KubeAccessReading find(const KubeChoice& choice = {},
                         const KubeEnvironment& environment = {"", "/home/me", "", ""}) {
    return find_api_server(choice, environment, reader());
  }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A kubeconfig of one context, with these lines in its cluster and its user.
std::string config(const std::string& cluster, const std::string& user = {}) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "contexts:\n- name: here\n  context: {cluster: site, user: me}\n"
         "clusters:\n- name: site\n  cluster:\n" +
         cluster + "users:\n- name: me\n  user:\n" + user;
}

const std::string kServer = "    server: https://10.0.0.1:6443\n";

KubeAccessReading read_user(const std::string& user,
                            std::map<std::string, std::string> files = {}) {
  files["/etc/k/config"] = config(kServer, user);
  return Files{std::move(files)}.find({"/etc/k/config", {}, {}, {}, {}, {}});
}
KubeAccessReading read_cluster(const std::string& cluster,
                               std::map<std::string, std::string> files = {}) {
  files["/etc/k/config"] = config(cluster);
  return Files{std::move(files)}.find({"/etc/k/config", {}, {}, {}, {}, {}});
}

// The only error, with its place.
Error error_of(const KubeAccessReading& reading) {
  REQUIRE_FALSE(reading.access);
  REQUIRE(reading.errors.size() == 1);
  const Error& error = reading.errors[0];
  CHECK(error.where.excerpt.empty());
  CHECK_FALSE(has(error.what + error.hint, "s3cret"));
  return error;
}

const KubeAccess& access_of(const KubeAccessReading& reading) {
  for (const Error& error : reading.errors) INFO(error.what);
  REQUIRE(reading.errors.empty());
  REQUIRE(reading.access);
  return *reading.access;
}

struct Row {
  std::string text, words;
};

KubeChoice choose(std::string context) {
  KubeChoice choice;
  choice.context = std::move(context);
  return choice;
}

}  // namespace

TEST_CASE("kubeconfig: YAML and JSON say the same") {
  const std::string yaml =
      "current-context: a\ncontexts:\n- name: a\n  context:\n    cluster: c\n"
      "    user: u\n    namespace: edge\nclusters:\n- name: c\n  cluster:\n"
      "    server: https://k:6443\n    tls-server-name: kube\n"
      "    proxy-url: http://p:s3cret@proxy\n    future: {field: 1}\n"
      "    disable-compression: true\n"
      "users:\n- name: u\n  user:\n    token: abc\n";
  const std::string json =
      R"({"current-context": "a", "contexts": [{"name": "a", "context":
          {"cluster": "c", "user": "u", "namespace": "edge"}}],
          "clusters": [{"name": "c", "cluster": {"server": "https://k:6443",
          "tls-server-name": "kube", "proxy-url": "http://p:s3cret@proxy"}}],
          "users": [{"name": "u", "user": {"token": "abc"}}], "preferences": {}})";
  for (const std::string& text : {yaml, json}) {
    const auto reading = Files{{{"/home/me/.kube/config", text}}}.find();
    const KubeAccess& access = access_of(reading);
    CHECK(access.endpoint.server == "https://k:6443");
    CHECK(access.endpoint.tls_server_name == "kube");
    CHECK(access.endpoint.proxy.reveal() == "http://p:s3cret@proxy");
    CHECK(access.endpoint.identity.token.reveal() == "abc");
    CHECK(access.endpoint.verify);
    CHECK(access.namespace_name == "edge");
    CHECK(access.context == "a");
    CHECK(access.credentials.empty());
    CHECK(reading.warnings.empty());
  }
}

TEST_CASE("kubeconfig: the file that is asked for, then the variable, then home, then the pod") {
  const auto of = [](const std::string& host) {
    return config("    server: https://" + host + "\n");
  };
  Files files{{{"flag", of("flag")},
               {"/v/one", of("one")},
               {"/home/me/.kube/config", of("home")},
               {"/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", kPem},
               {"/var/run/secrets/kubernetes.io/serviceaccount/token", " tok\n"},
               {"/var/run/secrets/kubernetes.io/serviceaccount/namespace", "edge\n"}}};
  KubeChoice flag;
  flag.kubeconfig = "flag";
  KubeEnvironment all{"::/v/gone:/v/one:", "/home/me", "fd00::1", "443"};
  CHECK(access_of(files.find(flag, all)).endpoint.server == "https://flag");
  CHECK(files.asked == std::vector<std::string>{"flag"});
  const auto listed = files.find({}, all);
  CHECK(access_of(listed).endpoint.server == "https://one");
  REQUIRE(listed.warnings.size() == 1);
  CHECK(listed.warnings[0].code == "MissingKubeconfig");
  CHECK(listed.warnings[0].where.origin == "/v/gone");
  all.kubeconfig.clear();
  CHECK(access_of(files.find({}, all)).endpoint.server == "https://home");
  files.texts["/home/me/.kube/config"] = "\n";  // nothing, on purpose
  const auto pod = files.find({}, all);
  const KubeAccess& access = access_of(pod);
  CHECK(access.endpoint.server == "https://[fd00::1]:443");
  CHECK(access.endpoint.trusted == kPem);
  CHECK(access.endpoint.identity.token.reveal() == "tok");
  CHECK(access.credentials.files.token == "/var/run/secrets/kubernetes.io/serviceaccount/token");
  CHECK(access.namespace_name == "edge");
  CHECK(access.context.empty());
  CHECK(error_of(files.find(choose("x"), all)).code == Errc::kNotFound);
  all.service_host.clear();
  CHECK(error_of(files.find({}, all)).code == Errc::kNotFound);
  flag.kubeconfig = "/v/gone";
  CHECK(error_of(files.find(flag, all)).what == "cannot open /v/gone: no such file");
}

TEST_CASE("kubeconfig: where no cluster is found, files that are not there are named") {
  Files files{{{"/v/empty", "\n"}}};
  const KubeAccessReading gone = files.find({}, {"/v/gone:/v/empty:/v/lost", "", "", ""});
  CHECK_FALSE(gone.access);
  CHECK(gone.warnings.empty());
  REQUIRE(gone.errors.size() == 2);
  CHECK(gone.errors[0].where.origin == "/v/gone");
  CHECK(gone.errors[1].where.origin == "/v/lost");
  for (const Error& error : gone.errors) {
    CHECK(error.code == Errc::kNotFound);
    CHECK(error.what == "no cluster is configured: $KUBECONFIG names a file that is not there");
    CHECK(error.hint == "give `--kubeconfig FILE`, or set KUBECONFIG");
  }
  const Error none = error_of(files.find({}, {"/v/empty", "", "", ""}));
  CHECK(none.what == "no cluster is configured: no kubeconfig names one, and this is no pod");
  CHECK(none.where.origin.empty());
}

TEST_CASE(
    "kubeconfig: in a pod an empty token and what is no PEM are errors, no namespace is none") {
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  const KubeEnvironment pod{"", "", "10.0.0.1", "443"};
  Files files{{{folder + "ca.crt", kPem}, {folder + "token", "tok"}}};
  CHECK(access_of(files.find({}, pod)).namespace_name == "default");
  files.texts[folder + "token"] = " \n";
  CHECK(error_of(files.find({}, pod)).where.origin == folder + "token");
  files.texts[folder + "token"] = "tok";
  files.texts[folder + "ca.crt"] = "none";
  CHECK(error_of(files.find({}, pod)).where.origin == folder + "ca.crt");
}

TEST_CASE("kubeconfig: of several files, the first to name an entry wins it whole") {
  Files files{{{"/a/one",
                "contexts:\n- {name: x, context: {cluster: c, user: u}}\n"
                "users:\n- {name: u, user: {as: jane}}\n"},
               {"/b/two",
                "current-context: x\nclusters:\n- {name: c, cluster: {server: 'https://b', "
                "certificate-authority: ca.pem}}\n"
                "users:\n- {name: u, user: {token: never}}\n"},
               {"/c/three",
                "current-context: third\nclusters:\n- {name: c, cluster: {server: 'https://c'}}\n"
                "contexts:\n- {name: third, context: {cluster: c}}\n"},
               {"/b/ca.pem", kPem}}};
  const KubeEnvironment list{"/a/one:/b/two:/c/three", "", "", ""};
  const auto reading = files.find({}, list);
  const KubeAccess& access = access_of(reading);
  CHECK(access.endpoint.server == "https://b");
  CHECK(access.endpoint.as.user == "jane");
  CHECK(access.endpoint.identity.empty());
  // A path is that of the file that names it.
  CHECK(access.endpoint.trusted == kPem);
  CHECK(access.credentials.files.trusted == "/b/ca.pem");
  CHECK(access_of(files.find(choose("third"), list)).context == "third");
  // One that cannot be read stops all.
  files.texts["/c/three"] = "contexts: [";
  CHECK(error_of(files.find({}, list)).where.origin == "/c/three");
}

TEST_CASE("kubeconfig: flags choose before the context, the context before the file") {
  Files files{{{"/home/me/.kube/config",
                "current-context: one\ncontexts:\n"
                "- {name: one, context: {cluster: c1, user: u1, namespace: n1}}\n"
                "- {name: two, context: {cluster: c2}}\n"
                "clusters:\n- {name: c1, cluster: {server: 'https://c1'}}\n"
                "- {name: c2, cluster: {server: 'https://c2'}}\n"
                "users:\n- {name: u1, user: {token: t1, as: jane, as-uid: '7'}}\n"
                "- {name: u2, user: {token: t2}}\n"}}};
  const auto two = files.find(choose("two"));
  CHECK(access_of(two).endpoint.server == "https://c2");
  CHECK(access_of(two).endpoint.identity.empty());
  CHECK(access_of(two).namespace_name == "default");
  KubeChoice choice;
  choice.cluster = "c2";
  choice.user = "u2";
  choice.namespace_name = "n9";
  choice.as.user = "joe";
  const auto mixed = files.find(choice);
  CHECK(access_of(mixed).endpoint.server == "https://c2");
  CHECK(access_of(mixed).endpoint.identity.token.reveal() == "t2");
  CHECK(access_of(mixed).namespace_name == "n9");
  CHECK(access_of(mixed).endpoint.as.user == "joe");
  CHECK(access_of(mixed).endpoint.as.uid.empty());
  CHECK(access_of(files.find()).endpoint.as.uid == "7");
  choice.as = {{}, {}, {"dev"}, {}};
  CHECK(error_of(files.find(choice)).where.origin == "--as-group");
  choice = choose("tow");
  const Error unknown = error_of(files.find(choice));
  CHECK(unknown.code == Errc::kNotFound);
  CHECK(unknown.where.origin == "--context");
  CHECK(has(unknown.hint, "did you mean two?"));
  CHECK(has(error_of(files.find(choose("entirely"))).hint, "there is one, two"));
  choice = {};
  choice.user = "nobody";
  CHECK(error_of(files.find(choice)).what == "there is no user 'nobody'");
  choice.namespace_name = "../x";
  choice.user = {};
  CHECK(has(error_of(files.find(choice)).what, "no name of a namespace"));
}

TEST_CASE("kubeconfig: names that lead nowhere are told with their place") {
  Files files{{{"/home/me/.kube/config",
                "current-context: x\n"
                "clusters:\n- {name: c, cluster: {server: 'https://c'}}\n"}}};
  const Error context = error_of(files.find());
  CHECK(context.what == "there is no context 'x'");
  CHECK(context.where.origin == "/home/me/.kube/config");
  CHECK(context.where.line == 1);
  CHECK(context.where.column == 18);
  files.texts["/home/me/.kube/config"] = "clusters:\n- {name: c, cluster: {server: 'https://c'}}\n";
  CHECK(has(error_of(files.find()).what, "no context is chosen"));
  files.texts["/home/me/.kube/config"] =
      "current-context: x\ncontexts:\n- name: x\n  context:\n    cluster: d\n"
      "clusters:\n- {name: c, cluster: {server: 'https://c'}}\n";
  const Error cluster = error_of(files.find());
  CHECK(cluster.what == "there is no cluster 'd'");
  CHECK(cluster.where.line == 5);
}

TEST_CASE("kubeconfig: certificates and keys, in the file or beside it") {
  const std::string pem = codec::encode_base64(kPem), key = codec::encode_base64(kKey);
  const auto inside = read_user("    client-certificate-data: " + pem +
                                "\n    client-key-data: " + key + "\n    client-key: gone.pem\n");
  CHECK(access_of(inside).endpoint.identity.certificate == kPem);
  CHECK(access_of(inside).endpoint.identity.key.reveal() == kKey);
  CHECK(access_of(inside).credentials.empty());
  const auto beside = read_user("    client-certificate: pki/c.pem\n    client-key: /abs/k.pem\n",
                                {{"/etc/k/pki/c.pem", kPem}, {"/abs/k.pem", kKey}});
  CHECK(access_of(beside).endpoint.identity == access_of(inside).endpoint.identity);
  CHECK(access_of(beside).credentials.files.certificate == "/etc/k/pki/c.pem");
  CHECK(access_of(beside).credentials.files.key == "/abs/k.pem");
  const Error gone = error_of(read_user("    client-certificate: c.pem\n    client-key: k.pem\n",
                                        {{"/etc/k/c.pem", kPem}, {"/etc/k/k.pem", "x"}}));
  CHECK(has(gone.what, "no PEM"));
  CHECK(gone.where.line == 15);
}

TEST_CASE("kubeconfig: material that is none is refused where it stands") {
  const std::string pem = codec::encode_base64(kPem);
  const std::string locked = codec::encode_base64("-----BEGIN ENCRYPTED PRIVATE KEY-----\ns3cret");
  for (const Row& row : std::initializer_list<Row>{
           {"    client-certificate-data: '%%%'\n    client-key-data: " + pem + "\n",
            "is no base64"},
           {"    client-certificate-data: czNjcmV0\n    client-key-data: " + pem + "\n", "no PEM"},
           {"    client-certificate-data: " + pem + "\n    client-key-data: " + locked + "\n",
            "needs a passphrase"},
           {"    client-certificate-data: " + pem + "\n", "without its private key"},
           {"    client-key-data: " + pem + "\n", "without its client certificate"},
           {"    token: [s3cret]\n", "must be text, not a list"},
           {"    tokenFile: gone\n", "no such file"},
           {"    tokenFile: empty\n", "the file of the token is empty"},
           {"    username: me\n    password: s3cret\n", "passwords are not supported"},
           {"    auth-provider: {name: gcp}\n", "auth-provider is not supported"},
           {"    token: s3cret\n    client-key-data: " + pem + "\n", "in two ways"},
           {"    token: s3cret\n    exec: {command: x}\n", "in two ways"},
           {"    as-groups: [dev]\n", "but not who"},
           {"    \"s3cret\n", "quoted scalar"}}) {
    CAPTURE(row.text);
    const Error error = error_of(read_user(row.text, {{"/etc/k/empty", "\n"}}));
    CHECK(has(error.what, row.words));
    CHECK(error.where.origin == "/etc/k/config");
    CHECK(error.where.line > 9);
    CHECK(error.where.column > 0);
  }
}

TEST_CASE("kubeconfig: a token, and the file that it will come from") {
  CHECK(
      access_of(read_user("    token: 12345678901234567890\n")).endpoint.identity.token.reveal() ==
      "12345678901234567890");
  const auto file = read_user("    tokenFile: t\n", {{"/etc/k/t", "abc\r\n"}});
  CHECK(access_of(file).endpoint.identity.token.reveal() == "abc");
  CHECK(access_of(file).credentials.files.token == "/etc/k/t");
  const auto both = read_user("    tokenFile: t\n    token: first\n");
  CHECK(access_of(both).endpoint.identity.token.reveal() == "first");
  CHECK(access_of(both).credentials.files.token == "/etc/k/t");
  CHECK(access_of(read_user("    {}\n")).endpoint.identity.empty());
  CHECK(access_of(read_user("    token: ''\n    client-key: ''\n")).endpoint.identity.empty());
}

TEST_CASE("kubeconfig: of a cluster, what cannot be and what is not safe") {
  const std::string pem = codec::encode_base64(kPem);
  for (const Row& row : std::initializer_list<Row>{
           {"    {}\n", "has no server"},
           {"    server: ''\n", "has no server"},
           {"    server: 10.0.0.1:6443\n", "is a URL"},
           {"    server: file:///s3cret\n", "is a URL"},
           {"    server: [a]\n", "must be text"},
           {kServer + "    certificate-authority: ca\n", "no such file"},
           {kServer + "    insecure-skip-tls-verify: 1\n", "true or false"},
           {kServer + "    insecure-skip-tls-verify: true\n    certificate-authority-data: " + pem +
                "\n",
            "not checked"},
           {kServer + "    proxy-url: ftp://me:s3cret@x\n", "a proxy of a kind that is not used"},
           {kServer + "    proxy-url: proxy:3128\n", "a proxy of a kind that is not used"},
           {kServer + "    server: https://x\n", "twice"}}) {
    CAPTURE(row.text);
    const auto reading = read_cluster(row.text);
    CHECK_FALSE(reading.access);
    REQUIRE_FALSE(reading.errors.empty());
    CHECK(has(reading.errors[0].what, row.words));
  }
  const auto careless = read_cluster(kServer + "    insecure-skip-tls-verify: true\n");
  CHECK_FALSE(access_of(careless).endpoint.verify);
  REQUIRE(careless.warnings.size() == 1);
  CHECK(careless.warnings[0].code == "InsecureServer");
  Files plain{
      {{"/home/me/.kube/config", config("    server: http://10.0.0.1\n", "    token: s3cret\n")}}};
  const auto untold = plain.find();
  CHECK(access_of(untold).endpoint.server == "http://10.0.0.1");
  REQUIRE(untold.warnings.size() == 1);
  CHECK(untold.warnings[0].code == "CredentialsNotSent");
}

TEST_CASE("kubeconfig: a program that says who we are") {
  Files files{{{"/etc/k/config",
                config(kServer + "    extensions:\n"
                                 "    - {name: other, extension: {x: 1}}\n"
                                 "    - name: client.authentication.k8s.io/exec\n"
                                 "      extension: {audience: a, m: 1}\n",
                       "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"
                       "      command: bin/helper\n      args: [--a, 'b c']\n"
                       "      env: [{name: KEY, value: s3cret}]\n"
                       "      installHint: \"run\\n\\e[31mthis\"\n"
                       "      provideClusterInfo: true\n      interactiveMode: IfAvailable\n")}}};
  const auto reading = files.find({"/etc/k/config", {}, {}, {}, {}, {}});
  const KubeAccess& access = access_of(reading);
  REQUIRE(access.credentials.helper);
  const CredentialHelper& helper = *access.credentials.helper;
  CHECK(helper.version == CredentialHelper::Version::kV1);
  CHECK(helper.command == "/etc/k/bin/helper");
  CHECK(helper.arguments == std::vector<std::string>{"--a", "b c"});
  REQUIRE(helper.environment.size() == 1);
  CHECK(helper.environment[0].first == "KEY");
  CHECK(helper.environment[0].second.reveal() == "s3cret");
  CHECK(helper.install_hint == "run [31mthis");
  CHECK(helper.wants_cluster);
  CHECK(helper.cluster_config == R"({"audience":"a","m":1})");
  CHECK(helper.named_by == "/etc/k/config");
  const auto old =
      read_user("    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}\n");
  CHECK(access_of(old).credentials.helper->version == CredentialHelper::Version::kV1Beta1);
  CHECK(access_of(old).credentials.helper->command == "aws");
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
  for (const Row& row : std::initializer_list<Row>{
           {"{command: x, interactiveMode: Never}", "has no apiVersion"},
           {"{" + v1 + "alpha1, command: x, interactiveMode: Never}", "no version of exec"},
           {"{" + v1 + ", interactiveMode: Never}", "has no command"},
           {"{" + v1 + ", command: x}", "has no interactiveMode"},
           {"{" + v1 + ", command: x, interactiveMode: Always}", "wants somebody at a terminal"},
           {"{" + v1 + ", command: x, interactiveMode: never}", "no interactiveMode"},
           {"{" + v1 + ", command: x, interactiveMode: Never, env: [{name: A=B, value: s3cret}]}",
            "without '='"},
           {"[x]", "must be a map"}}) {
    CAPTURE(row.text);
    CHECK(has(error_of(read_user("    exec: " + row.text + "\n")).what, row.words));
  }
}

TEST_CASE("kubeconfig: whom to act as") {
  const auto reading = read_user(
      "    as: jane\n    as-uid: '7'\n    as-groups: [dev, ops]\n"
      "    as-user-extra: {scope: [a, b], x: []}\n");
  const Impersonation& as = access_of(reading).endpoint.as;
  CHECK(as.user == "jane");
  CHECK(as.uid == "7");
  CHECK(as.groups == std::vector<std::string>{"dev", "ops"});
  REQUIRE(as.extra.size() == 2);
  CHECK(as.extra[0].first == "scope");
  CHECK(as.extra[0].second == std::vector<std::string>{"a", "b"});
}

TEST_CASE("kubeconfig: what is none, and entries that are twice in one file") {
  for (const Row& row :
       std::initializer_list<Row>{{"kind: Pod\nclusters: []\n", "no kubeconfig"},
                                  {"- a\n", "no kubeconfig"},
                                  {"just text\n", "no kubeconfig"},
                                  {"clusters: {a: b}\n", "must be a list"},
                                  {"users: s3cret\n", "'users' must be a list, not text"},
                                  {"a: *s3cret\n", "an alias has no anchor before it"},
                                  {"a: &s3cret [*s3cret]\n", "an alias stands inside its own"},
                                  {"a: !s3cret b\n", "a tag that is not read here"},
                                  {"clusters: [{cluster: {}}]\n", "has no name"},
                                  {"clusters: [{name: a}, {name: a}]\n", "two of the name 'a'"},
                                  {"a: 1\n---\nb: 2\n", "document"},
                                  {"users: [{name: \xff}]\n", "UTF-8"}}) {
    CAPTURE(row.text);
    const auto reading = Files{{{"/home/me/.kube/config", row.text}}}.find();
    CHECK_FALSE(reading.access);
    REQUIRE_FALSE(reading.errors.empty());
    CHECK(has(reading.errors[0].what, row.words));
    CHECK_FALSE(has(reading.errors[0].what + reading.errors[0].hint, "s3cret"));
    CHECK(reading.errors[0].where.origin == "/home/me/.kube/config");
  }
}

TEST_CASE("base64: as the standard writes it, and nothing else") {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "\xff\xfe"})
    CHECK(codec::decode_base64(codec::encode_base64(bytes)) == bytes);
  CHECK(codec::encode_base64("foob") == "Zm9vYg==");
  CHECK(codec::decode_base64("Zm9v\r\nYg==\n") == "foob");
  for (const char* wrong :
       {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zm 9", "Zm9-", "Zg==Zg==", "Zm\t9v"}) {
    CAPTURE(wrong);
    CHECK_FALSE(codec::decode_base64(wrong));
  }
}

}  // namespace gedge
