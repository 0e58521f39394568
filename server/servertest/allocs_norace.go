//go:build !race

package servertest

const poolsForget = false
