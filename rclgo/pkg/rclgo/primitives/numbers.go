package primitives

// For each primitive type X of ROS 2, the types CX and CX__Sequence have the layout of C, and four
// functions copy fields: X__Sequence_to_Go, X__Sequence_to_C, X__Array_to_Go and X__Array_to_C.

type (
	CBool           = bool
	CBool__Sequence = Sequence[bool]
)

func Bool__Sequence_to_Go(goSlice *[]bool, cSlice CBool__Sequence) { toGo(goSlice, cSlice) }
func Bool__Sequence_to_C(cSlice *CBool__Sequence, goSlice []bool)  { toC(cSlice, goSlice) }
func Bool__Array_to_Go(goSlice []bool, cSlice []CBool)             { copy(goSlice, cSlice) }
func Bool__Array_to_C(cSlice []CBool, goSlice []bool)              { copy(cSlice, goSlice) }

type (
	CByte           = byte
	CByte__Sequence = Sequence[byte]
)

func Byte__Sequence_to_Go(goSlice *[]byte, cSlice CByte__Sequence) { toGo(goSlice, cSlice) }
func Byte__Sequence_to_C(cSlice *CByte__Sequence, goSlice []byte)  { toC(cSlice, goSlice) }
func Byte__Array_to_Go(goSlice []byte, cSlice []CByte)             { copy(goSlice, cSlice) }
func Byte__Array_to_C(cSlice []CByte, goSlice []byte)              { copy(cSlice, goSlice) }

type (
	CChar           = byte
	CChar__Sequence = Sequence[byte]
)

func Char__Sequence_to_Go(goSlice *[]byte, cSlice CChar__Sequence) { toGo(goSlice, cSlice) }
func Char__Sequence_to_C(cSlice *CChar__Sequence, goSlice []byte)  { toC(cSlice, goSlice) }
func Char__Array_to_Go(goSlice []byte, cSlice []CChar)             { copy(goSlice, cSlice) }
func Char__Array_to_C(cSlice []CChar, goSlice []byte)              { copy(cSlice, goSlice) }

type (
	CFloat32           = float32
	CFloat32__Sequence = Sequence[float32]
)

func Float32__Sequence_to_Go(goSlice *[]float32, cSlice CFloat32__Sequence) { toGo(goSlice, cSlice) }
func Float32__Sequence_to_C(cSlice *CFloat32__Sequence, goSlice []float32)  { toC(cSlice, goSlice) }
func Float32__Array_to_Go(goSlice []float32, cSlice []CFloat32)             { copy(goSlice, cSlice) }
func Float32__Array_to_C(cSlice []CFloat32, goSlice []float32)              { copy(cSlice, goSlice) }

type (
	CFloat64           = float64
	CFloat64__Sequence = Sequence[float64]
)

func Float64__Sequence_to_Go(goSlice *[]float64, cSlice CFloat64__Sequence) { toGo(goSlice, cSlice) }
func Float64__Sequence_to_C(cSlice *CFloat64__Sequence, goSlice []float64)  { toC(cSlice, goSlice) }
func Float64__Array_to_Go(goSlice []float64, cSlice []CFloat64)             { copy(goSlice, cSlice) }
func Float64__Array_to_C(cSlice []CFloat64, goSlice []float64)              { copy(cSlice, goSlice) }

type (
	CInt8           = int8
	CInt8__Sequence = Sequence[int8]
)

func Int8__Sequence_to_Go(goSlice *[]int8, cSlice CInt8__Sequence) { toGo(goSlice, cSlice) }
func Int8__Sequence_to_C(cSlice *CInt8__Sequence, goSlice []int8)  { toC(cSlice, goSlice) }
func Int8__Array_to_Go(goSlice []int8, cSlice []CInt8)             { copy(goSlice, cSlice) }
func Int8__Array_to_C(cSlice []CInt8, goSlice []int8)              { copy(cSlice, goSlice) }

type (
	CInt16           = int16
	CInt16__Sequence = Sequence[int16]
)

