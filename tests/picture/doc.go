// Package picture draws docs/limiters.svg: the decisions of each limiter on the same requests.
//
// The way through the files: story.go has the requests and the limiters. It asks a real server under the test clock.
// draw.go makes a picture of the replies. The test compares the picture with the file in docs/.
//
// Invariant: the same server gives the same picture to the byte, because the requests set the clock.
//
// There are no locks.
package picture
