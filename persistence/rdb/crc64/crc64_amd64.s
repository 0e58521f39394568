#include "textflag.h"

// func fold(state *[16]byte, p []byte, factors *[2]uint64)
TEXT ·fold(SB), NOSPLIT, $0-40
	MOVQ  state+0(FP), DI
	MOVQ  p_base+8(FP), SI
	MOVQ  p_len+16(FP), CX
	MOVQ  factors+32(FP), AX
	MOVOU (DI), X0
	MOVOU (AX), X1
	SHRQ  $4, CX
	JZ    done

next:
	MOVOU     (SI), X3
	MOVOU     X0, X2
	PCLMULQDQ $0x00, X1, X0
	PCLMULQDQ $0x11, X1, X2
	PXOR      X3, X0
	PXOR      X2, X0
	ADDQ      $16, SI
	DECQ      CX
	JNZ       next

done:
	MOVOU X0, (DI)
	RET

// func hasPCLMULQDQ() bool
TEXT ·hasPCLMULQDQ(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $1, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET
