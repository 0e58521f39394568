// Package scripting holds EVAL and its kin, SCRIPT and FUNCTION. The scripts themselves are the concern of
// package server/scripts.
//
//	eval.go      EVAL, EVALSHA, EVAL_RO, EVALSHA_RO
//	script.go    SCRIPT LOAD, EXISTS, FLUSH, KILL
//	function.go  FUNCTION, without functions
//
// May use: the scripts of the server.
//
// Invariant: the effects of a script are logged together or not at all. A script that fails keeps what it
// has written before the error, as in Redis.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package scripting
