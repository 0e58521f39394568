// Package topk finds the most frequent keys of a stream, in memory that does not grow with the number of
// keys.
//
// The algorithm is Space-Saving. A [Sketch] has a fixed number of counters. A key without a counter takes
// the counter with the lowest count, and continues from that count:
//
//	count - over <= true count <= count        over is the count that the key took
//	over         <= all added / Counters
//
// Invariant: a key with more than 1/Counters of all that was added has a counter.
//
// There are no locks: a caller that shares a sketch between goroutines locks it.
//
// Source: Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k elements in data
// streams", ICDT 2005. https://doi.org/10.1007/978-3-540-30570-5_27
package topk
