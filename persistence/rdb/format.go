package rdb

// Versions of the format. The written one is the newest that every Redis since 5 reads.
const (
	Version    = 9
	maxVersion = 12

	magic        = "REDIS"
	headerSize   = len(magic) + 4
	checksumSize = 8
	// checksumSince is the first version whose files end in a checksum.
	checksumSince = 5
	// payloadTail is the size of a payload's version and checksum.
	payloadTail = 2 + checksumSize
)

// An opcode takes the position at which the type of a value could be.
const (
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
	firstOpcode = opSlotInfo
)
