#include "support/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "support/folder.hpp"

namespace gedge::test {
namespace {

namespace fs = std::filesystem;

// Both ends of a channel: ours, and the command's.
struct Channel {
  int ours = -1, theirs = -1;
};

Channel open_channel(unsigned short columns) {
  Channel channel;
  if (columns == 0) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    return {ends[0], ends[1]};
  }
  channel.ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (channel.ours < 0 || ::grantpt(channel.ours) != 0 || ::unlockpt(channel.ours) != 0)
    throw std::runtime_error("posix_openpt");
  channel.theirs = ::open(::ptsname(channel.ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const struct winsize size { 24, columns, 0, 0 };
  ::ioctl(channel.theirs, TIOCSWINSZ, &size);
  struct termios raw {};
  ::tcgetattr(channel.theirs, &raw);
  ::cfmakeraw(&raw);  // bytes arrive as they were written
  ::tcsetattr(channel.theirs, TCSANOW, &raw);
  return channel;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void become(const fs::path& program, const std::vector<std::string>& args,
                         const RunOptions& options, int in, const Channel& out,
                         const Channel& err) {
  std::vector<std::string> words{program.string()}, variables{"PATH=/usr/bin:/bin"};
  words.insert(words.end(), args.begin(), args.end());
  for (const auto& [name, value] : options.environment) variables.push_back(name + '=' + value);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out.theirs, STDOUT_FILENO);
  ::dup2(err.theirs, STDERR_FILENO);
  if (!options.out_file.empty()) ::dup2(::open(options.out_file.c_str(), O_WRONLY), STDOUT_FILENO);
  if (options.no_out) ::close(STDOUT_FILENO);
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  ::execve(words[0].c_str(), pointers(words).data(), pointers(variables).data());
  ::_exit(127);
}

// What is due when the first byte of output arrives: a signal, or the input that was held back.
void answer(pid_t child, const RunOptions& options, int& held) {
  if (options.signal_after_start != 0) {
    ::kill(child, options.signal_after_start);
  } else if (held >= 0) {
    const auto size = static_cast<ssize_t>(options.input.size());
    if (::write(held, options.input.data(), options.input.size()) != size)
      throw std::runtime_error("write");  // what fits into a pipe is written at once
    ::close(held);
    held = -1;
  }
}

// Reads both channels until both are at their end.
void drain(pid_t child, const RunOptions& options, int held, Channel& out, Channel& err, Ran& ran) {
  bool answered = false;
  while (out.ours >= 0 || err.ours >= 0) {
    std::array<struct pollfd, 2> waiting{{{out.ours, POLLIN, 0}, {err.ours, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) throw std::runtime_error("poll");
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      int& ours = i == 0 ? out.ours : err.ours;
      std::array<char, 65536> buffer{};
      const ssize_t got = ::read(ours, buffer.data(), buffer.size());
      if (got > 0)
        (i == 0 ? ran.out : ran.err).append(buffer.data(), static_cast<std::size_t>(got));
      if (got > 0 && !answered) answer(child, options, held);
      answered = true;
      if (got > 0) continue;
      ::close(ours);
      ours = -1;
    }
  }
  if (held >= 0) ::close(held);
}

// Both ends of standard input; a file unless it is held back, so that nothing waits for its writer.
Channel open_input(const Folder& scratch, const RunOptions& options) {
  if (!options.hold_input)
    return {-1, ::open(scratch.put("stdin", options.input).c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {ends[1], ends[0]};
}

}  // namespace

Ran run_program(const fs::path& program, const std::vector<std::string>& args,
                const RunOptions& options) {
  const Folder scratch;
  const Channel in = open_input(scratch, options);
  Channel out = open_channel(options.out_columns), err = open_channel(options.err_columns);
  if (options.close_out) {
    ::close(out.ours);
    out.ours = -1;
  }
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become(program, args, options, in.theirs, out, err);
  ::close(in.theirs);
  ::close(out.theirs);
  ::close(err.theirs);
  Ran ran;
  drain(child, options, in.ours, out, err, ran);
  int status = 0;
  ::waitpid(child, &status, 0);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return ran;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace gedge::test
