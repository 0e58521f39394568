package lib

import "cellserver/script/machine"

// Open defines the libraries in a machine.
func Open(m *machine.Machine) {
	openCJSON(m)
	openCMsgPack(m)
	openStruct(m)
	openBit(m)
}
