#pragma once

namespace upsweep {

/// SQLite's busy handler: sleeps, says after a while that it waits (WaitingNote), and gives up in the end. `tries`: how
/// often it was called for this lock before. Returns 0 to give up.
int wait_for_lock(void*, int tries);

/// Whether this thread is to wait no more: the stop of its WaitingStop.
[[nodiscard]] bool waits_no_more();

}  // namespace upsweep
