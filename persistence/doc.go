// Package persistence keeps the keyspace on disk, in Redis's own formats, so that limits
// survive restarts and servers can be exchanged by copying their files. It knows files, the
// store and its effects, and no command.
//
// A [Manager] owns a directory, which it locks against other processes:
//
//	LOCK                     held while a server runs that writes here
//	appendonlydir/           every change, as it happens: package [cellserver/persistence/aof]
//	dump.rdb                 a snapshot: package [cellserver/persistence/rdb]
//	temp-dump.rdb            the next one on its way: it is renamed when it is whole and on disk
//
// A snapshot is of one moment, and stops nobody ([store.Store.Snapshot]). All files are
// reached through package [cellserver/persistence/fs], so that tests can fail any operation.
package persistence
