#include "textflag.h"

// func Prefetch(line, bytes unsafe.Pointer)
TEXT ·Prefetch(SB), NOSPLIT, $0-16
	MOVQ line+0(FP), AX
	MOVQ bytes+8(FP), CX
	PREFETCHT0 (AX)
	PREFETCHT0 (CX)
	PREFETCHT0 63(CX)
	RET
