package store

import "cellserver/store/table"

// ownUndo is what a transaction with [Tx.KeepUndo] keeps of its changes.
type ownUndo struct {
	log    table.UndoLog
	keeper table.Keeper // of partitions without a snapshot
	end    func()       // ends it, with the transaction
}
