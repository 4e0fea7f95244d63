// Signals belong to the host's threads: a lane's thread blocks them all, save
// those that a thread raises by its own fault.
#include <csignal>

#include "lane.h"

namespace plog {

void ignore_signals_in_this_thread() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&signals, own);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace plog
