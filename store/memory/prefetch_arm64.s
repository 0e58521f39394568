#include "textflag.h"

// func Prefetch(line, bytes unsafe.Pointer)
TEXT ·Prefetch(SB), NOSPLIT, $0-16
	MOVD line+0(FP), R0
	MOVD bytes+8(FP), R1
	PRFM (R0), PLDL1KEEP
	PRFM (R1), PLDL1KEEP
	ADD $63, R1
	PRFM (R1), PLDL1KEEP
	RET
