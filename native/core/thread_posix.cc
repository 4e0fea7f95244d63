// Signals belong to the host's threads: a lane's thread blocks them all, save
// those that a thread raises by its own fault. And the processor.
#include <pthread.h>
#include <sched.h>

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

// Its share of the processor stays what it is: under load, recovery and cleaning
// would otherwise never end. What it loses is the right to interrupt others.
void put_this_thread_behind() {
#ifdef SCHED_BATCH
  const sched_param none{};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
#endif
}

}  // namespace plog
