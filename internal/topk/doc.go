// Package topk finds the keys that come most often in a stream, in a memory that does
// not grow with the number of keys: Space-Saving. It knows numbers and bytes only; who
// shares a sketch locks it.
//
// Source: Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k
// elements in data streams", ICDT 2005. https://doi.org/10.1007/978-3-540-30570-5_27
package topk
