// Windows delivers no signals to threads.
#include "lane.h"

namespace plog {

void ignore_signals_in_this_thread() {}

}  // namespace plog
