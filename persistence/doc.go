// Package persistence will keep the keyspace on disk, in Redis's own formats, so that
// limits survive restarts and servers can be exchanged by copying their files: snapshots
// (dump.rdb), the append-only file in its several parts, and the recovery from both at
// the start. It will know files, the store and its effects, and no command.
//
// None of that is there yet: a server's keys go with it. What is there is the codec of
// snapshots, package [cellserver/persistence/rdb], which DUMP and RESTORE use.
package persistence