func Int16__Sequence_to_Go(goSlice *[]int16, cSlice CInt16__Sequence) { toGo(goSlice, cSlice) }
func Int16__Sequence_to_C(cSlice *CInt16__Sequence, goSlice []int16)  { toC(cSlice, goSlice) }
func Int16__Array_to_Go(goSlice []int16, cSlice []CInt16)             { copy(goSlice, cSlice) }
func Int16__Array_to_C(cSlice []CInt16, goSlice []int16)              { copy(cSlice, goSlice) }

type (
	CInt32           = int32
	CInt32__Sequence = Sequence[int32]
)

func Int32__Sequence_to_Go(goSlice *[]int32, cSlice CInt32__Sequence) { toGo(goSlice, cSlice) }
func Int32__Sequence_to_C(cSlice *CInt32__Sequence, goSlice []int32)  { toC(cSlice, goSlice) }
func Int32__Array_to_Go(goSlice []int32, cSlice []CInt32)             { copy(goSlice, cSlice) }
func Int32__Array_to_C(cSlice []CInt32, goSlice []int32)              { copy(cSlice, goSlice) }

type (
	CInt64           = int64
	CInt64__Sequence = Sequence[int64]
)

func Int64__Sequence_to_Go(goSlice *[]int64, cSlice CInt64__Sequence) { toGo(goSlice, cSlice) }
func Int64__Sequence_to_C(cSlice *CInt64__Sequence, goSlice []int64)  { toC(cSlice, goSlice) }
func Int64__Array_to_Go(goSlice []int64, cSlice []CInt64)             { copy(goSlice, cSlice) }
func Int64__Array_to_C(cSlice []CInt64, goSlice []int64)              { copy(cSlice, goSlice) }

type (
	CUint8           = uint8
	CUint8__Sequence = Sequence[uint8]
)

func Uint8__Sequence_to_Go(goSlice *[]uint8, cSlice CUint8__Sequence) { toGo(goSlice, cSlice) }
func Uint8__Sequence_to_C(cSlice *CUint8__Sequence, goSlice []uint8)  { toC(cSlice, goSlice) }
func Uint8__Array_to_Go(goSlice []uint8, cSlice []CUint8)             { copy(goSlice, cSlice) }
func Uint8__Array_to_C(cSlice []CUint8, goSlice []uint8)              { copy(cSlice, goSlice) }

type (
	CUint16           = uint16
	CUint16__Sequence = Sequence[uint16]
)

func Uint16__Sequence_to_Go(goSlice *[]uint16, cSlice CUint16__Sequence) { toGo(goSlice, cSlice) }
func Uint16__Sequence_to_C(cSlice *CUint16__Sequence, goSlice []uint16)  { toC(cSlice, goSlice) }
func Uint16__Array_to_Go(goSlice []uint16, cSlice []CUint16)             { copy(goSlice, cSlice) }
func Uint16__Array_to_C(cSlice []CUint16, goSlice []uint16)              { copy(cSlice, goSlice) }

type (
	CUint32           = uint32
	CUint32__Sequence = Sequence[uint32]
)

func Uint32__Sequence_to_Go(goSlice *[]uint32, cSlice CUint32__Sequence) { toGo(goSlice, cSlice) }
func Uint32__Sequence_to_C(cSlice *CUint32__Sequence, goSlice []uint32)  { toC(cSlice, goSlice) }
func Uint32__Array_to_Go(goSlice []uint32, cSlice []CUint32)             { copy(goSlice, cSlice) }
func Uint32__Array_to_C(cSlice []CUint32, goSlice []uint32)              { copy(cSlice, goSlice) }

type (
	CUint64           = uint64
	CUint64__Sequence = Sequence[uint64]
)

func Uint64__Sequence_to_Go(goSlice *[]uint64, cSlice CUint64__Sequence) { toGo(goSlice, cSlice) }
func Uint64__Sequence_to_C(cSlice *CUint64__Sequence, goSlice []uint64)  { toC(cSlice, goSlice) }
func Uint64__Array_to_Go(goSlice []uint64, cSlice []CUint64)             { copy(goSlice, cSlice) }
func Uint64__Array_to_C(cSlice []CUint64, goSlice []uint64)              { copy(cSlice, goSlice) }
