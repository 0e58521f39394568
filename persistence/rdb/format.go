package rdb

// Versions of the format. The written one is the newest that every Redis since 5 reads. A new version never
// changes a type: it adds type bytes and opcodes, and the reader refuses those that it does not know.
const (
	Version       = 9
	maxVersion    = 16 // of Redis 8
	valkeyVersion = 80 // of Valkey 9

	magic        = "REDIS"
	valkeyMagic  = "VALKEY080"
	headerSize   = len(magic) + 4
	checksumSize = 8
	// checksumSince is the first version whose files end in a checksum.
	checksumSince = 5
	// payloadTail is the size of a payload's version and checksum.
	payloadTail = 2 + checksumSize
)

// An opcode takes the position at which the type of a value could be.
const (
	opKeyMeta   = 243 // a slot import in a file of Valkey
	opSlotInfo  = 244
	opFunction  = 245
	opModuleAux = 247
	opIdle      = 248
	opFreq      = 249
	opAux       = 250
	opResizeDB  = 251
	opExpireMs  = 252
	opExpire    = 253
	opSelectDB  = 254
	opEOF       = 255
	firstOpcode = opKeyMeta
)
