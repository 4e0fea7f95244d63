// Windows delivers no signals to threads.
#include "lane.h"

namespace plog {

void ignore_signals_in_this_thread() {}

void put_this_thread_behind() {}

}  // namespace plog
