package transport

import "sync/atomic"

// memoryStep is the step in bytes in which memory counts, because all processors share the counter. So short
// requests and replies do not change it.
const memoryStep = 16 << 10

// memory counts the bytes of the buffers and messages of all connections.
type memory struct{ total atomic.Int64 }

// change counts that a size in bytes has changed from before to now.
func (m *memory) change(before, now int) {
	if before, now = before/memoryStep, now/memoryStep; before != now {
		m.total.Add(int64(now-before) * memoryStep)
	}
}
