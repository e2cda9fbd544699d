#include "io/credential_keeper.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "certificates.hpp"
#include "gedge/io/wall_clock.hpp"
#include "io/descriptor.hpp"
#include "support/folder.hpp"

namespace gedge {
namespace {

using std::chrono::seconds;
using test::Credentials;
using test::Folder;
using test::kYear;
using test::make_credentials;

constexpr int kPatience = 60'000;  // milliseconds; far beyond what a shell takes

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A keeper whose clock stands still but for what a test says.
struct Kept {
  explicit Kept(CredentialSource source, ApiEndpoint endpoint = {})
      : epoll(::epoll_create1(EPOLL_CLOEXEC)),
        keeper(
            std::move(source), std::move(endpoint), {},
            [this](const Error& error) { notices.push_back(error); }, moment.now, epoll.get(), 7) {}

  void look() { keeper.look(moment); }
  void pass(seconds span) {
    moment.now += span;
    moment.date += span.count();
    look();
  }
  /// Until the helper is over.
  void finish() {
    look();
    for (int looks = 0; keeper.due(); ++looks) {
      REQUIRE(looks < 1000);
      pollfd readable{epoll.get(), POLLIN, 0};
      REQUIRE(::poll(&readable, 1, kPatience) == 1);
      look();
    }
  }
  bool is_ready() const { return keeper.is_ready(moment); }
  std::string token() const { return keeper.identity().token.reveal(); }
  std::string failure() const {
    const Error* const error = keeper.failure(moment);
    return error == nullptr ? "" : error->what;
  }

  CredentialKeeper::Moment moment{Nanos{1'000'000'000'000}, SystemWallClock().date()};
  std::vector<Error> notices;
  Descriptor epoll;
  CredentialKeeper keeper;
};

/// A shell script as helper.
CredentialSource script(const Folder& folder, const std::string& text) {
  CredentialSource source;
  CredentialHelper& helper = source.helper.emplace();
  helper.command = "sh";
  helper.arguments = {folder.put("helper.sh", text)};
  helper.install_hint = "get it somewhere";
  helper.named_by = "/etc/k/config";
  return source;
}

std::string answer(const std::string& status) {
  return R"(echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", )"
         R"("status": )" +
         status + "}'\n";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Also where nobody has waited for it yet.
bool is_gone(pid_t process) {
  const Descriptor exit(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!exit) return true;
  pollfd over{exit.get(), POLLIN, 0};
  return ::poll(&over, 1, kPatience) == 1;
}

}  // namespace

TEST_CASE("credentials: a token file is read again after its time, and at once when refused") {
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "two\n");
  ApiEndpoint endpoint;
  endpoint.identity.token = Secret("one");
  Kept kept(source, endpoint);
  kept.pass(seconds(49));
  CHECK(kept.token() == "one");
  CHECK(kept.keeper.generation() == 1);
  kept.pass(seconds(1));
  CHECK(kept.token() == "two");
  CHECK(kept.keeper.generation() == 2);
  folder.put("token", " three \r\n");
  CHECK(kept.keeper.renew(2, kept.moment));
  CHECK(kept.token() == "three");
  // Whoever was refused as who we were before only has to ask again.
  CHECK(kept.keeper.renew(2, kept.moment));
  CHECK(kept.keeper.generation() == 3);
  CHECK(kept.is_ready());
}

TEST_CASE("credentials: a token that cannot be read leaves the one before, and is told") {
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "");
  ApiEndpoint endpoint;
  endpoint.identity.token = Secret("one");
  Kept kept(source, endpoint);
  kept.pass(seconds(50));
  folder.remove("token");
  kept.pass(seconds(10));
  folder.put("token", "s3 cret");
  kept.pass(seconds(10));
  CHECK(kept.token() == "one");
  REQUIRE(kept.notices.size() == 3);
  CHECK(kept.notices[0].what == "the file of the token is empty");
  CHECK(has(kept.notices[1].what, "no such file"));
  CHECK(has(kept.notices[2].what, "no token can have"));
  for (const Error& notice : kept.notices) {
    CHECK(notice.where.origin == source.files.token);
    CHECK_FALSE(has(notice.what + notice.hint, "s3"));
  }
  folder.put("token", "two");
  kept.pass(seconds(10));
  CHECK(kept.token() == "two");
}

TEST_CASE("credentials: refusals that reading again does not help against grow rare") {
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "same");
  ApiEndpoint endpoint;
  endpoint.identity.token = Secret("same");
  Kept kept(source, endpoint);
  CHECK_FALSE(kept.keeper.renew(1, kept.moment));
  folder.put("token", "new");
  CHECK_FALSE(kept.keeper.renew(1, kept.moment));  // not yet
  kept.pass(seconds(1));
  CHECK(kept.keeper.renew(1, kept.moment));
  CHECK(kept.token() == "new");
}

