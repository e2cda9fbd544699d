#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/io/ending_signals.hpp"
#include "gedge/io/system_pins.hpp"
#include "io/descriptor.hpp"
#include "io/process_start.hpp"
#include "io/small_file.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = kMostPinBytes;
constexpr const char* kBoot = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kMostOfBoot = 64;
constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;

// Another directory does not help where the disk is full and this one says what to undo.
Error refused(const std::string& action, const std::string& path, int error_number) {
  Error error = system_error(action, path, error_number);
  error.code = Errc::kDenied;
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT;
  error.hint = is_full ? "make room on that file system, and give the same command again"
                       : "name a directory of yours with `--state-dir DIR`";
  return error;
}

// Who has locked that file, where the kernel says so: "1: FLOCK ADVISORY WRITE 4711 fe:01:42 0 EOF"
std::string locked_by(int file) {
  constexpr std::size_t kMostLocks = std::size_t{1} << 20;
  constexpr std::string_view kHow = " WRITE ";
  struct stat about {};
  const auto locks = read_small_file("/proc/locks", kMostLocks);
  if (!locks || ::fstat(file, &about) != 0) return "another gedge";
  std::array<char, 64> file_name{};  // as the kernel writes it: MAJOR:MINOR:INODE
  std::snprintf(file_name.data(), file_name.size(), " %02x:%02x:%llu 0 EOF", ::major(about.st_dev),
                ::minor(about.st_dev), static_cast<unsigned long long>(about.st_ino));
  std::string_view left = *locks;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    const std::size_t how = line.find(kHow);
    if (line.find(": FLOCK ") == std::string_view::npos || how == std::string_view::npos ||
        line.find(file_name.data()) == std::string_view::npos)
      continue;
    pid_t pid = 0;
    std::from_chars(line.data() + how + kHow.size(), line.data() + line.size(), pid);
    if (pid <= 0) continue;  // of another namespace
    const auto stat = process_stat(pid);
    return "process " + std::to_string(pid) + (stat ? " (" + stat->name + ')' : std::string());
  }
  return "another gedge";
}

bool is_regular(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
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

// Has something come that would end this process, and is held back?
bool is_to_end() {
  sigset_t held;
  if (::sigpending(&held) != 0) return false;
  return std::ranges::any_of(ending_signals(), [&held](int signal) {
    struct sigaction now {};
    return ::sigismember(&held, signal) == 1 && ::sigaction(signal, nullptr, &now) == 0 &&
           now.sa_handler != SIG_IGN;
  });
}

// What would end this process waits until the work at the desk is whole.
class FileLock final : public PinLock {
 public:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : ending_signals()) ::sigaddset(&ending, signal);
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
  constexpr int kTries = 5'000, kPatience = 250;
  constexpr timespec kPause{0, 2'000'000};
  if (::mkdir(directory_.c_str(), kDirectoryMode) != 0 && errno != EEXIST)
    return refused("cannot make", directory_, errno);
  const std::string path = lock_name();
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!file) return refused("cannot open", path, errno);
  for (int tries = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) return refused("cannot lock", path, errno);
    if (is_to_end())
      return Error{Errc::kTimeout, "a signal has ended the wait for " + path, {}, {}};
    if (tries == kPatience && waits_)
      waits_("waiting for " + locked_by(file.get()) + ", which has locked " + path);
    if (tries == kTries)
      return Error{Errc::kTimeout,
                   locked_by(file.get()) + " has held " + path + " for 10 s",
                   {},
                   "wait for it, or end it"};
    ::nanosleep(&kPause, nullptr);
  }
  forget_other_boots(file.get());
  return Result<std::unique_ptr<PinLock>>(std::make_unique<FileLock>(std::move(file)));
}

// The lock's file says since which start of the machine this directory is used. Numbers of
// processes and of control groups are given again after the next one.
void DiskPinStore::forget_other_boots(int lock_file) const {
  const auto boot = read_small_file(kBoot, kMostOfBoot);
  const auto used = read_small_file(lock_name(), kMostOfBoot);
  if (!boot || !used || *used == *boot) return;
  if (!used->empty())
    for (const PinFile file : {PinFile::kLedger, PinFile::kRecord}) ::unlink(name(file).c_str());
  if (::ftruncate(lock_file, 0) == 0)
    static_cast<void>(!::pwrite(lock_file, boot->data(), boot->size(), 0));
}

// Whoever only looks does not lock, and may find what was not even written to its end.
bool DiskPinStore::is_of_other_boot() const {
  const auto boot = read_small_file(kBoot, kMostOfBoot);
  const auto used = is_regular(lock_name()) ? read_small_file(lock_name(), kMostOfBoot) : boot;
  return boot && used && !used->empty() && *used != *boot;
}

Result<std::string> DiskPinStore::read(PinFile file) {
  const std::string path = name(file);
  if (file != PinFile::kVerdicts && is_of_other_boot()) return std::string();
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
    return Error{Errc::kDenied,
                 "cannot read " + path + ": it is no regular file",
                 {},
                 "put it away, or name another directory with `--state-dir DIR`"};
  auto bytes = read_small_file(path, kMostBytes);
  if (bytes) return *std::move(bytes);
  if (errno == ENOENT) return std::string();
  return refused("cannot read", path, errno);
}

Status DiskPinStore::replace(PinFile which, std::string_view bytes) {
  if (bytes.size() > kMostBytes)
    return Error{Errc::kDenied,
                 "cannot write " + name(which) + ": it would be larger than what is read again",
                 {},
                 "end what is pinned, or put it back with `gedge pin apply --undo`"};
  const std::string path = name(which), beside = path + ".new";
  Descriptor file(::open(beside.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                         kFileMode));
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
