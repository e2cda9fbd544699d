#include "io/credential_keeper.hpp"

#include <algorithm>
#include <utility>

#include "gedge/codec/exec_credential.hpp"
#include "gedge/io/files.hpp"
#include "io/client_certificate.hpp"

namespace gedge {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<Secret> read_token_file(const std::string& path) {
  DiskFiles files;
  auto bytes = files.read(path, kMostBytes);
  if (!bytes) return std::move(bytes).error();
  const Secret whole(*std::move(bytes));
  const std::string_view text = whole.reveal();
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return invalid_input("the file of the token is empty");
  const std::string_view token = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  if (!is_token(token)) return invalid_input("the token has characters that no token can have");
  return Secret(std::string(token));
}

}  // namespace

CredentialKeeper::CredentialKeeper(CredentialSource source, ApiEndpoint endpoint, Terms terms,
                                   Notice notice, Nanos now, int epoll, std::uint32_t mark)
    : source_(std::move(source)),
      endpoint_(std::move(endpoint)),
      terms_(terms),
      notice_(std::move(notice)),
      epoll_(epoll),
      mark_(mark),
      token_due_(now + terms.token_life),
      certificates_due_(0),
      is_known_(!source_.helper) {
  const CredentialFiles& files = source_.files;
  for (const std::string* path : {&files.certificate, &files.key, &files.trusted})
    if (!path->empty()) certificates_.emplace_back(*path);
}

void CredentialKeeper::note(const std::string& path, Error error) const {
  if (error.where.origin.empty()) error.where.origin = path;
  if (notice_) notice_(error);
}

void CredentialKeeper::adopt(ApiIdentity identity, std::string trusted) {
  if (identity == endpoint_.identity && trusted == endpoint_.trusted) return;
  endpoint_.identity = std::move(identity);
  endpoint_.trusted = std::move(trusted);
  ++generation_;
}

void CredentialKeeper::read_token(const Moment& moment) {
  const std::string& path = source_.files.token;
  auto token = read_token_file(path);
  token_due_ = moment.now + (token ? terms_.token_life : terms_.look_every);
  if (!token) return note(path, std::move(token).error());
  ApiIdentity identity = endpoint_.identity;
  identity.token = *std::move(token);
  adopt(std::move(identity), endpoint_.trusted);
}

// Both files of a pair are never replaced in one step: one that does not fit is looked at again.
void CredentialKeeper::read_certificates(const Moment& moment) {
  certificates_due_ = moment.now + terms_.look_every;
  for (ChangingFile& file : certificates_)
    if (file.changed()) certificates_changed_ = true;
  if (!certificates_changed_) return;
  DiskFiles files;
  ApiIdentity identity = endpoint_.identity;
  std::string trusted = endpoint_.trusted, key = identity.key.reveal();
  const CredentialFiles& paths = source_.files;
  for (const auto& [path, text] :
       {std::pair(&paths.certificate, &identity.certificate), std::pair(&paths.key, &key),
        std::pair(&paths.trusted, &trusted)}) {
    if (path->empty()) continue;
    auto bytes = files.read(*path, kMostBytes);
    if (!bytes) return note(*path, std::move(bytes).error());
    *text = *std::move(bytes);
  }
  identity.key = Secret(std::move(key));
  if (!paths.trusted.empty())
    if (Status good = check_trusted(trusted); !good)
      return note(paths.trusted, std::move(good).error());
  if (!identity.certificate.empty() || !paths.certificate.empty())
    if (Status good =
            check_client_certificate(identity.certificate, identity.key.reveal(), moment.date);
        !good)
      return note(paths.certificate, std::move(good).error());
  certificates_changed_ = false;
  adopt(std::move(identity), std::move(trusted));
}

void CredentialKeeper::look(const Moment& moment) {
  if (!source_.files.token.empty() && moment.now >= token_due_) read_token(moment);
  if (!certificates_.empty() && moment.now >= certificates_due_) read_certificates(moment);
  if (helper_) reap_helper(moment);
  if (!source_.helper || helper_ || is_ready(moment) || moment.now < failures_.until) return;
  start_helper(moment);
}

bool CredentialKeeper::is_ready(const Moment& moment) const {
  return is_known_ && (!expires_ || moment.date < *expires_);
}

const Error* CredentialKeeper::failure(const Moment& moment) const {
  const bool fails = !helper_ && failure_ && !is_ready(moment) && moment.now < failures_.until;
  return fails ? &*failure_ : nullptr;
}

std::optional<Nanos> CredentialKeeper::due() const {
  return helper_ ? std::optional(helper_->deadline()) : std::nullopt;
}

void CredentialKeeper::lengthen(Pause& pause, Nanos now) const {
  pause.length = std::clamp(2 * pause.length, terms_.least_pause, terms_.most_pause);
  pause.until = now + pause.length;
}

void CredentialKeeper::start_helper(const Moment& moment) {
  const CredentialHelper& helper = *source_.helper;
  auto started = HelperProcess::start(helper, write_exec_info(helper, endpoint_),
                                      moment.now + terms_.helper_timeout, epoll_, mark_);
  if (started)
    helper_ = *std::move(started);
  else
    fail_helper(std::move(started).error(), moment);
}

void CredentialKeeper::reap_helper(const Moment& moment) {
  auto outcome = helper_->look(moment.now);
  if (!outcome) return;
  helper_.reset();
  finish_helper(*std::move(outcome), moment);
}

void CredentialKeeper::finish_helper(Result<Secret> output, const Moment& moment) {
  if (!output) return fail_helper(std::move(output).error(), moment);
  auto credential = read_exec_credential(output->reveal(), source_.helper->version);
  if (!credential) return fail_helper(std::move(credential).error(), moment);
  const ApiIdentity& own = credential->identity;
  if (credential->expires && *credential->expires <= moment.date)
    return fail_helper({Errc::kDenied,
                        "the program that says who you are says it for the past",
                        {},
                        "is the date of this machine right?"},
                       moment);
  if (!is_token(own.token.reveal()))
    return fail_helper(
        invalid_input("the program that says who you are wrote a token with characters that no "
                      "token can have"),
        moment);
  if (!own.certificate.empty())
    if (Status good = check_client_certificate(own.certificate, own.key.reveal(), moment.date);
        !good)
      return fail_helper(std::move(good).error(), moment);
  is_known_ = true;
  expires_ = credential->expires;
  failure_.reset();
  failures_ = {};
  adopt(std::move(credential->identity), endpoint_.trusted);
}

void CredentialKeeper::fail_helper(Error error, const Moment& moment) {
  if (error.where.origin.empty()) error.where.origin = source_.helper->named_by;
  lengthen(failures_, moment.now);
  note({}, error);
  failure_ = std::move(error);
}

bool CredentialKeeper::renew(std::uint64_t generation, const Moment& moment) {
  if (generation != generation_ || helper_) return true;
  if (moment.now < refusals_.until) return false;
  // After a while in which nobody was refused, the next refusal is like the first.
  if (moment.now > refusals_.until + 2 * terms_.most_pause) refusals_ = {};
  lengthen(refusals_, moment.now);
  token_due_ = certificates_due_ = moment.now;
  if (source_.helper) is_known_ = false;
  look(moment);
  return generation != generation_ || helper_ != nullptr;
}

}  // namespace gedge
