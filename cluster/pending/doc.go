// Package pending has what a leader has done and no majority has confirmed yet: the batches of effects, and
// the replies that wait for them.
//
//	queue.go    Batch and Queue: what becomes entries of the log, and what was proposed already
//	committed.go  Committed: what keys hold without those batches
//	waiters.go  Waiters: the replies that wait, sorted by the batch that they need
//	gathering.go  Gathering: a batch waits for more effects
//
// Invariants: each batch has the number after that of the batch before. A batch does not change after it was
// taken. The package takes no locks: the owner of a queue has a lock.
package pending
