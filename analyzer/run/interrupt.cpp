#include "analyzer/run/interrupt.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lint {
namespace {

volatile std::sig_atomic_t caught = 0;
int ends[2] = {-1, -1};

void note(int) {
  caught = 1;
  [[maybe_unused]] ssize_t written = write(ends[1], "", 1);
}

}  // namespace

void catchInterrupts() {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    if (!sigaction(signal, nullptr, &before) && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup keeps its word
  }
}

bool interrupted() { return caught; }
int interruptPipe() { return ends[0]; }

}  // namespace lint
