#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "gedge/io/system_pins.hpp"
#include "io/descriptor.hpp"
#include "io/small_file.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = kMostPinBytes;
constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;

Error refused(const std::string& action, const std::string& path, int error_number) {
  Error error = system_error(action, path, error_number);
  error.code = Errc::kDenied;
  error.hint = "name a directory of yours with `--state-dir DIR`";
  return error;
}

// Puts `from` in the place of `to`. An exchange, where there is something in that place: ext4
// begins to write a file to the disk when another is renamed onto it, and waits for its journal.
bool put_in_place(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

// What would end this process waits until the work at the desk is whole.
class FileLock final : public PinLock {
 public:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~FileLock() override {
    file_.close();  // unlocks
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  Descriptor file_;
  sigset_t before_{};
};

}  // namespace

Result<std::unique_ptr<PinLock>> DiskPinStore::lock() {
  constexpr int kTries = 5'000;
  constexpr timespec kPause{0, 2'000'000};
  if (::mkdir(directory_.c_str(), kDirectoryMode) != 0 && errno != EEXIST)
    return refused("cannot make", directory_, errno);
  const std::string path = directory_ + "/lock";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file) return refused("cannot open", path, errno);
  for (int tries = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) return refused("cannot lock", path, errno);
    if (tries == kTries)
      return Error{Errc::kTimeout,
                   "another gedge has held " + path + " for 10 s",
                   {},
                   "look who has it with `fuser " + path + '`'};
    ::nanosleep(&kPause, nullptr);
  }
  forget_other_boots(file.get());
  return Result<std::unique_ptr<PinLock>>(std::make_unique<FileLock>(std::move(file)));
}

// The lock's file says since which start of the machine this directory is used. Numbers of
// processes and of control groups are given again after the next one.
void DiskPinStore::forget_other_boots(int lock_file) const {
  constexpr std::size_t kMostOfId = 64;
  const auto boot = read_small_file("/proc/sys/kernel/random/boot_id", kMostOfId);
  if (!boot) return;
  std::array<char, kMostOfId> text{};
  const ssize_t length = ::pread(lock_file, text.data(), text.size(), 0);
  if (length < 0 || *boot == std::string_view(text.data(), static_cast<std::size_t>(length)))
    return;
  if (length > 0)
    for (const PinFile file : {PinFile::kLedger, PinFile::kRecord}) ::unlink(name(file).c_str());
  if (::ftruncate(lock_file, 0) == 0)
    static_cast<void>(!::pwrite(lock_file, boot->data(), boot->size(), 0));
}

Result<std::string> DiskPinStore::read(PinFile file) {
  const std::string path = name(file);
  auto bytes = read_small_file(path, kMostBytes);
  if (bytes) return *std::move(bytes);
  if (errno == ENOENT) return std::string();
  return refused("cannot read", path, errno);
}

Status DiskPinStore::replace(PinFile which, std::string_view bytes) {
  if (bytes.size() > kMostBytes) return refused("cannot write", name(which), EFBIG);
  const std::string path = name(which), beside = path + ".new";
  Descriptor file(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file) return refused("cannot write", beside, errno);
  bool written = true;
  while (written && !bytes.empty()) {
    const ssize_t done = ::write(file.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    written = done > 0;
    if (written) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  // Not flushed: what it says of processes is void once the machine has gone down, see lock.
  if (written && file.close() && put_in_place(beside, path)) return {};
  const int reason = errno;
  ::unlink(beside.c_str());
  return refused("cannot write", path, reason);
}

std::string DiskPinStore::name(PinFile file) const {
  switch (file) {
    case PinFile::kRecord:
      return directory_ + "/pin_record";
    case PinFile::kVerdicts:
      return directory_ + "/pin_verdicts";
    case PinFile::kLedger:
      break;
  }
  return directory_ + "/pin_state";
}

std::string default_pin_directory(const std::string& runtime_directory) {
  return (runtime_directory.empty() ? std::string("/run") : runtime_directory) + "/gedge";
}

}  // namespace gedge
