package chaos

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// mostFrame bounds what one event may take.
const mostFrame = 16 << 20

// frames reads the events of a watch one by one, as they lie on the wire: JSON
// ends each with a line break, protobuf begins with a length.
type frames struct {
	from     *bufio.Reader
	prefixed bool
}

func newFrames(body io.Reader, contentType string) *frames {
	return &frames{from: bufio.NewReader(body), prefixed: strings.Contains(contentType, "protobuf")}
}

// next returns one event with all its bytes.
func (f *frames) next() ([]byte, error) {
	if !f.prefixed {
		return f.from.ReadBytes('\n')
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(f.from, head); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head)
	if n > mostFrame {
		return nil, fmt.Errorf("a watch event of %d bytes is too long", n)
	}
	frame := slices.Concat(head, make([]byte, n))
	if _, err := io.ReadFull(f.from, frame[4:]); err != nil {
		return nil, err
	}
	return frame, nil
}

// errorFrame is a watch event of type ERROR with the status.
func errorFrame(contentType string, status *metav1.Status) ([]byte, error) {
	media := runtime.ContentTypeJSON
	if strings.Contains(contentType, "protobuf") {
		media = runtime.ContentTypeProtobuf
	}
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), media)
	if !ok || info.StreamSerializer == nil {
		return nil, fmt.Errorf("no serializer for a watch in %s", media)
	}
	object, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, schema.GroupVersion{Version: "v1"}), status)
	if err != nil {
		return nil, fmt.Errorf("encode a status: %w", err)
	}
	event := &metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: object}}
	var b strings.Builder
	w := info.StreamSerializer.NewFrameWriter(&b)
	if err := info.StreamSerializer.Serializer.Encode(event, w); err != nil {
		return nil, fmt.Errorf("encode a watch event: %w", err)
	}
	return []byte(b.String()), nil
}