TEST_CASE("credentials: certificates are read when they change, and a pair only as one") {
  const Folder folder;
  const Credentials one = make_credentials("one", kYear), two = make_credentials("two", kYear),
                    old = make_credentials("old", -60);
  const std::string first = make_credentials("first", kYear).certificate,
                    second = make_credentials("second", kYear).certificate;
  CredentialSource source;
  source.files.certificate = folder.put("c", one.certificate);
  source.files.key = folder.put("k", one.key);
  source.files.trusted = folder.put("ca", first);
  ApiEndpoint endpoint;
  endpoint.identity.certificate = one.certificate;
  endpoint.identity.key = Secret(one.key);
  endpoint.trusted = first;
  Kept kept(source, endpoint);
  kept.look();
  CHECK(kept.keeper.generation() == 1);
  folder.put("ca", second);
  kept.pass(seconds(9));
  CHECK(kept.keeper.trusted() == first);
  kept.pass(seconds(1));
  CHECK(kept.keeper.trusted() == second);
  CHECK(kept.keeper.generation() == 2);
  // Half of a pair is none.
  folder.put("c", two.certificate);
  kept.pass(seconds(10));
  CHECK(kept.keeper.identity().certificate == one.certificate);
  REQUIRE(kept.notices.size() == 1);
  CHECK(has(kept.notices[0].what, "not that of the client certificate"));
  folder.put("c", "");
  kept.pass(seconds(10));
  CHECK(kept.keeper.identity().certificate == one.certificate);
  CHECK(has(kept.notices.back().what, "no client certificate"));
  folder.put("c", two.certificate);
  folder.put("k", two.key);
  kept.pass(seconds(10));
  CHECK(kept.keeper.identity().certificate == two.certificate);
  CHECK(kept.keeper.identity().key.reveal() == two.key);
  folder.put("c", old.certificate);
  folder.put("k", old.key);
  kept.pass(seconds(10));
  CHECK(kept.keeper.identity().certificate == two.certificate);
  CHECK(has(kept.notices.back().what, "the client certificate has expired on 20"));
  CHECK(kept.notices.back().code == Errc::kDenied);
}

TEST_CASE("credentials: whom to trust stays as it was while its file says nothing of use") {
  const Folder folder;
  const std::string first = make_credentials("first", kYear).certificate,
                    second = make_credentials("second", kYear).certificate;
  CredentialSource source;
  source.files.trusted = folder.put("ca", first);
  ApiEndpoint endpoint;
  endpoint.trusted = first;
  Kept kept(source, endpoint);
  kept.look();
  for (const std::string& useless : {std::string(), std::string("garbage"), second.substr(0, 100),
                                     make_credentials("key", kYear).key}) {
    CAPTURE(useless);
    folder.put("ca", useless);
    kept.pass(seconds(10));
    CHECK(kept.keeper.trusted() == first);
    CHECK(kept.keeper.generation() == 1);
    REQUIRE_FALSE(kept.notices.empty());
    CHECK(has(kept.notices.back().what, "no certificate"));
    CHECK(kept.notices.back().where.origin == source.files.trusted);
    kept.notices.clear();
  }
  folder.put("ca", second);
  kept.pass(seconds(10));
  CHECK(kept.notices.empty());
  CHECK(kept.keeper.trusted() == second);
}

