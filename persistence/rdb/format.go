package rdb

// Versions of the format. The one that is written is the newest without types that only
// later servers know.
const (
	Version    = 9
	maxVersion = 12

	magic       = "REDIS"
	headerLen   = len(magic) + 4
	crcLen      = 8
	crcSince    = 5 // the version with which files end in a checksum
	payloadTail = 2 + crcLen
)

// How a length begins: two bits, or a whole byte.
const (
	len6       = 0x00
	len14      = 0x40
	lenSpecial = 0xC0 // an encoded string; the other six bits say how
	lenMask    = 0xC0
	len32      = 0x80
	len64      = 0x81
)

// The encodings of a string that begins with lenSpecial.
const (
	encInt8  = 0
	encInt16 = 1
	encInt32 = 2
	encLZF   = 3
)

// Opcodes, which stand where a type of value might.
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

// The types of values that are held. Those that are not are in foreign.
const (
	typeString     = 0
	typeSortedText = 3 // scores as text
	typeSorted     = 5 // scores as binary doubles
	typeZiplist    = 12
	typeListpack   = 17
)

// The types of a module's own values.
const (
	typeModuleOld = 6 // which does not say where it ends
	typeModule    = 7
)

// The parts of a module's value.
const (
	moduleEOF = iota
	moduleSigned
	moduleUnsigned
	moduleFloat
	moduleDouble
	moduleString
)

// notSaid is a Record's idle time and use counter when the file has none.
const notSaid = -1
