// Package memory gives the store its memory for keys: blocks outside Go's heap, and the
// processor's prefetch instruction.
//
// Both exist for speed alone. Behind this seam the rest of the store sees byte slices.
//
// # Blocks outside the heap
//
// What it is: [Blocks] hands out blocks of 64 KiB. On Linux it maps them from the system;
// elsewhere it allocates them on Go's heap ([OnHeap]).
//
// What it brings: the garbage collector neither marks nor frees the keys. A million throttle keys
// of 16 bytes take 43 resident bytes each; in Go's heap they took 88. They add fewer than 5,000
// heap objects: go test -run TestTheHeapHoldsNoKeys ./store. Memory that removed keys leave
// goes back to the system without a collection ([Blocks.Trim]). Count the bytes of a key with
//
//	go test -run '^$' -bench BenchmarkMillionKeys ./store
//
// What it must never do: hand out a block that is still in use. A caller that gives a block back
// must not read it again. The garbage collector does not keep the block alive.
//
// # Prefetch
//
// What it is: [Prefetch] asks the processor to load cache lines, in assembly for amd64 and
// arm64. On other processors it does nothing.
//
// What it brings: a write of one in a million keys takes 139 ns instead of 230 ns. Measured by
// go test -run '^$' -bench BenchmarkPrefetch -cpu 1 ./store.
//
// What it must never do: read or change memory. It takes any address, also nil.
//
// # Invariants
//
//   - A block belongs to one caller until the caller gives it back.
//   - The store works the same without both: only time and memory differ.
//
// # Files
//
//	blocks.go           Blocks: the free lists of blocks
//	blocks_linux.go     mapping and unmapping on Linux
//	blocks_other.go     the same on Go's heap, for other systems
//	prefetch_asm.go     the declaration of Prefetch; its code is in the .s files
//	prefetch_other.go   Prefetch for other processors
//
// # Locks
//
// One mutex in Blocks guards its free lists. It is taken after any partition's lock, and no
// other lock is taken while it is held.
package memory