TEST_CASE("credentials: a program says who we are, told by variables alone, and no shell between") {
  const Folder folder;
  ::setenv("GEDGE_TEST_CANARY", "s3cret", 1);
  auto source = script(folder, "printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + folder / "info" +
                                   "\nenv > " + folder / "env" + "\nprintf '%s|' \"$@\" > " +
                                   folder / "args" + "\nread line; echo \"$?\" > " +
                                   folder / "read" + "\n" + answer(R"({"token": "abc"})"));
  source.helper->arguments.insert(source.helper->arguments.end(), {"$(touch x)", "a b", "*"});
  source.helper->environment.emplace_back("EXTRA", Secret("value"));
  source.helper->environment.emplace_back("HOME", Secret("/elsewhere"));
  Kept kept(source);
  CHECK_FALSE(kept.is_ready());
  kept.finish();
  ::unsetenv("GEDGE_TEST_CANARY");
  CHECK(kept.is_ready());
  CHECK(kept.token() == "abc");
  CHECK(kept.keeper.generation() == 2);
  CHECK(has(text_of(folder / "info"), R"("kind":"ExecCredential")"));
  const std::string variables = text_of(folder / "env");
  CHECK(has(variables, "EXTRA=value\n"));
  CHECK(has(variables, "HOME=/elsewhere\n"));
  CHECK(has(variables, "PATH="));
  CHECK_FALSE(has(variables, "s3cret"));
  CHECK(text_of(folder / "args") == "$(touch x)|a b|*|");
  CHECK(text_of(folder / "read") == "1\n");  // nothing to read
  kept.pass(seconds(100'000));
  CHECK_FALSE(kept.keeper.due());  // for ever, as it did not say until when
}

TEST_CASE("credentials: a program is asked again when what it said expires, one at a time") {
  const Folder folder;
  const std::string log = folder / "log";
  Kept kept(script(folder,
                   "echo run >> " + log + "\n" +
                       answer(R"({"token": "t", "expirationTimestamp": "2100-01-01T00:00:00Z"})")));
  for (int i = 0; i < 5; ++i) kept.look();
  kept.finish();
  kept.pass(seconds(1'000));
  CHECK(text_of(log) == "run\n");
  kept.moment.date = 4'102'444'800 - 1;  // 2100-01-01
  CHECK(kept.is_ready());
  kept.pass(seconds(1));
  CHECK_FALSE(kept.is_ready());
  CHECK(kept.failure().empty());
  // What it says has expired already: no reason to ask without end.
  kept.finish();
  CHECK(has(kept.failure(), "for the past"));
  CHECK(text_of(log) == "run\nrun\n");
  for (int i = 0; i < 5; ++i) kept.look();
  CHECK(text_of(log) == "run\nrun\n");
}

TEST_CASE("credentials: a program that fails is asked ever less often") {
  const Folder folder;
  CredentialSource source = script(folder, "");
  source.helper->command = folder / "missing";
  Kept kept(source);
  kept.look();
  CHECK(has(kept.failure(), "cannot be started: no such file or directory"));
  REQUIRE(kept.notices.size() == 1);
  CHECK(kept.notices[0].hint == "get it somewhere");
  CHECK(kept.notices[0].where.origin == "/etc/k/config");
  for (int second = 0; second < 3'600; ++second) kept.pass(seconds(1));
  CHECK(kept.notices.size() < 70);
  CHECK(kept.notices.size() > 50);  // but it is asked
}

TEST_CASE("credentials: what programs do wrong, and that all of them end") {
  const Folder folder;
  struct Row {
    std::string text, words;
  };
  for (const Row& row :
       {Row{"exit 3", "failed with status 3"}, Row{"exit 0", "wrote nothing"},
        Row{"kill -9 $$", "was killed"}, Row{"echo s3cret; echo s3cret >&2", "no ExecCredential"},
        Row{"yes s3cret", "wrote more than 1048576 bytes"},
        Row{"yes s3cret | head -c 1048577", "wrote more than 1048576 bytes"},
        Row{"echo '{\"kind\": \"ExecCredential\", \"apiVersion\": "
            "\"client.authentication.k8s.io/v1alpha1\"}'",
            "another version"},
        Row{answer(R"({"token": "s3cret\\nX: y"})"), "characters that no token can have"},
        Row{answer(R"({"token": "s3cret t"})"), "characters that no token can have"}}) {
    CAPTURE(row.text);
    Kept kept(script(folder, row.text + "\n"));
    kept.finish();
    CHECK_FALSE(kept.is_ready());
    CHECK(has(kept.failure(), row.words));
    CHECK_FALSE(has(kept.failure(), "s3cret"));
  }
}

TEST_CASE("credentials: what a program leaves behind is killed, and holds nobody up") {
  const Folder folder;
  const std::string pid = folder / "pid";
  const std::string background = "sleep 100000 & echo $! > " + pid + "\n";
  SUBCASE("it ends, and somebody keeps its output open") {
    Kept kept(script(folder, background + answer(R"({"token": "abc"})")));
    kept.finish();
    CHECK(kept.token() == "abc");
  }
  SUBCASE("it closes its output, and does not end in its time") {
    Kept kept(script(folder, background + "exec >&-\nwait\n"));
    kept.look();
    while (text_of(pid).find('\n') == std::string::npos) ::sched_yield();
    kept.pass(seconds(59));
    CHECK(kept.keeper.due());
    kept.pass(seconds(1));
    CHECK_FALSE(kept.keeper.due());
    CHECK(has(kept.failure(), "did not end in time"));
  }
  SUBCASE("nobody wants it any more") {
    Kept kept(script(folder, background + "wait\n"));
    kept.look();
    while (text_of(pid).find('\n') == std::string::npos) ::sched_yield();
  }
  CHECK(is_gone(static_cast<pid_t>(std::stol(text_of(pid)))));
}

}  // namespace gedge
