package rclgo

import (
	"strconv"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// Serialize encodes a message as the middleware does.
func Serialize(msg types.Message) (buf []byte, err error) {
	const op = "serialize message"
	if msg == nil {
		return nil, fail(op, errNilMessage)
	}
	ts := msg.GetTypeSupport()
	if err := types.Check(ts); err != nil {
		return nil, fail(op, err)
	}
	err = withC(ts, msg, func(mem unsafe.Pointer) (err error) {
		buf, err = rcl.Serialize(mem, ts.TypeSupport())
		return err
	})
	return buf, fail(op, err)
}

// Deserialize decodes what Serialize or TakeSerializedMessage returned. It first checks the
// representation header and every length in buf, because the middleware trusts them.
func Deserialize(buf []byte, ts types.MessageTypeSupport) (msg types.Message, err error) {
	const op = "deserialize message"
	if err := types.Check(ts); err != nil {
		return nil, fail(op, err)
	}
	msg = ts.New()
	if err := deserialize(msg, buf, ts); err != nil {
		return nil, fail(op, err)
	}
	return msg, nil
}

// deserialize decodes buf into out, a message of type ts.
func deserialize(out types.Message, buf []byte, ts types.MessageTypeSupport) error {
	if err := types.CheckWire(ts, buf); err != nil {
		return err
	}
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	if err := rcl.Deserialize(buf, ts.TypeSupport(), mem); err != nil {
		return err
	}
	return types.Decode(ts, out, mem)
}

// LoadDynamicMessageTypeSupport finds an installed message type by name, such as
// "std_msgs" and "String". Its messages are dynamic ones of package introspection.
func LoadDynamicMessageTypeSupport(pkgName, msgName string) (types.MessageTypeSupport, error) {
	ts, err := introspection.LoadDynamic(pkgName, msgName)
	if err != nil {
		return nil, err
	}
	return ts, nil
}

// ExpandTopicName returns the full name, for a node, of a name that is relative, private or
// has substitutions such as {node}. substitutions may be nil.
func ExpandTopicName(
	inputTopicName, nodeName, nodeNamespace string,
	substitutions map[string]string,
) (expanded string, err error) {
	op := "expand topic name " + strconv.Quote(inputTopicName)
	texts := []string{inputTopicName, nodeName, nodeNamespace}
	for key, value := range substitutions {
		texts = append(texts, key, value)
	}
	if err := noNUL(op, codeTopicNameInvalid, texts...); err != nil {
		return "", err
	}
	expanded, err = rcl.ExpandTopicName(inputTopicName, nodeName, nodeNamespace, substitutions)
	return expanded, fail(op, err)
}
